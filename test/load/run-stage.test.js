import fc from 'fast-check';
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { runStage } from '../../lib/load/run-stage.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { stageOf } from '../../lib/load/operations/stage.js';
import { cases } from '../helpers/cases.js';
import { completedIn } from '../helpers/completed-seconds.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { closedLoop } from '../helpers/load.js';
import { ManualClock } from '../helpers/manual-clock.js';

/**
 * @import { Engine, Load } from '../../lib/load/run-stage.js'
 * @import { SecondCount } from '../../lib/result/result.js'
 * @import { Stage } from '../../lib/load/operations/stage.js'
 * @import { TestContext } from 'node:test'
 * @import { FakeRequest } from '../helpers/fake-store.js'
 */

/** @typedef {'success' | 'transient' | 'throttled' | 'overload' | 'own' | 'integrity'} Outcome of an attempt */

const [write, read, remove] = ['write', 'read', 'remove'].map((name) => stageOf(operationNamed(name)));
const SIZE = 16;
const TIME_LIMIT = { timeout: 120_000 };

/**
 * @param {'retry' | 'fail' | 'stop'} handling
 * @param {string} [kind]
 */
function attemptError(handling, kind = handling) {
  return new AttemptError({ kind, handling, message: `the store says ${kind}` });
}

/**
 * @param {Stage} stage
 * @param {Engine} engine
 * @param {number} objects
 * @param {AbortSignal} [signal]
 * @param {Partial<Load>} [load]
 * @param {Budget} [budget]
 */
async function run(
  stage,
  engine,
  objects,
  signal = new AbortController().signal,
  load = {},
  budget = budgetOf(objects),
) {
  /** @type {SecondCount[]} */
  const seconds = [];
  /** @type {string[]} */
  const integrityErrors = [];
  /** @type {{ key: string, attempts: number, message: string }[]} */
  const failed = [];
  /** @type {number[]} */
  const progress = [];
  let retries = 0;
  const outcome = await runStage(stage, {
    engine,
    load: closedLoop({ size: SIZE, ...load }),
    budget,
    signal,
    hooks: {
      second: ({ secondStart, operations, bytes }) => seconds.push({ secondStart, operations, bytes }),
      retrying: () => (retries += 1),
      integrityError: (message) => integrityErrors.push(message),
      failed: ({ key, attempts }, message) => failed.push({ key, attempts, message }),
      progress: (done) => progress.push(done),
    },
  });
  const [counts] = outcome.kinds;
  return { ...outcome, counts, seconds, integrityErrors, failed, retries, progress };
}

/** @param {number} objects */
function budgetOf(objects) {
  return new Budget({ memory: budgetMemory(), objects, cycles: false });
}

/** Lets everything run that does not wait for a timer. */
async function settle() {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** @param {TestContext} t */
function mockTimers(t) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  t.after(() => mock.timers.reset());
}

/**
 * Simulates Read: the body is right, wrong, or does not come.
 *
 * @param {FakeRequest & { index: number }} request
 * @param {Outcome} outcome
 * @param {Engine} engine
 */
function answerRead({ sink, index }, outcome, engine) {
  if (outcome === 'overload') {
    throw new AttemptError({ kind: 'server-error', handling: 'retry', message: 'too much to do', isOverload: true });
  }
  if (outcome === 'transient' || outcome === 'throttled') {
    throw attemptError('retry', outcome);
  }
  if (outcome === 'own') {
    throw attemptError('fail');
  }
  const body = Buffer.from(engine.workload.payload.view(index, 0, SIZE));
  body[3] ^= Number(outcome === 'integrity');
  sink?.accept(body);
}

test('the counts of a stage are exact, whatever happens to its objects', TIME_LIMIT, async () => {
  const failures = fc.array(fc.constantFrom('transient', 'throttled', 'overload'), { maxLength: 5 });
  const end = fc.constantFrom('success', 'success', 'own', 'integrity');
  const objects = fc.array(fc.tuple(failures, end), { maxLength: 25 });
  const maxAttempts = 4;
  await fc.assert(
    fc.asyncProperty(objects, fc.integer({ min: 1, max: 6 }), async (script, threads) => {
      const attempts = script.map(() => 0);
      const engine = fakeEngine({
        threads,
        maxAttempts,
        wroteObjects: false,
        objects: script.length,
        answer: (request) => {
          const [before, last] = script[request.index];
          const outcome = before[attempts[request.index]] ?? last;
          attempts[request.index] += 1;
          answerRead(request, /** @type {Outcome} */ (outcome), engine);
        },
      });
      const { counts, seconds, integrityErrors, failed, retries, ...outcome } = await run(read, engine, script.length);
      const expected = expectedCounts(script, maxAttempts);
      assert.deepEqual(
        {
          operations: counts.operations,
          failed: counts.failed,
          integrityErrors: counts.integrityErrors,
          retries: counts.retries,
          throttled: counts.throttled,
          attempts: counts.attempts,
        },
        expected,
      );
      assert.equal(counts.bytes, expected.operations * SIZE);
      const latencies = [counts.latency.operations, counts.latency.attempts];
      assert.deepEqual(
        latencies.map((latency) => latency?.count ?? 0),
        [expected.operations, expected.attempts],
      );
      assert.equal(
        attempts.reduce((sum, made) => sum + made, 0),
        expected.attempts,
      );
      assert.equal(retries, expected.retries);
      assert.equal(integrityErrors.length, expected.integrityErrors);
      assert.equal(failed.length, expected.failed);
      assert.equal(
        Object.values(counts.errors).reduce((sum, count) => sum + count, 0),
        expected.attempts - expected.operations,
      );
      assert.deepEqual([counts.skipped, counts.abandoned, counts.unknownOutcomes], [0, 0, 0]);
      assert.equal(outcome.end, 'complete');
      assert.equal(
        seconds.reduce((sum, { operations }) => sum + operations, 0),
        expected.operations,
      );
      const counted = counts.seconds;
      assert.deepEqual(seconds, completedIn(counted));
      assert.deepEqual(
        ['failedAttempts', 'throttled'].map((name) =>
          counted.reduce((sum, second) => sum + (second[/** @type {'throttled'} */ (name)] ?? 0), 0),
        ),
        [expected.attempts - expected.operations, expected.throttled],
      );
      outcome.buckets.forEach((bucket, slot) => {
        const inBucket = script.filter((_, index) => engine.workload.keyspace.slotOf(index, 2) === slot);
        const right = expectedCounts(inBucket, maxAttempts);
        assert.deepEqual(
          [bucket.operations, bucket.latency?.count ?? 0, bucket.failed, bucket.failedAttempts, bucket.throttled],
          [
            ...[right.operations, right.operations, right.failed + right.integrityErrors],
            ...[right.attempts - right.operations, right.throttled],
          ],
        );
      });
      assert.equal(outcome.buckets.length, 2);
    }),
    { numRuns: cases(40) },
  );
});

/**
 * @param {readonly [string[], string][]} script
 * @param {number} maxAttempts
 */
function expectedCounts(script, maxAttempts) {
  const counts = { operations: 0, failed: 0, integrityErrors: 0, retries: 0, throttled: 0, attempts: 0 };
  for (const [failures, end] of script) {
    const givenUp = failures.length >= maxAttempts;
    const met = failures.slice(0, maxAttempts);
    counts.attempts += met.length + Number(!givenUp);
    counts.retries += met.length - Number(givenUp);
    counts.throttled += met.filter((outcome) => outcome !== 'transient').length;
    counts.operations += Number(!givenUp && end === 'success');
    counts.failed += Number(givenUp || end === 'own');
    counts.integrityErrors += Number(!givenUp && end === 'integrity');
  }
  return counts;
}

test('a fatal error stops the stage, and operations in flight settle', TIME_LIMIT, async () => {
  let requests = 0;
  const error = attemptError('stop', 'denied');
  const engine = fakeEngine({
    threads: 4,
    objects: 1000,
    answer: async ({ index }) => {
      requests += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (index === 5) {
        throw error;
      }
    },
  });
  const { end, fatal, counts } = await run(write, engine, 1000);
  assert.equal(end, 'fatal');
  assert.deepEqual(fatal, { error, bucket: engine.workload.keyspace.bucketOf(5), operation: 'write' });
  assert.ok(requests < 20, `${requests} requests`);
  assert.deepEqual([counts.failed, counts.operations], [1, requests - 1]);
});

test('an unexpected error also stops the stage, and is kept', TIME_LIMIT, async () => {
  const error = new TypeError('a bug of ours');
  const engine = fakeEngine({
    threads: 2,
    objects: 50,
    answer: ({ index }) => {
      if (index === 3) {
        throw error;
      }
    },
  });
  const { end, fatal, counts } = await run(write, engine, 50);
  assert.deepEqual([end, fatal?.error, counts.failed], ['fatal', error, 1]);
  assert.ok(counts.operations < 10);
});

test('an open loop with nothing due is not stalled, but one whose requests all fail is', TIME_LIMIT, async (t) => {
  mockTimers(t);
  const clock = new ManualClock(1_700_000_000_000);
  let asked = 0;
  const answer = () => (++asked === 1 ? undefined : new Promise(() => {}));
  const engine = fakeEngine({ threads: 2, objects: 3, answer, clock });
  const pacing = { rate: 0.01, arrival: /** @type {const} */ ('constant'), seed: '' };
  const ended = run(write, engine, 3, undefined, { pacing });
  const pass = async (/** @type {number} */ seconds) => {
    for (let quarter = 0; quarter < 4 * seconds; quarter++) {
      clock.advance(250);
      mock.timers.tick(250);
      await settle();
    }
  };
  await pass(99);
  assert.equal(asked, 1);
  await pass(66);
  const { end, counts } = await ended;
  assert.deepEqual([end, asked, counts.operations, counts.abandoned], ['stalled', 2, 1, 1]);
});

test('writes with an attempt of unknown outcome are counted, however they end', TIME_LIMIT, async () => {
  for (const [stage, expected] of /** @type {const} */ ([
    [write, 2],
    [remove, 0],
  ])) {
    const engine = fakeEngine({
      objects: 5,
      maxAttempts: 1,
      answer: ({ index }) => {
        if (index % 2 === 1) {
          throw new AttemptError({ kind: 'timeout', handling: 'retry', message: 'lost', outcomeUnknown: true });
        }
      },
    });
    [0, 1, 2, 3, 4].forEach((localIndex) => engine.workload.ledger.add(localIndex, 1));
    const { counts } = await run(stage, engine, 5);
    assert.deepEqual([counts.operations, counts.failed, counts.unknownOutcomes], [3, 2, expected]);
  }
});

test('the retries within a client’s requests count for every part, and in the bucket', TIME_LIMIT, async () => {
  const engine = fakeEngine({
    answer({ connection }) {
      Object.assign(connection, { innerRetries: 1 });
      connection.reply.output = { UploadId: 'upload-1', ETag: '"part"' };
    },
  });
  const multipart = { partSize: SIZE, partThreads: 1, minSize: 0 };
  const { counts, buckets } = await run(write, { ...engine, multipart, retriesInside: true }, 10);
  assert.deepEqual([counts.operations, counts.steps, counts.attempts], [10, 20, 60]);
  assert.deepEqual(counts.errors, { 'retried-by-sdk': 30 });
  assert.equal(buckets[0].failedAttempts + buckets[1].failedAttempts, 30);
});
