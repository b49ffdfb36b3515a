import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteCount } from '../../bench/studies/body-read/byte-count.js';
import { growthOf } from '../../bench/studies/body-read/drain-speed.js';
import { FROM_BUFFER, FROM_SOCKET } from '../../bench/studies/body-read/ways-to-read.js';
import { drawLineChart } from '../../bench/studies/chart.js';
import { DelayLine } from '../../bench/studies/distance/delay-line.js';
import { PREDICTED_FACTOR, countRoundTrips, fitRoundTrips } from '../../bench/studies/distance/round-trips.js';
import { compareMeans } from '../../bench/studies/statistics.js';
import { cases } from '../helpers/cases.js';

/**
 * @param {number} actual
 * @param {number} expected
 */
function assertClose(actual, expected) {
  assert.ok(Math.abs(actual - expected) <= 1e-6 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

for (const [place, ways] of Object.entries({ buffer: FROM_BUFFER, socket: FROM_SOCKET })) {
  for (const [way, fill] of Object.entries(ways)) {
    test(`${way} repeatedly reads everything from a ${place}`, async () => {
      for (const count of [1, 128, 3]) {
        const sink = new ByteCount();
        const pipe = await fill(Array.from({ length: count }, () => Buffer.alloc(1024)));
        await pipe.drain(sink);
        assert.equal(sink.bytes, count * 1024);
      }
    });
  }
}

test('the longest body within the limit is the last measured one, or follows from the regression line', () => {
  const speedsOf = (/** @type {number[]} */ times) =>
    times.map((time, place) => ({ chunks: 2 ** place, drains: 1000 / time, spread: 0, time, p99: time }));
  const { fixed, perChunk, limit, isExtrapolated } = growthOf(speedsOf([0.02, 0.03, 0.05]));
  assertClose(fixed, 0.01);
  assertClose(perChunk, 0.01);
  assert.deepEqual([limit, isExtrapolated], [99, true]);
  const measured = growthOf(speedsOf([0.5, 1.5, 3]));
  assert.deepEqual([measured.limit, measured.isExtrapolated], [2, false]);
});

test('a value halfway along an axis is drawn halfway, logarithmically on a logarithmic axis', () => {
  const points = /** @type {[number, number][]} */ ([
    [0, 1],
    [50, 10],
    [100, 100],
  ]);
  const svg = drawLineChart({
    title: 't',
    x: { label: 'x', isLogarithmic: false, ticks: [0, 50, 100] },
    y: { label: 'y', isLogarithmic: true, ticks: [1, 10, 100] },
    series: [{ name: 's', points }],
  });
  const centres = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const [least, middle, greatest] = centres;
  assert.equal(middle[0] - least[0], greatest[0] - middle[0]);
  assert.equal(middle[1] - least[1], greatest[1] - middle[1]);
  assert.ok(greatest[1] < least[1], 'greater values are higher');
});

test('a delay line holds the first bytes longer, and hands on everything in order and in time, whenever it is written', async () => {
  const [delay, firstBytesHold] = [10, 20];
  const writes = fc.array(fc.record({ text: fc.string({ minLength: 1 }), pause: fc.integer({ min: 0, max: 15 }) }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(writes, async (pieces) => {
      let time = 0;
      /** @type {{ due: number, callback: () => void }[]} */
      let sleepers = [];
      const wake = (/** @type {number} */ due, /** @type {() => void} */ callback) => sleepers.push({ due, callback });
      const line = new DelayLine({ delay, firstBytesHold, now: () => time, wake });
      let received = '';
      line.on('data', (chunk) => (received += chunk));
      const passTime = async (/** @type {number} */ to) => {
        time = to;
        const woken = sleepers.filter(({ due }) => due <= time);
        sleepers = sleepers.filter(({ due }) => due > time);
        woken.forEach(({ callback }) => callback());
        await new Promise(setImmediate);
      };
      /** @type {{ text: string, due: number }[]} */
      const written = [];
      for (const { text, pause } of pieces) {
        written.push({ text, due: Math.max(time + delay, delay + firstBytesHold) });
        line.write(text);
        await passTime(time + pause);
        const due = written.filter((piece) => piece.due <= time).map((piece) => piece.text);
        assert.equal(received, due.join(''));
      }
      await passTime(time + delay + firstBytesHold);
      assert.equal(received, pieces.map(({ text }) => text).join(''));
    }),
    { numRuns: cases(50) },
  );
});

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
