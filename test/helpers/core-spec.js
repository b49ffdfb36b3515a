import { budgetMemory } from '../../lib/engine/budget.js';
import { WHOLE } from '../../lib/workload/shard.js';
import { memoryFor } from '../../lib/workload/written-objects.js';
import { closedLoop } from './load.js';

/**
 * @import { CoreSpec, StageTask } from '../../lib/engine/core.js'
 * @import { StageHooks } from '../../lib/engine/run-stage.js'
 * @import { SecondCount } from '../../lib/model/result.js'
 * @import { TestEndpoint } from './local-s3.js'
 */

/**
 * What the cores of a small run are told.
 *
 * @param {Pick<TestEndpoint, 'hostname' | 'port' | 'region' | 'credentials' | 'tls' | 'buckets'>} target
 * @param {Partial<CoreSpec> & { objects?: number }} [overrides]
 * @returns {CoreSpec}
 */
export function coreSpec({ hostname, port, region, credentials, tls, buckets }, { objects = 20, ...overrides } = {}) {
  return {
    threads: 4,
    client: 'direct',
    store: { buckets, hostname, port, useTls: tls !== null, region, credentials },
    keepAlive: true,
    timeout: 10_000,
    mostAttempts: 20,
    longestDrought: 60_000,
    openLoop: false,
    layout: { runId: 'run-1', prefix: 'benchmark', buckets },
    shard: WHOLE,
    wroteObjects: true,
    written: memoryFor(objects),
    ...overrides,
  };
}

/**
 * @param {StageTask['stage']} stage
 * @param {number} objects
 * @param {Partial<StageTask>} [overrides]
 * @returns {StageTask} each object once
 */
export function stageTask(stage, objects, overrides = {}) {
  const budget = { memory: budgetMemory(), objects, goesRound: false };
  return { stage, load: closedLoop(), budget, limit: null, ...overrides };
}

/** Hooks that write down what they are told. */
export function recordingHooks() {
  /** @type {SecondCount[]} */
  const seconds = [];
  /** @type {string[]} */
  const integrityErrors = [];
  /** @type {{ bucket: string, key: string, attempts: number, message: string }[]} */
  const failed = [];
  /** @type {number[]} */
  const progress = [];
  const told = { seconds, integrityErrors, failed, progress, retries: 0 };
  /** @type {StageHooks} */
  const hooks = {
    second: ({ second, operations, bytes }) => seconds.push({ second, operations, bytes }),
    retrying: () => (told.retries += 1),
    integrityError: (message) => integrityErrors.push(message),
    failed: ({ bucket, key, attempts }, message) => failed.push({ bucket, key, attempts, message }),
    progress: (done) => progress.push(done),
  };
  return { hooks, told };
}
