import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Renewal, renewalTime, retryTime } from '../../lib/aws/renewal.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Credentials } from '../../lib/model/config.js'
 */

const MINUTE_MS = 60_000;

/** @param {number} expiresAt */
function keysUntil(expiresAt) {
  return { accessKeyId: `until-${expiresAt}`, secretAccessKey: 'secret', expiresAt };
}

/**
 * A renewal with its own time, which starts at 0.
 *
 * @param {TestContext} t
 * @param {number} expiresAt
 * @param {(now: number) => Credentials | Promise<Credentials>} renew
 */
function startRenewal(t, expiresAt, renew) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  /** @type {number[]} */
  const asked = [];
  /** @type {string[]} */
  const notices = [];
  const renewal = new Renewal(keysUntil(expiresAt), async () => {
    asked.push(now);
    return renew(now);
  });
  renewal.start({ epochNow: () => now, notice: (message) => notices.push(message) });
  t.after(() => renewal.stop());
  return {
    renewal,
    asked,
    notices,
    /** @param {number} until */
    async pass(until) {
      while (now < until) {
        now += 500;
        t.mock.timers.tick(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('requests credentials five minutes before they expire, or halfway if their life is shorter than ten minutes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 13 }), fc.integer({ min: -1000, max: 10 ** 9 }), (now, left) => {
      const moment = renewalTime(now + left, now);
      assert.ok(moment >= now + 1000);
      assert.ok(moment <= Math.max(now + left, now + 1000), 'before they end');
      assert.equal(moment, now + Math.max(left > 10 * MINUTE_MS ? left - 5 * MINUTE_MS : left / 2, 1000));
    }),
  );
});

test('after a failure, retries before the credentials expire, and then every ten seconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 13 }), fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), (now, left) => {
      const pause = retryTime(now + left, now) - now;
      assert.ok(pause >= 1000 && pause <= 10_000);
      assert.ok(left <= 2000 || pause < left);
    }),
  );
});

test('replaces credentials repeatedly, each time before they expire', async (t) => {
  const hour = 60 * MINUTE_MS;
  const { renewal, asked, notices, pass } = startRenewal(t, hour, (now) => keysUntil(now + hour));
  await pass(3 * hour);
  assert.deepEqual(asked, [55 * MINUTE_MS, 110 * MINUTE_MS, 165 * MINUTE_MS]);
  assert.equal(renewal.credentials.current.expiresAt, 165 * MINUTE_MS + hour);
  assert.deepEqual(notices, []);
});

test('reports a failed renewal once, and replaces the credentials as soon as possible', async (t) => {
  const { renewal, asked, notices, pass } = startRenewal(t, 40_000, (now) => {
    if (now < 60_000) {
      throw new Error('nobody answers');
    }
    return keysUntil(now + 20 * MINUTE_MS);
  });
  await pass(90_000);
  assert.deepEqual(notices, [
    'The credentials could not be renewed (nobody answers) and expire at 1970-01-01T00:00:40.000Z: trying again',
  ]);
  assert.equal(asked[0], 20_000);
  assert.ok(asked.length > 4 && asked.length < 30, String(asked));
  assert.ok(Number(renewal.credentials.current.expiresAt) > 60_000);
});

test('replaces nothing after a stop, not even with a response in flight', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {(credentials: Credentials) => void} */
  let answer = () => {};
  const renewal = new Renewal(
    keysUntil(4000),
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  let now = 0;
  renewal.start({ epochNow: () => now, notice: assert.fail });
  now = 2000;
  t.mock.timers.tick(2000);
  t.mock.timers.tick(1);
  renewal.stop();
  answer(keysUntil(9000));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(renewal.credentials.current.expiresAt, 4000);
});

test('a renewal that hangs fails after 30 s, is reported and restarted, and its late response is ignored', async (t) => {
  const hour = 60 * MINUTE_MS;
  /** @type {(credentials: Credentials) => void} */
  let answer = () => assert.fail();
  const { renewal, asked, notices, pass } = startRenewal(t, hour, (now) =>
    asked.length > 1
      ? keysUntil(now + hour)
      : new Promise((resolve) => {
          answer = resolve;
        }),
  );
  await pass(55 * MINUTE_MS + 29_500);
  assert.deepEqual(notices, []);
  await pass(56 * MINUTE_MS);
  assert.deepEqual(notices, [
    'The credentials could not be renewed (no response within 30 s) and expire at 1970-01-01T01:00:00.000Z: trying again',
  ]);
  assert.deepEqual(asked, [55 * MINUTE_MS, 55 * MINUTE_MS + 40_000]);
  answer(keysUntil(1));
  await pass(57 * MINUTE_MS);
  assert.equal(renewal.credentials.current.expiresAt, asked[1] + hour);
});
