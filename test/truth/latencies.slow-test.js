import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureStall } from '../../bench/truth/open-loop.js';
import { OPERATIONS, measureBothSides } from '../../bench/truth/percentiles.js';
import { percentileOf, predictOpenLoop } from '../../bench/truth/predicted-latencies.js';

// The short version of `npm run truth`. A busy machine makes latencies longer, never shorter, so the test asserts lower
// bounds and distant upper ones.

/** Two histograms round, each by one part in a thousand. */
const ROUNDING = 0.998;

/** Upper bound of the client's own part of a median latency, even on a busy machine; ms. */
const FAR_MS = 100;

const STALL = Object.freeze({ from: 1000, to: 2500 });

test('the client reports what the endpoint recorded, plus a little', async () => {
  const { stages, answerTimes } = await measureBothSides({
    // The endpoint resets its counts when the client announces Write, and no write may have been answered by then.
    faults: 'PUT.latency=lognormal:600ms:0.2,GET.latency=lognormal:10ms:0.5,HEAD.latency=20ms,DELETE.latency=5ms..30ms',
    objects: 300,
    threads: 30,
    stages: 'write,read,stat,remove',
  });
  assert.equal(stages.length, 4);
  for (const { stage, attempts, latency } of stages) {
    const recorded = answerTimes[OPERATIONS[stage]];
    assert.ok(recorded, stage);
    // Between stages, a run checks the store's clock with a GET of an absent object. At the end, it removes its marker, and
    // asks for it.
    const others = recorded.count - attempts;
    const expected = stage === 'Read' ? others : Number(stage !== 'Write');
    assert.ok(others >= 0 && others === expected, `${stage}: ${others} answers more than attempts`);
    for (const kind of stage === 'Read' ? ['operations', 'attempts', 'firstByte'] : ['operations', 'attempts']) {
      for (const name of /** @type {const} */ (['p50', 'p90', 'p99', 'p999', 'maximum'])) {
        const reported = latency[kind][name];
        assert.ok(
          reported >= ROUNDING * recorded[name],
          `${stage}, ${kind}, ${name}: ${reported} ms, recorded ${recorded[name]} ms`,
        );
      }
      assert.ok(latency[kind].p50 <= recorded.p50 + FAR_MS, `${stage}, ${kind}: ${latency[kind].p50} ms`);
    }
  }
});

test('in an open loop, all arrivals during a stall wait for its end', async () => {
  const load = { operations: 700, stall: STALL, threads: 20, rate: 100 };
  const { latency } = await measureStall(load);
  const { latencies, startDelays } = predictOpenLoop({ ...load, serviceTime: 5 });
  // The stall begins at any point between two arrivals, when the first request came.
  const interval = 1000 / load.rate;
  for (const [name, share] of /** @type {const} */ ([
    ['p90', 0.9],
    ['p95', 0.95],
    ['p99', 0.99],
    ['p999', 0.999],
  ])) {
    const expected = percentileOf(latencies, share);
    assert.ok(
      latency.operations[name] >= ROUNDING * expected - interval,
      `${name}: ${latency.operations[name]}, ${expected}`,
    );
    const late = percentileOf(startDelays, share);
    assert.ok(latency.startDelay[name] >= ROUNDING * late - interval, `${name}: ${latency.startDelay[name]}, ${late}`);
  }
});

test('a closed loop shows such a stall only in its maximum', async () => {
  const { latency } = await measureStall({ operations: 2000, stall: STALL, threads: 2 });
  const half = (STALL.to - STALL.from) / 2;
  assert.ok(latency.operations.maximum >= half, `maximum ${latency.operations.maximum} ms`);
  assert.ok(latency.operations.p99 < half, `p99 ${latency.operations.p99} ms`);
  assert.equal(latency.startDelay, null);
});
