import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FlightCount } from '../../bench/studies/distance/flight-count.js';
import { PREDICTED_FACTOR, countRoundTrips, fitRoundTrips } from '../../bench/studies/distance/round-trips.js';

test('a connection per request is predicted to take three times as long', () => {
  assert.equal(PREDICTED_FACTOR, 3);
});

test('a flight is counted once, however many pieces it comes in', () => {
  const count = new FlightCount();
  count.clientSpoke();
  count.clientSpoke();
  count.serverSpoke();
  count.serverSpoke();
  count.clientSpoke();
  assert.equal(count.flights, 2);
});

test("the round trips of handshake and request follow from the relay's counts", () => {
  const small = fc.integer({ min: 1, max: 5 });
  const count = fc.integer({ min: 2, max: 1000 });
  fc.assert(
    fc.property(small, small, count, count, (handshake, request, requests, preflight) => {
      const most = handshake + requests * request;
      const reused = { connections: 2, flights: most + handshake + request, most, median: most };
      const each = handshake + request;
      const opened = {
        connections: requests + preflight,
        flights: (requests + preflight) * each,
        most: each,
        median: each,
      };
      const counted = countRoundTrips(reused, opened, requests);
      assert.ok(Math.abs(counted.handshake - handshake) < 1e-9);
      assert.ok(Math.abs(counted.request - request) < 1e-9);
    }),
  );
});

test('the slope over the distance gives the round trips, and the intercept the work', () => {
  const part = fc.integer({ min: 0, max: 50 });
  fc.assert(
    fc.property(part, part, (trips, work) => {
      const fit = fitRoundTrips([1, 20, 45].map((roundTrip) => [roundTrip, trips * roundTrip + work]));
      assert.ok(Math.abs(fit.roundTrips - trips) < 1e-9);
      assert.ok(Math.abs(fit.work - work) < 1e-9);
    }),
  );
});
