import { LONGEST_DROUGHT_MS } from '../engine/stage-watch.js';
import { ConnectionMeter } from '../meter/connection-meter.js';
import { AttemptDeadlines } from '../s3/attempt-deadlines.js';
import { KeepAliveAgent } from '../s3/keep-alive-agent.js';
import { openStore } from '../s3/object-store.js';
import { Keyspace } from '../workload/keyspace.js';
import { Payload } from '../workload/payload.js';
import { WrittenObjects } from '../workload/written-objects.js';

/**
 * What a run works with, from its start to its end.
 *
 * @typedef {object} OpenRun
 * @property {import('../engine/run-stage.js').Engine} engine
 * @property {KeepAliveAgent} agent
 * @property {ConnectionMeter} connectionMeter
 * @property {import('../s3/object-store.js').StoreOptions} storeOptions
 * @property {() => Promise<void>} close
 */

/**
 * @param {import('./run-config.js').RunConfig} config
 * @param {object} world
 * @param {import('../meter/clock.js').Clock} world.clock
 * @param {() => number} world.random uniform in [0, 1)
 * @returns {Promise<OpenRun>}
 */
export async function openRun(config, { clock, random }) {
  const { runId, prefix, size, objects, threads, timeout, keepAlive, store } = config;
  const connectionMeter = new ConnectionMeter();
  const agent = new KeepAliveAgent({
    ...store,
    connectTimeout: timeout,
    now: clock.now,
    hooks: { opened: (milliseconds) => connectionMeter.opened(milliseconds) },
  });
  const storeOptions = { ...store, agent, keepAlive, threads, epochNow: clock.epochNow };
  const objectStore = await openStore(config.client, storeOptions);
  const connections = Array.from({ length: threads }, (_, thread) => objectStore.openConnection(thread));
  const deadlines = new AttemptDeadlines({ timeout, now: clock.now, connections });
  deadlines.start();
  return {
    engine: {
      clock,
      random,
      connections,
      mostAttempts: config.retries + 1,
      // A single attempt may be given longer than the pause after which a store counts as gone.
      longestDrought: Math.max(LONGEST_DROUGHT_MS, 2 * timeout),
      workload: {
        keyspace: new Keyspace({ runId, prefix, buckets: store.buckets, objectSize: size }),
        payload: new Payload(runId),
        written: new WrittenObjects(objects),
        wroteObjects: config.stages.includes('write'),
      },
    },
    agent,
    connectionMeter,
    storeOptions,
    async close() {
      deadlines.stop();
      await objectStore.close();
      agent.close();
    },
  };
}
