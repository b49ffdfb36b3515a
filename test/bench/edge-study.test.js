import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chartOf } from '../../bench/studies/edge/chart-of-ways.js';
import {
  GEOGRAPHIES,
  WAYS,
  WAY_NAMES,
  findRoundTrips,
  latencyByDistance,
  legsOf,
} from '../../bench/studies/edge/geographies.js';
import { describeResult } from '../../bench/studies/edge/report.js';

/** @import { Geography, Way, WayName } from '../../bench/studies/edge/geographies.js' */

/** What the relay would count if the user sent twice on each connection. */
const TALLY = { connections: 10, flights: 20, most: 2, median: 2 };

/** @param {number} mean ms */
function latenciesAround(mean) {
  return { minimum: mean - 1, mean, p50: mean, p90: mean + 1, p99: mean + 2, maximum: mean + 3 };
}

/** @param {(name: WayName, geography: Geography) => number} latency ms */
function resultsWith(latency) {
  return GEOGRAPHIES.map((geography) => ({
    geography,
    ways: /** @type {any} */ (
      Object.fromEntries(
        WAY_NAMES.map((name) => {
          const latencies = latenciesAround(latency(name, geography));
          return [name, { Read: latencies, Write: latencies, tally: TALLY }];
        }),
      )
    ),
  }));
}

test('a cold request takes three round trips to the user’s endpoint, and one beyond it', () => {
  const expected = GEOGRAPHIES.map((geography) =>
    Object.fromEntries(WAY_NAMES.map((name) => [name, latencyByDistance(WAYS[name], geography)])),
  );
  assert.deepEqual(expected, [
    { storeKept: 65, workerKept: 65, storeCold: 195, workerCold: 75, binding: 60 },
    { storeKept: 65, workerKept: 65, storeCold: 195, workerCold: 185, binding: 5 },
    { storeKept: 5, workerKept: 10, storeCold: 15, workerCold: 20, binding: 5 },
  ]);
});

test('round trips and work are recovered from the latencies, whatever they are', () => {
  const count = fc.integer({ min: 0, max: 5 });
  const work = fc.integer({ min: 0, max: 50 });
  fc.assert(
    fc.property(fc.constantFrom(...WAY_NAMES), count, count, work, (name, first, second, rest) => {
      const counts = [first, second];
      /** @type {Way} */
      const way = WAYS[name];
      const roundTrips = Object.fromEntries(legsOf(way).map(([leg], place) => [leg, counts[place]]));
      const found = findRoundTrips(
        way,
        GEOGRAPHIES.map((geography) => ({
          geography,
          latency: latencyByDistance({ ...way, roundTrips }, geography) + rest,
        })),
      );
      for (const [leg, expected] of Object.entries(roundTrips)) {
        const trips = /** @type {Record<string, number>} */ (found.roundTrips)[leg];
        assert.ok(Math.abs(trips - expected) < 1e-9, `${leg}: ${trips}`);
      }
      assert.ok(Math.abs(found.work - rest) < 1e-9);
    }),
  );
});

test('geographies that differ in every leg do not reveal the round trips of one', () => {
  const measured = [
    { geography: { name: 'near', userToStore: 1, userToWorker: 1, workerToStore: 1 }, latency: 1 },
    { geography: { name: 'far', userToStore: 2, userToWorker: 2, workerToStore: 2 }, latency: 2 },
  ];
  assert.throws(() => findRoundTrips(WAYS.workerKept, measured), /differ in userToWorker alone/);
});

test('the result in words follows the figures', () => {
  const near = describeResult(
    resultsWith((name, geography) => latencyByDistance(WAYS[name], geography) + 1),
    'TLSv1.3',
  );
  assert.match(near, /^Read, through the Worker, cold +3 × 5 \+ 60 +75 +75\.0 +76\.0 /m);
  assert.match(near, /^Read, through the Worker, cold +3\.00 \(3\) +1\.00 \(1\) +0\.0 +1 held \+ 2$/m);
  assert.match(near, /^Worker near the user +1\.00 \(1\.00\) +0\.39 \(0\.38\) /m);
  assert.match(
    near,
    /^- Worker near the user, .* kept, 66\.0 ms .*: about the same; cold, 76\.0 ms .*: 2\.58 times as fast\.$/m,
  );
  assert.match(
    near,
    /^- all near, .* kept, 11\.0 ms .*: 1\.83 times as long; cold, 21\.0 ms .*: 1\.31 times as long\.$/m,
  );
  assert.match(near, /^- The measured round trips differ from the predicted ones by at most 0\.00\.$/m);
  assert.match(near, /Worker near the user, 305 ms instead of 325; Worker near the store, 85 ms instead of 325;/);
  const slow = describeResult(
    resultsWith((name, geography) => (name === 'workerKept' ? 4 : 1) * latencyByDistance(WAYS[name], geography)),
    'TLSv1.3',
  );
  assert.match(slow, /^- Worker near the user, .*: 4\.00 times as long; cold,/m);
  assert.match(slow, /by at most 3\.00\.$/m);
});

test('the chart has a point for each way in each geography', () => {
  const svg = chartOf(resultsWith((name, geography) => latencyByDistance(WAYS[name], geography)));
  assert.equal(svg.split('<circle ').length - 1, WAY_NAMES.length * GEOGRAPHIES.length);
});
