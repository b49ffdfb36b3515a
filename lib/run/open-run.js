import { Cores } from '../engine/cores.js';
import { LONGEST_DROUGHT_MS } from '../engine/stage-watch.js';
import { AddressBook } from '../http/address-book.js';
import { AttemptDeadlines } from '../s3/attempt-deadlines.js';
import { KeepAliveAgent } from '../http/keep-alive-agent.js';
import { openStore } from '../s3/object-store.js';
import { Keyspace } from '../workload/keyspace.js';
import { WrittenObjects, memoryFor } from '../workload/written-objects.js';
import { WaitBudget } from '../preflight/wait-budget.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { RequestCounts } from '../model/result.js'
 * @import { RunConfig } from './run-config.js'
 * @import { ObjectConnection, StoreOptions } from '../s3/object-store.js'
 */

/** Connections for preflight and for the latency with one thread: one for each kind of operation, at least. */
const MIN_ATTENDANTS = 4;

/** More of them check more buckets at the same time. */
const MAX_ATTENDANTS = 16;

/** Connections over which the store is asked for the time. */
const CLOCK_CONNECTIONS = 4;

/**
 * What a run works with, from its start to its end.
 *
 * @typedef {object} OpenRun
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {WaitBudget} waitBudget for what is asked beside the stages
 * @property {Keyspace} keyspace
 * @property {WrittenObjects} written
 * @property {boolean} wroteObjects whether it is this run that writes the objects
 * @property {readonly ObjectConnection[]} attendants connections for what is not
 *   measured, so that the stages' own connections carry nothing else
 * @property {readonly ObjectConnection[]} clockConnections likewise, for the store's clock;
 *   once it is measured, only the last of them carries further questions
 * @property {StoreOptions} attendantOptions
 * @property {RequestCounts} requests
 * @property {Set<number>} probes indices of those that may be in the store: whoever writes one adds it before, and takes it
 *   out once it is gone
 * @property {Set<string>} versioned buckets that keep versions, as far as is known
 * @property {boolean} mayRemove whether probes can be removed again, as far as preflight has learned
 * @property {() => Promise<Cores>} openCores to be called once the clock is set
 * @property {() => Promise<void>} closeCores gives back their connections, which clean-up may have need of
 * @property {() => Promise<void>} close
 */

/**
 * @param {RunConfig} config
 * @param {object} world
 * @param {Clock} world.clock
 * @param {() => number} world.random uniform in [0, 1)
 * @param {(message: string) => void} [world.notice] tells what the run waits for
 * @returns {Promise<OpenRun>}
 */
export async function openRun(config, { clock, random, notice = () => {} }) {
  const { objects, threads, timeout, keepAlive, client, store, stages } = config;
  const agent = new KeepAliveAgent({
    ...store,
    addresses: new AddressBook(store.hostname, clock.now),
    connectTimeout: timeout,
    now: clock.now,
    hooks: { opened() {} },
  });
  const attendantCount = Math.min(Math.max(store.buckets.length, MIN_ATTENDANTS), MAX_ATTENDANTS);
  const controlCount = attendantCount + CLOCK_CONNECTIONS;
  const attendantOptions = {
    ...store,
    agent,
    keepAlive,
    threads: controlCount,
    now: clock.now,
    epochNow: clock.epochNow,
  };
  const attendantStore = await openStore(client, attendantOptions);
  const connections = Array.from({ length: controlCount }, (_, thread) => attendantStore.openConnection(thread));
  const deadlines = new AttemptDeadlines({ timeout, now: clock.now, connections });
  deadlines.start();

  const layout = layoutOf(config);
  const written = new WrittenObjects(memoryFor(objects));
  const wroteObjects = stages.includes('write');
  /** @type {Cores | null} */
  let cores = null;
  const closeCores = async () => {
    await cores?.close();
    cores = null;
  };
  return {
    clock,
    random,
    waitBudget: new WaitBudget(clock.now, notice),
    keyspace: new Keyspace(layout),
    written,
    wroteObjects,
    attendants: connections.slice(0, attendantCount),
    clockConnections: connections.slice(attendantCount),
    attendantOptions,
    requests: { preflight: 0, clock: 0, probe: 0, cleanup: 0 },
    probes: new Set(),
    versioned: new Set(),
    mayRemove: true,
    async openCores() {
      const spec = { ...coreSpec(config), layout, written: written.memory, wroteObjects };
      cores = await Cores.open(spec, { cores: config.cores, threads, clock, random });
      return cores;
    },
    closeCores,
    async close() {
      deadlines.stop();
      await Promise.all([closeCores(), attendantStore.close()]);
      agent.close();
    },
  };
}

/** @param {RunConfig} config */
function layoutOf({ runId, prefix, store }) {
  return { runId, prefix, buckets: store.buckets };
}

/** @param {RunConfig} config */
function coreSpec({ client, store, keepAlive, timeout, retries, shard, rate }) {
  return {
    client,
    store,
    keepAlive,
    timeout,
    mostAttempts: retries + 1,
    // A single attempt may be given longer than the pause after which a store counts as gone.
    longestDrought: Math.max(LONGEST_DROUGHT_MS, 2 * timeout),
    openLoop: rate !== undefined,
    shard,
  };
}
