import { measureLoop } from '../measure/host/client-load.js';
import { ConnectionMeter } from '../measure/stage-meter.js';
import { connectionHostname } from '../store/address.js';
import { AddressBook } from '../store/http/address-book.js';
import { AttemptDeadlines } from '../store/retry.js';
import { KeepAliveAgent } from '../store/http/keep-alive-agent.js';
import { createReadBuffer } from '../store/http/socket-reader.js';
import { LiveCredentials } from '../store/live-credentials.js';
import { CLIENTS, openStore } from '../store/object-store.js';
import { classifyFailure } from '../store/s3-error.js';
import { connectionsFor } from './operations/multipart.js';
import { Keyspace } from './workload/keyspace.js';
import { MixedObjects } from './workload/mixed-objects.js';
import { ObjectGroups } from './workload/object-groups.js';
import { ListedObjects } from './workload/listed-objects.js';
import { Payload } from './workload/payload.js';
import { globalIndex } from './workload/shard.js';
import { Ledger } from './workload/ledger.js';
import { Alarm } from './alarm.js';
import { Budget } from './budget.js';
import { runStage } from './run-stage.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Load, StageHooks } from './run-stage.js'
 * @import { FatalError, TimeLimit } from './stage-watch.js'
 * @import { ConnectionRecord, StageRecord } from '../result/records.js'
 * @import { Grouping } from './operations/operation.js'
 * @import { Stage } from './operations/stage.js'
 * @import { ObjectStore } from '../store/object-store.js'
 * @import { MixedMemory } from './workload/mixed-objects.js'
 * @import { ClientName, MultipartConfig, OperationAmounts, Shard, StoreConfig, Trace } from '../result/config.js'
 * @import { ListState } from './workload/listed-objects.js'
 * @import { ConnectionSnapshot } from '../result/run-events.js'
 */

/**
 * A worker's configuration: plain values and shared memory, so that it can be sent to another thread.
 *
 * @typedef {object} WorkerSpec
 * @property {number} threads of this worker
 * @property {ClientName} client
 * @property {StoreConfig} store
 * @property {boolean} [sdkDefaults] see LoadConfig
 * @property {boolean} [presigned] see LoadConfig
 * @property {boolean} keepAlive
 * @property {number} timeout ms for a whole attempt
 * @property {number} maxAttempts of an operation
 * @property {number} stallTimeout ms without a success after which a stage ends
 * @property {boolean} openLoop whether stages can use an open loop
 * @property {{ runId: string, prefix: string, buckets: readonly string[] }} layout of the keyspace
 * @property {Shard} shard
 * @property {OperationAmounts} amounts
 * @property {MultipartConfig} [multipart] how objects are written in parts; absent if none are
 * @property {boolean} wroteObjects
 * @property {SharedArrayBuffer} ledger see Ledger
 * @property {SharedArrayBuffer} [copies] see Ledger; absent if the run makes none
 * @property {ListState | null} [listed] existing objects, if the run works on them
 * @property {boolean} [takesSnapshots] whether stages report snapshots
 * @property {MixedMemory | null} [mixed] of a run that rewrites its objects
 * @property {Trace} [trace] of a run that replays requests
 */

/**
 * A stage to run, on all workers or on one of them.
 *
 * @typedef {object} StageTask
 * @property {Stage} stage
 * @property {Load} load whose threads are those of all workers, or of that one
 * @property {{ memory: SharedArrayBuffer, first?: number, objects: number, cycles: boolean }} budget
 * @property {TimeLimit | null} limit
 */

/** @typedef {StageRecord & { fatal: FatalError | null }} WorkerOutcome */

/** One event loop's share of a run: its threads, their connections, its meters. */
export class Worker {
  #engine;
  #spec;
  #agent;
  #connectionMeter;
  #store;
  #alarm;
  #deadlines;
  #before = { opened: 0, reused: 0, socketWait: 0 };

  /**
   * @param {WorkerSpec} spec
   * @param {object} context
   * @param {Clock} context.clock
   * @param {() => number} context.random uniform in [0, 1)
   * @param {LiveCredentials} [context.credentials] renewable credentials; default: the store's
   * @param {Payload} [context.payload] of the same run, to avoid generating its bytes again in this thread
   * @returns {Promise<Worker>}
   */
  static async open(spec, { clock, random, ...context }) {
    const { credentials = new LiveCredentials(spec.store.credentials) } = context;
    const { payload = new Payload(spec.layout.runId) } = context;
    const { client, store, keepAlive, timeout } = spec;
    const hostname = connectionHostname(store);
    const connectionMeter = new ConnectionMeter();
    const agent = new KeepAliveAgent({
      ...store,
      hostname,
      addresses: new AddressBook(store.proxy?.hostname ?? hostname, clock.now, store.family),
      connectTimeout: timeout,
      readBuffer: CLIENTS[client].readsStreams ? null : createReadBuffer(),
      now: clock.now,
      hooks: { opened: (milliseconds) => connectionMeter.opened(milliseconds) },
    });
    const objectStore = await openStore(client, {
      ...store,
      credentials,
      agent,
      keepAlive,
      threads: connectionsFor(spec),
      sdkDefaults: spec.sdkDefaults,
      presigned: spec.presigned,
      keysAreForeign: Boolean(spec.listed),
      now: clock.now,
      epochNow: clock.epochNow,
      onColo: (colo) => connectionMeter.answered(colo),
    });
    const alarm = spec.openLoop ? await Alarm.open(clock) : null;
    return new Worker(spec, { clock, random, payload, agent, connectionMeter, objectStore, alarm });
  }

  /**
   * @param {WorkerSpec} spec
   * @param {{ clock: Clock, random: () => number, payload: Payload, agent: KeepAliveAgent,
   *   connectionMeter: ConnectionMeter, objectStore: ObjectStore, alarm: Alarm | null }} parts
   */
  constructor(spec, { clock, random, payload, agent, connectionMeter, objectStore, alarm }) {
    const { threads, timeout, maxAttempts, stallTimeout, layout, shard, amounts, wroteObjects, ledger, copies } = spec;
    const { multipart, mixed, trace } = spec;
    const listed = spec.listed ? new ListedObjects(spec.listed) : null;
    payload.prepare(globalIndex(shard, 0));
    const all = Array.from({ length: connectionsFor(spec) }, (_, index) => objectStore.openConnection(index));
    this.#spec = spec;
    this.#agent = agent;
    this.#connectionMeter = connectionMeter;
    this.#store = objectStore;
    this.#alarm = alarm;
    this.#deadlines = new AttemptDeadlines({ timeout, now: clock.now, connections: all });
    this.#deadlines.start();
    this.#engine = {
      clock,
      random,
      connections: all.slice(0, threads),
      partConnections: all.slice(threads),
      multipart,
      maxAttempts,
      stallTimeout,
      alarm,
      readsCache: CLIENTS[spec.client].readsCache,
      timesBinding: CLIENTS[spec.client].timesBinding,
      retriesInside: spec.sdkDefaults,
      lookAtConnections: spec.takesSnapshots ? () => this.#lookAtConnections() : null,
      runId: layout.runId,
      workload: {
        keyspace: listed ?? new Keyspace(layout),
        payload,
        listed,
        ledger: new Ledger(ledger),
        copies: copies ? new Ledger(copies) : null,
        shard,
        amounts,
        wroteObjects,
        mixed: mixed ? new MixedObjects(mixed) : null,
        trace,
      },
    };
  }

  /**
   * Opens the threads' connections in advance.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<{ failed: number, reason: string }>} how many failed to open, and why
   */
  async openConnections(signal) {
    const { failed, lastError } = await this.#agent.openAhead(connectionsFor(this.#spec), signal);
    const neverSent = { sent: false, answered: false, stale: false };
    return { failed, reason: lastError === null ? '' : classifyFailure(lastError, neverSent).message };
  }

  /**
   * @param {StageTask} task
   * @param {AbortSignal} signal stops the stage
   * @param {StageHooks} hooks
   * @returns {Promise<WorkerOutcome>}
   */
  async runStage({ stage, load, budget, limit }, signal, hooks) {
    const groups = this.#groupsOf(stage, budget);
    const stopMeasuring = measureLoop({ now: this.#engine.clock.now });
    let loop;
    let staged;
    try {
      staged = await runStage(stage, {
        engine: this.#engine,
        load,
        budget: new Budget(groups === null ? budget : { ...budget, first: 0, objects: groups.count }),
        groups,
        kindGroups:
          stage.kinds.length === 1 ? [] : stage.kinds.map(({ operation }) => this.#groupsOf(operation, budget)),
        limit,
        signal,
        hooks,
      });
    } finally {
      loop = stopMeasuring();
    }
    return { ...staged, loops: [loop], connections: this.#takeConnections() };
  }

  /**
   * @param {{ grouping?: Grouping | null }} grouped a stage, or an operation
   * @param {StageTask['budget']} budget
   * @returns {ObjectGroups | null} null if each operation works on one object
   */
  #groupsOf({ grouping = null }, { first = 0, objects }) {
    if (grouping === null) {
      return null;
    }
    const { keyspace, shard, amounts } = this.#engine.workload;
    const { size, isByKey } = grouping;
    return new ObjectGroups({ keyspace, shard, first, objects, size: amounts[size], isByKey });
  }

  async close() {
    this.#deadlines.stop();
    await Promise.all([this.#store.close(), this.#alarm?.close()]);
    this.#agent.close();
  }

  /** @returns {ConnectionSnapshot} */
  #lookAtConnections() {
    const { opened, reused, open } = this.#agent.counts;
    return { opened: opened - this.#before.opened, reused: reused - this.#before.reused, open };
  }

  /** @returns {ConnectionRecord} */
  #takeConnections() {
    const { opened, reused } = this.#agent.counts;
    const { socketWait } = this.#agent;
    const before = this.#before;
    this.#before = { opened, reused, socketWait };
    return {
      opened: opened - before.opened,
      reused: reused - before.reused,
      socketWait: socketWait - before.socketWait,
      lookupTime: this.#agent.takeLookupTime(),
      ...this.#connectionMeter.take(),
    };
  }
}
