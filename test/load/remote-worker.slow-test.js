import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { RemoteWorker } from '../../lib/load/workers.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { Clock } from '../../lib/measure/clock/clock.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Ledger } from '../../lib/load/workload/ledger.js';
import { keysIn } from '../helpers/command.js';
import { workerSpec, recordingHooks, stageTask } from '../helpers/worker-spec.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Worker } from 'node:worker_threads'
 * @import { WorkerSpec } from '../../lib/load/worker.js'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;
const NUMBER = 3;

/** Tolerance between two threads' readings of the system clock on a busy machine. */
const CLOCKS_AGREE_WITHIN_MS = 100;

/**
 * @param {TestContext} t
 * @param {string} faults
 * @param {Partial<WorkerSpec> & { objects?: number }} [overrides]
 */
async function open(t, faults, overrides) {
  const endpoint = await startTestEndpoint(t, { faults });
  const spec = workerSpec(endpoint, overrides);
  const clock = new Clock();
  // Node reports every started thread one tick later.
  const started = /** @type {Promise<[Worker]>} */ (once(process, 'worker'));
  const worker = new RemoteWorker(spec, clock, NUMBER, new LiveCredentials(spec.store.credentials));
  t.after(() => worker.close());
  const [thread] = await started;
  return { endpoint, spec, clock, worker, thread };
}

describe('a worker in a separate thread', { concurrency: 1 }, () => {
  test('runs the stages that it is sent, with the clock and memory of the main thread', TIME_LIMIT, async (t) => {
    const { endpoint, spec, clock, worker } = await open(t, '', { objects: 50 });
    assert.deepEqual(await worker.openConnections(NEVER), { failed: 0, reason: '' });
    const before = clock.now();
    const outcome = await worker.runStage(stageTask('Write', 50), NEVER, recordingHooks().hooks);
    const after = clock.now();
    assert.deepEqual([outcome.end, outcome.fatal, outcome.kinds[0].operations], ['complete', null, 50]);
    assert.ok(outcome.startedAt > before - CLOCKS_AGREE_WITHIN_MS && outcome.endedAt < after + CLOCKS_AGREE_WITHIN_MS);
    assert.equal(outcome.kinds[0].seconds[0].secondStart, Math.floor(clock.toEpoch(outcome.startedAt) / 1000));
    assert.equal(new Ledger(spec.ledger).count, 50);
    assert.equal((await keysIn(endpoint)).length, 50);
  });

  test('passes on the error that ended a stage', TIME_LIMIT, async (t) => {
    const { worker } = await open(t, 'PUT.status=403/AccessDenied:100%');
    const { end, fatal } = await worker.runStage(stageTask('Write', 20), NEVER, recordingHooks().hooks);
    assert.equal(end, 'fatal');
    assert.ok(fatal?.error instanceof AttemptError);
    assert.deepEqual([fatal.error.kind, fatal.error.handling, fatal.error.status], ['denied', 'stop', 403]);
  });

  test('stops the current stage on request and leaves the next one alone', TIME_LIMIT, async (t) => {
    const { worker } = await open(t, 'PUT.latency=5ms', { objects: 20 });
    const controller = new AbortController();
    const { hooks } = recordingHooks();
    // After a second cycle each of them was written once.
    const stopping = { ...hooks, progress: (/** @type {number} */ done) => done >= 40 && controller.abort() };
    const endless = { budget: { ...stageTask('Write', 20).budget, cycles: true } };
    const stopped = await worker.runStage(stageTask('Write', 20, endless), controller.signal, stopping);
    assert.equal(stopped.end, 'stopped');
    const next = await worker.runStage(stageTask('Read', 20), NEVER, hooks);
    assert.deepEqual([next.end, next.kinds[0].operations], ['complete', 20]);
  });

  test('that cannot start reports why', TIME_LIMIT, async (t) => {
    const { worker } = await open(t, '', { ledger: new SharedArrayBuffer(3) });
    await assert.rejects(worker.openConnections(NEVER), /the thread of worker 3 died: .*(multiple|length|offset)/);
  });
});
