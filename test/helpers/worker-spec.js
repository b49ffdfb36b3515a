import { budgetMemory } from '../../lib/load/budget.js';
import { DEFAULT_AMOUNTS, STAGES } from '../../lib/load/operations/registry.js';
import { WHOLE } from '../../lib/load/workload/keyspace.js';
import { ledgerMemory } from '../../lib/load/workload/ledger.js';
import { closedLoop } from './load.js';

/**
 * @import { WorkerSpec, StageTask } from '../../lib/load/worker.js'
 * @import { StageHooks } from '../../lib/load/run-stage.js'
 * @import { SecondCount } from '../../lib/result/result.js'
 * @import { TestEndpoint } from './local-s3.js'
 */

/**
 * @param {Pick<TestEndpoint, 'hostname' | 'port' | 'region' | 'credentials' | 'tls' | 'buckets'>} target
 * @param {Partial<WorkerSpec> & { objects?: number }} [overrides]
 * @returns {WorkerSpec}
 */
export function workerSpec({ hostname, port, region, credentials, tls, buckets }, { objects = 20, ...overrides } = {}) {
  return {
    threads: 4,
    client: 'direct',
    store: { buckets, hostname, port, useTls: tls !== null, region, credentials },
    keepAlive: true,
    timeout: 10_000,
    maxAttempts: 20,
    stallTimeout: 60_000,
    openLoop: false,
    layout: { runId: 'run-1', prefix: 'benchmark', buckets },
    shard: WHOLE,
    amounts: DEFAULT_AMOUNTS,
    wroteObjects: true,
    ledger: ledgerMemory(objects),
    ...overrides,
  };
}

/**
 * @param {string} name of a stage that is not mixed
 * @param {number} objects
 * @param {Partial<StageTask>} [overrides]
 * @returns {StageTask} that processes each object once
 */
export function stageTask(name, objects, overrides = {}) {
  const stage = stageNamed(name);
  const budget = { memory: budgetMemory(), objects, cycles: false };
  return { stage, load: closedLoop(), budget, limit: null, ...overrides };
}

/** @param {string} name of a stage that is not mixed */
export function stageNamed(name) {
  const stage = STAGES.find((each) => each.name === name);
  if (stage === undefined) {
    throw new RangeError(`expected the name of a stage, got ${name}`);
  }
  return stage;
}

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
    second: ({ secondStart, operations, bytes }) => seconds.push({ secondStart, operations, bytes }),
    retrying: () => (told.retries += 1),
    integrityError: (message) => integrityErrors.push(message),
    failed: ({ bucket, key, attempts }, message) => failed.push({ bucket, key, attempts, message }),
    progress: (done) => progress.push(done),
  };
  return { hooks, told };
}
