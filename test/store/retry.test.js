import fc from 'fast-check';
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Pauses, Retrier, backoff, isThrottled } from '../../lib/store/retry.js';
import { AttemptError, classifyAnswer, classifyFailure, timeoutError } from '../../lib/store/s3-error.js';

/**
 * @import { AttemptErrorDetails } from '../../lib/store/s3-error.js'
 * @import { RetriedRequest } from '../../lib/store/retry.js'
 * @import { TestContext } from 'node:test'
 */

const MAX_ATTEMPTS = 20;
const ATTEMPT_MS = 10;

/** @param {Partial<AttemptErrorDetails>} [details] */
function transient(details = {}) {
  return new AttemptError({ kind: 'server-error', handling: 'retry', message: 'HTTP 500', status: 500, ...details });
}

/** @param {number} status */
function answer(status) {
  return classifyAnswer({ status, now: 0 });
}

/** @param {boolean} stale */
function resetBy(stale) {
  const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return classifyFailure(error, { sent: true, answered: false, stale });
}

/**
 * A retrier whose time passes only in attempts and pauses, and an operation that meets one outcome after the other, the
 * last of them for ever.
 *
 * @param {readonly (Error | null)[]} outcomes null for a success
 * @param {object} [choice]
 * @param {boolean} [choice.isWrite]
 * @param {() => number} [choice.random]
 * @param {(pause: number) => void} [choice.onPause] called while a pause lasts
 * @param {AbortController} [choice.controller]
 */
function scripted(outcomes, { isWrite = false, random = () => 0.5, onPause = () => {}, controller } = {}) {
  let now = 1000;
  const { signal } = controller ?? new AbortController();
  /** @type {number[]} */
  const pauses = [];
  /** @type {{ kind: string, latency: number, throttled: boolean }[]} */
  const failed = [];
  let retries = 0;
  const retrier = new Retrier({
    maxAttempts: MAX_ATTEMPTS,
    now: () => now,
    random,
    pauses: /** @type {any} */ ({
      /** @param {number} milliseconds */
      async wait(milliseconds) {
        pauses.push(milliseconds);
        now += milliseconds;
        onPause(milliseconds);
      },
    }),
    signal,
    hooks: {
      attemptFailed: (error, { attemptStartedAt, finishedAt }) =>
        failed.push({ kind: error.kind, latency: finishedAt - attemptStartedAt, throttled: isThrottled(error) }),
      retrying: () => (retries += 1),
    },
  });
  /** @type {RetriedRequest} */
  const operation = {
    isWrite,
    connection: { startedAt: 0, idleSince: 0 },
    attempts: 0,
    outcomeUnknown: false,
    intendedAt: 0,
    startedAt: 0,
    attemptStartedAt: 0,
    finishedAt: 0,
    async attempt() {
      assert.equal(operation.connection.startedAt, now, 'a deadline is kept for the attempt');
      now += ATTEMPT_MS;
      const outcome = outcomes[Math.min(operation.attempts, outcomes.length) - 1];
      if (outcome !== null) {
        throw outcome;
      }
    },
  };
  return {
    operation,
    pauses,
    failed,
    retrier,
    retries: () => retries,
    run: () => retrier.run(operation),
  };
}

test('whatever an operation meets, attempts are bounded and each failed one is told', async () => {
  const outcome = fc.constantFrom(transient(), answer(503), answer(404), answer(403), resetBy(true), timeoutError(1));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(outcome, fc.constant(null)), { minLength: 1, maxLength: 30 }),
      async (outcomes) => {
        const { operation, run, failed, retries } = scripted(outcomes);
        const ended = await run().then(
          () => null,
          (error) => error,
        );
        assert.ok(operation.attempts <= MAX_ATTEMPTS);
        assert.equal(failed.length, operation.attempts - Number(ended === null));
        assert.equal(retries(), operation.attempts - 1);
        const reached = outcomes[Math.min(operation.attempts, outcomes.length) - 1];
        assert.equal(ended, reached);
        assert.ok(ended === null || ended.handling !== 'retry' || operation.attempts === MAX_ATTEMPTS);
      },
    ),
  );
});

test('what is no attempt’s error, such as one of integrity, goes straight through', async () => {
  const error = new Error('the body differs');
  const { operation, run, failed, pauses } = scripted([transient(), error]);
  await assert.rejects(run(), error);
  assert.equal(operation.attempts, 2);
  assert.deepEqual(
    failed.map(({ kind }) => kind),
    ['server-error'],
  );
  assert.equal(pauses.length, 1);
  assert.ok(operation.finishedAt > operation.attemptStartedAt, 'its times are there all the same');
});

test('the times of an operation span its attempts and pauses, those of an attempt do not', async () => {
  const { operation, run, pauses, failed } = scripted([transient(), transient(), null]);
  await run();
  const waited = pauses.reduce((sum, pause) => sum + pause, 0);
  assert.equal(operation.finishedAt - operation.startedAt, 3 * ATTEMPT_MS + waited);
  assert.equal(operation.finishedAt - operation.attemptStartedAt, ATTEMPT_MS);
  assert.deepEqual(
    failed.map(({ latency }) => latency),
    [ATTEMPT_MS, ATTEMPT_MS],
  );
});

test('no deadline is kept while an operation waits, or is over', async () => {
  /** @type {number[]} */
  const startedAt = [];
  const { operation, run } = scripted([transient(), null], {
    onPause: () => startedAt.push(operation.connection.startedAt),
  });
  await run();
  assert.deepEqual(startedAt, [0]);
  assert.equal(operation.connection.startedAt, 0);
  assert.equal(operation.connection.idleSince, operation.finishedAt);
});

test('an operation starts afresh each time it is run', async () => {
  const { operation, run } = scripted([timeoutError(1), null], { isWrite: true });
  await run();
  assert.deepEqual([operation.attempts, operation.outcomeUnknown], [2, true]);
  operation.attempt = async () => {};
  await run();
  assert.deepEqual([operation.attempts, operation.outcomeUnknown], [1, false]);
});

test('what was answered with an error may have been carried out, which counts where the operation is given up', async () => {
  const throttled = scripted([answer(503), null], { isWrite: true });
  await throttled.run();
  assert.equal(throttled.operation.outcomeUnknown, false, 'it succeeded later');
  assert.ok(throttled.pauses[0] < 1000, 'and need not wait before it writes again');
  for (const outcomes of [[answer(503)], [answer(503), answer(403)], [answer(408)], [timeoutError(1), answer(403)]]) {
    const { operation, run } = scripted(outcomes, { isWrite: true });
    await assert.rejects(run());
    assert.equal(operation.outcomeUnknown, true, outcomes.map(({ message }) => message).join());
  }
  const refused = scripted([answer(403)], { isWrite: true });
  await assert.rejects(refused.run());
  assert.equal(refused.operation.outcomeUnknown, false);
});

test('each pause draws its own chance', async () => {
  const chances = [0.1, 0.9, 0.5];
  const { run, pauses } = scripted([transient(), transient(), transient(), null], {
    random: () => chances.shift() ?? 0,
  });
  await run();
  assert.deepEqual(pauses, [5, 90, 100]);
});

test('backoff is full jitter under a ceiling that doubles from 50 ms to 5 s', () => {
  const attempts = fc.integer({ min: 1, max: MAX_ATTEMPTS });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(attempts, chance, (made, drawn) => {
      const ceiling = Math.min(50 * 2 ** (made - 1), 5000);
      const pause = backoff({ attempts: made, isWrite: false, outcomeUnknown: false }, { retryAfter: 0 }, drawn);
      assert.equal(pause, drawn * ceiling);
    }),
  );
});

test('Retry-After is waited out up to 30 s, with the jitter on top', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 20 }), (retryAfter, attempts) => {
      const operation = { attempts, isWrite: false, outcomeUnknown: false };
      const [shortest, longest] = [0, 0.999].map((chance) => backoff(operation, { retryAfter }, chance));
      assert.equal(shortest, Math.min(retryAfter, 30_000));
      assert.ok(longest > shortest && longest < 30_000 + Math.max(5000, shortest / 4));
    }),
  );
});

test('a write that may have been carried out is not repeated within a second', async () => {
  const { pauses, run } = scripted([timeoutError(5), answer(503), transient({ outcomeUnknown: true }), null], {
    isWrite: true,
    random: () => 0,
  });
  await run();
  assert.deepEqual(pauses, [1000, 1000, 1000]);
});

test('a write that was refused, and a read of unknown outcome, do not wait for it', async () => {
  const refused = scripted([answer(503), null], { isWrite: true, random: () => 0 });
  await refused.run();
  const read = scripted([timeoutError(5), null], { random: () => 0 });
  await read.run();
  assert.deepEqual([refused.pauses, read.pauses], [[0], [0]]);
});

test('a stale connection is left at once, a second one in a row waits like any other fault', async () => {
  const { pauses, run, retries, operation } = scripted([resetBy(true), resetBy(true), resetBy(true), null]);
  await run();
  assert.equal(operation.attempts, 4);
  assert.equal(retries(), 3);
  assert.deepEqual(pauses, [50, 100]);
  const notStale = scripted([resetBy(false), null]);
  await notStale.run();
  assert.deepEqual(notStale.pauses, [25]);
});

test('a stop ends the backoff, and nothing is tried again', async () => {
  const controller = new AbortController();
  const error = transient();
  const { operation, run, pauses } = scripted([error], { controller, onPause: () => controller.abort() });
  await assert.rejects(run(), error);
  assert.equal(operation.attempts, 1);
  assert.equal(pauses.length, 1);
});

test('behind a stop a failed attempt does not even wait', async () => {
  const controller = new AbortController();
  controller.abort();
  const { operation, run, pauses, retries } = scripted([transient()], { controller });
  await assert.rejects(run(), AttemptError);
  assert.deepEqual([operation.attempts, pauses.length, retries()], [1, 0, 0]);
});

test('a request that stands alone is tried in the same way, and its result is handed on', async () => {
  const { retrier, pauses } = scripted([]);
  let attempts = 0;
  const request = async () => {
    attempts += 1;
    if (attempts < 3) {
      throw transient();
    }
    return 'found';
  };
  assert.equal(await retrier.call(request, { startedAt: 0, idleSince: 0 }), 'found');
  assert.equal(pauses.length, 2);
});

/** @param {TestContext} t */
function pausesWithTimers(t) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  return new Pauses();
}

/** Lets everything continue that waits for no timer. */
async function settle() {
  await new Promise((resolve) => setImmediate(resolve));
}

test('all pauses can be ended at once, and later ones are not concerned', async (t) => {
  const pauses = pausesWithTimers(t);
  const waiting = [pauses.wait(10), pauses.wait(30_000), pauses.wait(1e6)];
  pauses.endAll();
  await Promise.all(waiting);
  let over = false;
  pauses.wait(50).then(() => (over = true));
  await settle();
  assert.equal(over, false);
  mock.timers.tick(50);
  await settle();
  assert.equal(over, true);
});
