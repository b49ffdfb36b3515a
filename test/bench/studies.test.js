import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PREDICTED_FACTOR, countRoundTrips, fitRoundTrips } from '../../bench/studies/distance/round-trips.js';
import { compareMeans } from '../../bench/studies/statistics.js';

/**
 * @param {number} actual
 * @param {number} expected
 */
function assertClose(actual, expected) {
  assert.ok(Math.abs(actual - expected) <= 1e-6 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

test("the round trips of handshake and request follow from the relay's counts", () => {
  assert.equal(PREDICTED_FACTOR, 3);
  const small = fc.integer({ min: 1, max: 5 });
  const count = fc.integer({ min: 2, max: 1000 });
  fc.assert(
    fc.property(small, small, count, count, (handshake, request, requests, preflight) => {
      const most = handshake + requests * request;
      const each = handshake + request;
      const connections = requests + preflight;
      const counted = countRoundTrips(
        { connections: 2, flights: most + each, most, median: most },
        { connections, flights: connections * each, most: each, median: each },
        requests,
      );
      assertClose(counted.handshake, handshake);
      assertClose(counted.request, request);
    }),
  );
});

test('the slope over the distance gives the round trips, and the intercept the work', () => {
  const part = fc.integer({ min: 0, max: 50 });
  fc.assert(
    fc.property(part, part, (trips, work) => {
      const fit = fitRoundTrips([1, 20, 45].map((roundTrip) => [roundTrip, trips * roundTrip + work]));
      assertClose(fit.roundTrips, trips);
      assertClose(fit.work, work);
    }),
  );
});

test("Welch's test gives what R's t.test gives for the published example, and the corrected effect size", () => {
  const one = [29.89, 29.93, 29.72, 29.98, 30.02, 29.98];
  const other = [30.02, 29.99, 30.11, 29.97, 30.01, 29.99];
  const { t, freedom, p, difference, interval } = compareMeans(one, other);
  assertClose(t, 1.959006);
  assertClose(freedom, 7.03056);
  assertClose(p, 0.09077332);
  assertClose(difference, 0.095);
  assertClose((interval[0] + interval[1]) / 2, 0.095);
  // d = 2 / 1 between these two, and the correction for 4 degrees of freedom is 1 − 3/15.
  assertClose(compareMeans([1, 2, 3], [3, 4, 5]).effect, 2 * 0.8);
});
