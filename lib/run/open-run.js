import { LONGEST_DROUGHT_MS } from '../engine/stage-watch.js';
import { ConnectionMeter } from '../meter/connection-meter.js';
import { AddressBook } from '../s3/address-book.js';
import { AttemptDeadlines } from '../s3/attempt-deadlines.js';
import { KeepAliveAgent } from '../s3/keep-alive-agent.js';
import { openStore } from '../s3/object-store.js';
import { Keyspace } from '../workload/keyspace.js';
import { Payload } from '../workload/payload.js';
import { WrittenObjects } from '../workload/written-objects.js';

/** Connections for questions beside the stages: preflight and the store's clock. */
const ATTENDANTS = 4;

/**
 * What a run works with, from its start to its end.
 *
 * @typedef {object} OpenRun
 * @property {import('../engine/run-stage.js').Engine} engine
 * @property {KeepAliveAgent} agent of the threads' connections
 * @property {ConnectionMeter} connectionMeter
 * @property {readonly import('../s3/object-store.js').ObjectConnection[]} attendants connections for what is not
 *   measured, so that the stages' own connections carry nothing else
 * @property {import('../s3/object-store.js').StoreOptions} attendantOptions
 * @property {RequestCounts} requests
 * @property {() => Promise<void>} close
 */

/**
 * Requests that are no stage's.
 *
 * @typedef {object} RequestCounts
 * @property {number} preflight
 * @property {number} clock
 * @property {number} cleanup
 */

/**
 * @param {import('./run-config.js').RunConfig} config
 * @param {object} world
 * @param {import('../meter/clock.js').Clock} world.clock
 * @param {() => number} world.random uniform in [0, 1)
 * @returns {Promise<OpenRun>}
 */
export async function openRun(config, { clock, random }) {
  const { objects, threads, timeout, keepAlive, store } = config;
  const connectionMeter = new ConnectionMeter();
  const addresses = new AddressBook(store.hostname, clock.now);
  const openAgent = (/** @type {import('../s3/keep-alive-agent.js').ConnectionHooks} */ hooks) =>
    new KeepAliveAgent({ ...store, addresses, connectTimeout: timeout, now: clock.now, hooks });
  const agent = openAgent({ opened: (milliseconds) => connectionMeter.opened(milliseconds) });
  const attendantAgent = openAgent({ opened() {} });

  const options = { ...store, keepAlive, threads, epochNow: clock.epochNow };
  const storeOptions = { ...options, agent };
  const attendantOptions = { ...options, agent: attendantAgent, threads: ATTENDANTS };
  const [objectStore, attendantStore] = await Promise.all(
    [storeOptions, attendantOptions].map((each) => openStore(config.client, each)),
  );
  const connections = Array.from({ length: threads }, (_, thread) => objectStore.openConnection(thread));
  const attendants = Array.from({ length: ATTENDANTS }, (_, thread) => attendantStore.openConnection(thread));
  const deadlines = new AttemptDeadlines({ timeout, now: clock.now, connections: [...connections, ...attendants] });
  deadlines.start();
  return {
    engine: {
      clock,
      random,
      connections,
      mostAttempts: config.retries + 1,
      // A single attempt may be given longer than the pause after which a store counts as gone.
      longestDrought: Math.max(LONGEST_DROUGHT_MS, 2 * timeout),
      workload: openWorkload(config, objects),
    },
    agent,
    connectionMeter,
    attendants,
    attendantOptions,
    requests: { preflight: 0, clock: 0, cleanup: 0 },
    async close() {
      deadlines.stop();
      await Promise.all([objectStore.close(), attendantStore.close()]);
      agent.close();
      attendantAgent.close();
    },
  };
}

/**
 * @param {import('./run-config.js').RunConfig} config
 * @param {number} objects
 * @returns {import('../stages/stage.js').Workload}
 */
function openWorkload({ runId, prefix, size, stages, shard, store }, objects) {
  return {
    keyspace: new Keyspace({ runId, prefix, buckets: store.buckets, objectSize: size }),
    payload: new Payload(runId),
    written: new WrittenObjects(objects),
    shard,
    wroteObjects: stages.includes('write'),
  };
}
