import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Workers } from '../../lib/load/workers.js';
import { Clock } from '../../lib/measure/clock/clock.js';
import { Ledger } from '../../lib/load/workload/ledger.js';
import { completedIn } from '../helpers/completed-seconds.js';
import { keysIn } from '../helpers/command.js';
import { workerSpec, recordingHooks, stageTask } from '../helpers/worker-spec.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { WorkerSpec } from '../../lib/load/worker.js'
 * @import { SecondCount } from '../../lib/result/result.js'
 * @import { TestContext } from 'node:test'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;

/**
 * @param {TestContext} t
 * @param {number} cores
 * @param {string} faults
 * @param {Partial<WorkerSpec> & { objects?: number }} [overrides]
 */
async function openWith(t, cores, faults, overrides = {}) {
  const endpoint = await startTestEndpoint(t, { faults });
  const spec = workerSpec(endpoint, overrides);
  const opened = await Workers.open(spec, { cores, threads: 6, clock: new Clock(), random: Math.random });
  t.after(() => opened.close());
  return { endpoint, spec, cores: opened };
}

/** @param {readonly SecondCount[]} seconds */
function totalsOf(seconds) {
  return {
    operations: seconds.reduce((sum, { operations }) => sum + operations, 0),
    bytes: seconds.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

describe('the workers of a run', { concurrency: 3 }, () => {
  test(`with three of them, the sums are exact whatever the outcome of the attempts`, TIME_LIMIT, async (t) => {
    const objects = 300;
    const faults = 'seed=3,PUT.status=503:10%,PUT.status=400:5%,GET.reset=5%,GET.corrupt=5%';
    const { endpoint, spec, cores } = await openWith(t, 3, faults, { objects, maxAttempts: 2 });
    const written = new Ledger(spec.ledger);
    for (const stage of /** @type {const} */ (['Write', 'Read'])) {
      const there = written.count;
      const { hooks, told } = recordingHooks();
      const { whole: counts, ...outcome } = await cores.runStage(stageTask(stage, objects), NEVER, hooks);
      const failedAttempts = Object.values(counts.errors).reduce((sum, each) => sum + each, 0);
      assert.equal(outcome.end, 'complete');
      assert.equal(counts.operations + counts.failed + counts.integrityErrors + counts.skipped, objects);
      assert.equal(counts.attempts, counts.operations + failedAttempts);
      assert.equal(failedAttempts, counts.retries + counts.failed + counts.integrityErrors);
      assert.deepEqual(
        [told.retries, told.failed.length, told.integrityErrors.length],
        [counts.retries, counts.failed, counts.integrityErrors],
      );
      assert.equal(new Set(told.failed.map(({ key }) => key)).size, counts.failed);
      assert.deepEqual(totalsOf(told.seconds), { operations: counts.operations, bytes: counts.bytes });
      assert.deepEqual(told.seconds, completedIn(counts.seconds));
      assert.equal(counts.latency.operations?.count, counts.operations);
      assert.equal(counts.latency.attempts?.count, counts.attempts);
      assert.ok(failedAttempts > 0, 'the faults occur');
      if (stage === 'Write') {
        assert.equal(written.count, counts.operations);
        assert.equal((await keysIn(endpoint)).length, counts.operations);
      } else {
        assert.equal(counts.skipped, objects - there);
        assert.ok(counts.integrityErrors > 0 && counts.integrityErrors === counts.errors.integrity);
      }
    }
  });

  test(
    'a stage in which nothing succeeds ends on all of them, and the next one begins on all',
    TIME_LIMIT,
    async (t) => {
      const overrides = { objects: 60, stallTimeout: 300, maxAttempts: 1e6 };
      const { cores } = await openWith(t, 3, 'PUT.status=503:100%', overrides);
      const stalled = await cores.runStage(stageTask('Write', 60), NEVER, recordingHooks().hooks);
      assert.deepEqual([stalled.end, stalled.fatal, stalled.whole.operations], ['stalled', null, 0]);
      const next = await cores.runStage(stageTask('Stat', 60), NEVER, recordingHooks().hooks);
      assert.deepEqual([next.end, next.whole.skipped], ['complete', 60]);
    },
  );
});
