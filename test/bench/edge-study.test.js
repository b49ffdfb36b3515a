import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  GEOGRAPHIES,
  WAYS,
  WAY_NAMES,
  findRoundTrips,
  latencyByDistance,
  legsOf,
} from '../../bench/studies/edge/geographies.js';
import { describeResult } from '../../bench/studies/edge/report.js';

/** @import { Way } from '../../bench/studies/edge/geographies.js' */

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
    { geography: { name: 'near', userToWorker: 1, workerToStore: 1 }, latency: 1 },
    { geography: { name: 'far', userToWorker: 2, workerToStore: 2 }, latency: 2 },
  ];
  assert.throws(() => findRoundTrips(WAYS.kept, measured), /differ in userToWorker alone/);
});

test('the tables show each way next to its prediction', () => {
  const results = GEOGRAPHIES.map((geography) => ({
    geography,
    ways: /** @type {any} */ (
      Object.fromEntries(
        WAY_NAMES.map((name) => {
          const mean = latencyByDistance(WAYS[name], geography) + 1;
          const latencies = { minimum: mean - 1, mean, p50: mean, p90: mean + 1, p99: mean + 2, maximum: mean + 3 };
          return [name, { Read: latencies, Write: latencies }];
        }),
      )
    ),
  }));
  const text = describeResult(results, 'TLSv1.3');
  assert.match(text, /^Read, through the Worker, cold +75 +75\.0 +76\.0 /m);
  assert.match(text, /^Read, through the Worker, cold +3\.00 \(3\) +1\.00 \(1\) +0\.0$/m);
  assert.match(text, /^Read, the binding alone +1\.00 \(1\) +0\.0$/m);
  assert.match(text, /^The measured round trips differ from the predicted ones by at most 0\.00\.$/m);
});
