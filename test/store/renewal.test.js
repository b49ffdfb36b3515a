import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Renewal, askInTime, expiryOf } from '../../lib/store/aws/credentials.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Credentials } from '../../lib/result/config.js'
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** @param {number} expiresAt */
function keysUntil(expiresAt) {
  return { accessKeyId: `until-${expiresAt}`, secretAccessKey: 'secret', expiresAt };
}

/**
 * A renewal with its own time, which starts at 0.
 *
 * @param {TestContext} t
 * @param {number} expiresAt
 * @param {(now: number, signal: AbortSignal) => Credentials | Promise<Credentials>} answer
 */
function startRenewal(t, expiresAt, answer) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let now = 0;
  /** @type {number[]} */
  const asked = [];
  /** @type {string[]} */
  const notices = [];
  /** @type {(number | undefined)[]} */
  const replaced = [];
  const renewal = new Renewal(keysUntil(expiresAt), (signal) =>
    askInTime(async (ending) => {
      asked.push(now);
      return answer(now, ending);
    }, signal),
  );
  renewal.credentials.onReplaced((credentials) => replaced.push(credentials.expiresAt));
  renewal.start({ epochNow: () => now, notice: (message) => notices.push(message) });
  t.after(() => renewal.stop());
  return {
    renewal,
    asked,
    notices,
    replaced,
    /** @param {number} until */
    async pass(until) {
      while (now < until) {
        now += 5000;
        t.mock.timers.tick(5000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('asks from five minutes before the credentials expire, and replaces them each time', async (t) => {
  const { asked, notices, replaced, pass } = startRenewal(t, HOUR_MS, (now) => keysUntil(now + HOUR_MS));
  await pass(3 * HOUR_MS);
  assert.deepEqual(asked, [55 * MINUTE_MS, 110 * MINUTE_MS, 165 * MINUTE_MS]);
  assert.deepEqual(
    replaced,
    asked.map((moment) => moment + HOUR_MS),
  );
  assert.deepEqual(notices, []);
});

test('asks every ten seconds while the source returns the same credentials, and replaces nothing', async (t) => {
  const { asked, replaced, pass } = startRenewal(t, MINUTE_MS, () => keysUntil(MINUTE_MS));
  await pass(MINUTE_MS);
  assert.deepEqual([asked, replaced], [[10_000, 20_000, 30_000, 40_000, 50_000, 60_000], []]);
});

test('reports the first of several failures, and replaces the credentials as soon as possible', async (t) => {
  const { asked, notices, replaced, pass } = startRenewal(t, 40_000, (now) => {
    if (now < 60_000) {
      throw new Error('nobody answers');
    }
    return keysUntil(now + HOUR_MS);
  });
  await pass(90_000);
  assert.deepEqual(notices, [
    'The credentials could not be renewed (nobody answers) and expire at 1970-01-01T00:00:40.000Z: trying again',
  ]);
  assert.deepEqual([asked.length, replaced], [6, [60_000 + HOUR_MS]]);
});

test('a source that hangs is given up after 60 s, reported and asked again, and its late response is ignored', async (t) => {
  /** @type {(credentials: Credentials) => void} */
  let respond = () => assert.fail();
  /** @type {AbortSignal | undefined} */
  let first;
  const { asked, notices, replaced, pass } = startRenewal(t, MINUTE_MS, (now, signal) => {
    if (asked.length > 1) {
      return keysUntil(now + HOUR_MS);
    }
    first = signal;
    return new Promise((resolve) => {
      respond = resolve;
    });
  });
  await pass(65_000);
  assert.deepEqual([asked, notices, first?.aborted], [[10_000], [], false]);
  await pass(90_000);
  assert.equal(first?.aborted, true);
  assert.deepEqual(notices, [
    'The credentials could not be renewed (no answer within 60 s: check the source of the credentials) and expire at 1970-01-01T00:01:00.000Z: trying again',
  ]);
  respond(keysUntil(1));
  await pass(100_000);
  assert.deepEqual(asked, [10_000, 80_000]);
  assert.deepEqual(replaced, [80_000 + HOUR_MS]);
});

test('a stop ends the wait for a response, without a notice', async (t) => {
  /** @type {AbortSignal | undefined} */
  let waiting;
  const { renewal, notices, replaced, pass } = startRenewal(t, 4000, (_now, signal) => {
    waiting = signal;
    return new Promise(() => {});
  });
  await pass(10_000);
  renewal.stop();
  await pass(100_000);
  assert.deepEqual([waiting?.aborted, notices, replaced], [true, [], []]);
});

test('a signal ends the wait for credentials with its reason, also one that was aborted before', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const waiting = askInTime(() => new Promise(() => {}), controller.signal);
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(
    askInTime(() => new Promise(() => {}), controller.signal),
    reason,
  );
});

test('accepts a valid date as expiration, or none', () => {
  assert.deepEqual([expiryOf(undefined), expiryOf(new Date(5))], [{}, { expiresAt: 5 }]);
  for (const invalid of [new Date(NaN), null, 5, '2026-01-01', {}]) {
    assert.throws(() => expiryOf(invalid), {
      message: /^expected the expiration of the credentials to be a valid date$/,
    });
  }
});
