import { MAX_ATTEMPT_TIMEOUT_MS } from './cleanup/bucket-access.js';
import { CostBudget, proofListsOf } from './prices.js';
import { STALL_TIMEOUT_MS } from '../load/stage-watch.js';
import { Workers } from '../load/workers.js';
import { AddressBook } from '../store/http/address-book.js';
import { AttemptDeadlines } from '../store/retry.js';
import { KeepAliveAgent } from '../store/http/keep-alive-agent.js';
import { connectionHostname, isR2 } from '../store/address.js';
import { operationsOfRun, writesObjects } from '../load/operations/registry.js';
import { LiveCredentials } from '../store/live-credentials.js';
import { RequestTrace } from './preflight/request-trace.js';
import { openStore } from '../store/object-store.js';
import { Reconciliation } from './cleanup/reconciliation.js';
import { objectSizes } from '../load/workload/size-distribution.js';
import { sizesOf } from '../load/workload/trace.js';
import { Keyspace } from '../load/workload/keyspace.js';
import { mixedMemory, stateOf } from '../load/workload/mixed-objects.js';
import { Payload } from '../load/workload/payload.js';
import { Ledger, ledgerMemory } from '../load/workload/ledger.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Config } from '../result/config.js'
 * @import { RunContext } from './preflight/run-context.js'
 */

/** For preflight and the latency measurement with one thread: at least one connection for each kind of operation. */
const MIN_CONTROL_CONNECTIONS = 4;

/** This is also the number of buckets that can be checked at the same time. */
const MAX_CONTROL_CONNECTIONS = 16;

const CLOCK_CONNECTIONS = 4;

/**
 * @typedef {object} RunResources what a run holds from its start to its end
 * @property {number} indexCount number of local indices that its objects can have
 * @property {CostBudget} costs
 * @property {Ledger | null} copies null if the run makes none
 * @property {((index: number) => number) | null} sizeOf bytes of an object; null if they vary between its steps
 * @property {Reconciliation} reconciliation
 * @property {() => Promise<Workers>} openWorkers can be called once the clock is set
 * @property {() => Promise<void>} closeWorkers frees their connections, which clean-up may need
 * @property {() => Promise<void>} close
 *
 * @typedef {RunContext & RunResources} OpenRun
 */

/**
 * @param {Config} config
 * @param {object} context
 * @param {Clock} context.clock
 * @param {() => number} context.random uniform in [0, 1)
 * @param {(message: string) => void} [context.notice] reports waits
 * @param {LiveCredentials} [context.credentials] renewable credentials; default: the store's
 * @returns {Promise<OpenRun>}
 */
export async function openRun(config, context) {
  const { clock, random, notice = () => {}, credentials = new LiveCredentials(config.store.credentials) } = context;
  const { store, objects, load } = config;
  const { timeout, keepAlive, client, cores, threads } = load;
  const controlTimeout = Math.min(timeout, MAX_ATTEMPT_TIMEOUT_MS);
  const hostname = connectionHostname(store);
  const layout = layoutOf(config);
  const keyspace = new Keyspace(layout);
  const requestTrace = config.output.verboseRequest ? new RequestTrace(keyspace.absentKey) : null;
  const agent = new KeepAliveAgent({
    ...store,
    hostname,
    addresses: new AddressBook(store.proxy?.hostname ?? hostname, clock.now, store.family),
    connectTimeout: controlTimeout,
    now: clock.now,
    hooks: { opened() {}, ready: (socket) => requestTrace?.watch(socket) },
  });
  const controlConnectionCount = Math.min(
    Math.max(store.buckets.length, MIN_CONTROL_CONNECTIONS),
    MAX_CONTROL_CONNECTIONS,
  );
  const controlCount = controlConnectionCount + CLOCK_CONNECTIONS;
  const controlOptions = {
    ...store,
    credentials,
    agent,
    keepAlive,
    presigned: load.presigned,
    threads: controlCount,
    keysAreForeign: objects.existing !== undefined,
    now: clock.now,
    epochNow: clock.epochNow,
  };
  const controlStore = await openStore(client, controlOptions);
  const connections = Array.from({ length: controlCount }, (_, thread) => controlStore.openConnection(thread));
  const deadlines = new AttemptDeadlines({ timeout: controlTimeout, now: clock.now, connections });
  deadlines.start();

  const { trace } = load.replay ?? {};
  const sizesOfRun = trace === undefined ? objectSizes(objects) : sizesOf(trace, objects.shard);
  // Other searches also write smaller objects.
  const sizeOf = config.search === null || trace ? sizesOfRun : null;
  const payload = new Payload(objects.runId);
  const indexCount = indicesOf(config);
  const ledger = new Ledger(ledgerMemory(indexCount));
  const wroteObjects = writesObjects(load.stages);
  const copying = operationsOfRun(load).filter((operation) => operation.copies);
  const makesCopies = copying.length > 0;
  const copies = makesCopies ? new Ledger(ledgerMemory(indexCount)) : null;
  const copy = copying.every(({ race }) => race) ? 'raced object' : 'copy';
  // Only R2 limits the writes of a key.
  const writePause = trace === undefined || isR2(store.hostname) ? undefined : 0;
  const mixed =
    load.mix === undefined || !wroteObjects
      ? null
      : mixedMemory(indexCount, { copies: makesCopies, timeout, writePause });
  const { first: existing = 0 } = load.replay?.prepare ?? {};
  for (let object = 0; object < existing; object++) {
    ledger.add(object);
  }
  [mixed?.begun, mixed?.answered].forEach((memory) => memory && new Uint32Array(memory).fill(stateOf(0), 0, existing));
  /** @type {Workers | null} */
  let workers = null;
  const closeWorkers = async () => {
    await workers?.close();
    workers = null;
  };
  /** @type {OpenRun} */
  const run = {
    clock,
    random,
    notice,
    keyspace,
    payload,
    ledger,
    copies,
    sizeOf,
    reconciliation: new Reconciliation({ keyspace, shard: objects.shard, sizeOf, ledger, copies, copy, random }),
    listed: null,
    wroteObjects,
    amounts: load.amounts,
    indexCount,
    controlConnections: connections.slice(0, controlConnectionCount),
    clockConnections: connections.slice(controlConnectionCount),
    controlOptions,
    requests: { preflight: 0, clock: 0, probe: 0, cleanup: 0 },
    probes: new Set(),
    versioned: new Set(),
    trace: requestTrace,
    costs: new CostBudget(config.schedule.maxCost, proofListsOf(config) * (load.multipart === undefined ? 1 : 2)),
    async openWorkers() {
      const spec = {
        ...workerSpec(config),
        layout,
        ledger: ledger.memory,
        copies: copies?.memory,
        wroteObjects,
        mixed,
        trace,
        store,
        listed: run.listed?.state,
      };
      workers = await Workers.open(spec, { cores, threads, clock, random, credentials, payload });
      return workers;
    },
    closeWorkers,
    async close() {
      deadlines.stop();
      await Promise.all([closeWorkers(), controlStore.close()]);
      agent.close();
    },
  };
  return run;
}

/** The number of local indices. Existing objects need none. @param {Config} config */
function indicesOf({ objects: { count, existing }, schedule: { warmupObjects } }) {
  return existing === undefined ? count + warmupObjects : 0;
}

/**
 * In a run on existing objects, other requests (such as one for an absent key) also use the prefix of those objects:
 * the credentials might allow nothing else.
 *
 * @param {Config} config
 */
function layoutOf({ store, objects: { runId, prefix, existing = '' } }) {
  return { runId, prefix: existing === '' ? prefix : existing.replace(/\/$/, ''), buckets: store.buckets };
}

/** @param {Config} config */
function workerSpec({ store, objects: { shard }, load, search, output: { takesSnapshots } }) {
  const { client, sdkDefaults, presigned, keepAlive, timeout, retries, amounts, rate, replay, multipart } = load;
  return {
    client,
    store,
    keepAlive,
    timeout,
    sdkDefaults,
    presigned,
    // An application leaves the retries to the SDK.
    maxAttempts: sdkDefaults ? 1 : retries + 1,
    // A single attempt can take longer than STALL_TIMEOUT_MS.
    stallTimeout: Math.max(STALL_TIMEOUT_MS, 2 * timeout),
    openLoop: rate !== undefined || search?.peakOf === 'rate' || replay !== undefined,
    shard,
    amounts,
    takesSnapshots,
    multipart,
  };
}
