import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOON, aggregateOf, idleLog } from './logs-of.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** @param {string[][]} logs one file each: a.txt, b.txt and so on */
function aggregateOfLogs(...logs) {
  return aggregateOf(Object.fromEntries(logs.map((lines, index) => [`${'abcdef'[index]}.txt`, lines])));
}

/** @param {string[][]} logs */
function apart(...logs) {
  return aggregateOfLogs(...logs).runsApart.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

const YESTERDAY = idleLog({});
const TODAY = idleLog({ run: 'b', start: NOON + DAY });

/**
 * @param {string} when
 * @param {string} [index]
 * @param {string} [host]
 */
function refusal(when, index = 'a.txt:1', host = 'host fra-1') {
  return (
    `${host} started this run ${when} after its run in ${index} ended, so adding them up is meaningless: ` +
    'give the logs of one run only, or pass --several-runs to add them up anyway'
  );
}

test("yesterday's and today's runs of a host are not one measurement, whatever the order of the logs", () => {
  assert.deepEqual(apart(YESTERDAY, TODAY), [`b.txt:1: ${refusal('23h 59m')}`]);
  assert.deepEqual(apart(TODAY, YESTERDAY), [`a.txt:1: ${refusal('23h 59m', 'b.txt:1')}`]);
});

test('a run that begins exactly when another ends is another measurement, even across midnight', () => {
  const start = Date.parse('2026-01-31T23:59:55Z');
  const [refused] = apart(idleLog({ start }), idleLog({ run: 'b', start: start + 10_000 }));
  assert.equal(refused, `b.txt:1: ${refusal('0s')}`);
});

test('concurrent processes of a host belong together, even if they overlap only in a chain', () => {
  const tiles = [0, 6000, 12_000, 18_000].map((ms) => idleLog({ run: `run-${ms}`, start: NOON + ms }));
  assert.deepEqual(apart(...tiles), []);
  assert.deepEqual(apart(idleLog({}), idleLog({ run: 'b' })), []);
  // One is still in Write when the other has finished everything: they still ran together.
  const stages = ['Write', 'Read'];
  assert.deepEqual(apart(idleLog({ stages, length: 60_000 }), idleLog({ run: 'b', stages, length: 5000 })), []);
});

test('runs of other hosts, and shards of one run on hosts of the same name, may be apart', () => {
  assert.deepEqual(apart(idleLog({}), idleLog({ host: 'fra-2', run: 'b', start: NOON + DAY })), []);
  assert.deepEqual(apart(idleLog({ shard: '0/2' }), idleLog({ shard: '1/2', start: NOON + HOUR })), []);
  assert.equal(apart(idleLog({ shard: '0/2' }), idleLog({ shard: '0/2', start: NOON + HOUR })).length, 1);
  const edge = idleLog({ run: 'b', start: NOON + HOUR, options: { client: 'edge' } });
  assert.equal(apart(idleLog({}), edge).length, 1);
});

test('all runs that are apart share one warning, each counted once', () => {
  const stages = ['Write', 'Read'];
  const days = [0, 1, 2, 3].map((day) => idleLog({ run: `day-${day}`, start: NOON + day * DAY, stages }));
  const [refused, ...others] = apart(...days);
  assert.equal(refused, `b.txt:1: ${refusal('23h 59m')} (and 2 more like it)`);
  assert.deepEqual(others, []);
});

test('runs of one host are refused if all of them have ended before another begins', () => {
  const anyRun = fc.record({
    start: fc.nat(60).map((s) => NOON + s * 1000),
    length: fc.integer({ min: 1, max: 20_000 }),
  });
  fc.assert(
    fc.property(fc.array(anyRun, { minLength: 1, maxLength: 6 }), (runs) => {
      const isApart = runs.some(({ start }) => {
        const before = runs.filter((other) => other.start < start);
        return before.length > 0 && before.every((other) => other.start + other.length <= start);
      });
      assert.equal(
        apart(...runs.map((run, index) => idleLog({ ...run, run: `run-${index}` }))).length,
        isApart ? 1 : 0,
      );
    }),
  );
});
