import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPart } from '../../bench/storm/checks.js';
import { readLoad } from '../../bench/storm/load.js';
import { trendOf } from '../../bench/storm/memory-samples.js';
import { readResult } from '../../bench/storm/part.js';

const OBJECTS = 10;
const METHODS = /** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE']);

/** A part in which one attempt of each stage met an injected reset, and one came on a closed connection. */
function wholePart() {
  const stages = ['Write', 'Read', 'Stat', 'Remove'].map((stage) => ({
    ...{ stage, operations: OBJECTS, attempts: OBJECTS + 2, retries: 2, unsent: 0, failed: 0, integrityErrors: 0 },
    ...{ skipped: 0, abandoned: 0, errors: { connection: 1, 'stale-connection': 1 } },
  }));
  const requests = Object.fromEntries(METHODS.map((method) => [method, { total: OBJECTS + 1, succeeded: OBJECTS }]));
  return {
    result: { stages, requests: { preflight: 0, clock: 0, cleanup: 0 } },
    seen: { requests, faults: { reset: 4 }, objects: { 'storm-a': 0, 'storm-b': 0 }, uploads: { 'storm-a': 0 } },
    status: 0,
    stderr: '',
    log: { bytes: 1000, retryLines: 4, seconds: 4 },
    memory: { peak: 100, slope: 1, growth: 1 },
    duration: 1000,
  };
}

/** @param {(part: ReturnType<typeof wholePart>) => void} damage */
function brokenClaims(damage) {
  const part = wholePart();
  damage(part);
  return checkPart(part, OBJECTS).filter(({ holds }) => !holds);
}

test('a part passes if every count agrees', () => {
  assert.deepEqual(
    brokenClaims(() => {}),
    [],
  );
});

/** @type {Record<string, (part: ReturnType<typeof wholePart>) => void>} */
const DAMAGES = {
  'a status': (part) => (part.status = 1),
  'a lost operation': ({ result }) => (result.stages[1].operations -= 1),
  'an attempt that was not counted': ({ result }) => (result.stages[2].attempts -= 1),
  'an attempt that was made up': ({ seen }) => (seen.requests.GET.total -= 1),
  'a success that the endpoint did not see': ({ seen }) => (seen.requests.PUT.succeeded -= 1),
  'memory that grows': ({ memory }) => (memory.growth = 31),
  'a log that is flooded': ({ log }) => (log.retryLines = 17),
  'an object that is left': ({ seen }) => (seen.objects['storm-b'] = 1),
};

for (const [what, damage] of Object.entries(DAMAGES)) {
  test(`${what} does not pass`, () => {
    assert.ok(brokenClaims(damage).length > 0);
  });
}

test('memory growth is measured only after the warm-up', () => {
  const samples = /** @type {[number, number][]} */ (
    Array.from({ length: 100 }, (_, place) => [place, place < 20 ? place * 10 : 200])
  );
  assert.deepEqual(trendOf(samples), { peak: 200, slope: 0, growth: 0 });
  const leaking = /** @type {[number, number][]} */ (Array.from({ length: 100 }, (_, index) => [index, index]));
  const trend = trendOf(leaking);
  assert.ok(trend !== null && Math.abs(trend.slope - 60) < 1e-6 && trend.growth > 40);
  assert.equal(trendOf(samples.slice(0, 5)), null);
});

test('a load is a whole number of parts with an object each, and at least one', () => {
  assert.deepEqual(readLoad([]), { objects: 62_500, parts: 4, client: 'direct' });
  assert.deepEqual(readLoad(['80', '2', 'sdk']), { objects: 10, parts: 2, client: 'sdk' });
  for (const given of [['0'], ['80', '0'], ['80', '-2'], ['80', '1.5'], ['80', 'x'], ['x'], ['80', '2', 'other']]) {
    assert.throws(() => readLoad(given), { name: 'RangeError', message: /^expected \[operations\]/ }, given.join(' '));
  }
});

test('a run without a result is reported with its status and its output', () => {
  assert.throws(() => readResult('/nowhere/result.json', 2, 'error: no such bucket'), {
    message: /ended with status 2: error: no such bucket$/,
  });
});
