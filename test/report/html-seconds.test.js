import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ratesOfStage, timeTable } from '../../lib/report/html/browser/time-charts.js';

/** @import { StageSum } from '../../lib/result/result.js' */

/**
 * @param {string} stage
 * @param {readonly number[]} seconds
 */
function stageWith(stage, seconds) {
  return /** @type {StageSum} */ (
    /** @type {unknown} */ ({
      stage,
      seconds: seconds.map((secondStart) => ({ secondStart, operations: secondStart, bytes: 2 * secondStart })),
    })
  );
}

test('stages share one axis, and no line crosses missing seconds', () => {
  const { seconds, stages } = timeTable([stageWith('Write', [10, 11, 15]), stageWith('Read', [15, 16])]);
  assert.deepEqual(seconds, [10, 11, 12, 15, 16]);
  assert.deepEqual(
    stages.map((stage) => stage.map((second) => second?.operations ?? null)),
    [
      [10, 11, null, 15, null],
      [null, null, null, 15, 16],
    ],
  );
});

/**
 * A stage on a store that does 900 ops/s, whatever hosts request.
 *
 * @param {object} times epoch s
 * @param {number} times.from
 * @param {number} times.until
 * @param {number} [times.drain] final seconds in which 10 operations complete
 * @param {object} [facts]
 */
function stageAt900({ from, until, drain = 0 }, facts = {}) {
  const first = Math.floor(from);
  const seconds = Array.from({ length: Math.ceil(until) - first }, (_, index) => {
    const [start, end] = [first + index, first + index + 1];
    const measured = Math.max(Math.min(until - drain, end) - Math.max(from, start), 0);
    const operations = Math.round(900 * measured) + (until > start && until <= end && drain > 0 ? 10 : 0);
    return { secondStart: start, operations, bytes: 100 * operations };
  });
  const times = { startedAt: 1000 * from, endedAt: 1000 * until, drain: 1000 * drain };
  const mean = { average: 900, averageBytes: 90_000 };
  return /** @type {StageSum} */ (/** @type {unknown} */ ({ stage: 'Write', seconds, ...times, ...mean, ...facts }));
}

/** @param {StageSum} stage */
function drawn(stage) {
  return [...ratesOfStage(stage)].map(([second, { operations, bytes }]) => [second, operations, bytes]);
}

test('incomplete seconds at the edges of a stage do not look like a collapse', () => {
  const whole = [11, 12, 13].map((second) => [second, 900, 90_000]);
  assert.deepEqual(drawn(stageAt900({ from: 10.6, until: 14.3 })), whole);
  assert.deepEqual(drawn(stageAt900({ from: 10.6, until: 16.5, drain: 2.2 })), whole);
});

test('three hosts that start and end apart never fall below the rate of their store', () => {
  const hosts = [
    [10.2, 14.4],
    [10.7, 15.2],
    [11.1, 15.03],
    [20.5, 22.5],
  ];
  const shares = hosts.map(([from, until]) => ({ startedAt: 1000 * from, endedAt: 1000 * until }));
  const { seconds } = stageAt900({ from: 10.2, until: 15.2 });
  const { seconds: later } = stageAt900({ from: 20.5, until: 22.5 });
  const merged = stageAt900({ from: 10.2, until: 22.5 }, { seconds: [...seconds, ...later], merge: { shares } });
  assert.deepEqual(
    drawn(merged).map(([second, operations]) => [second, operations]),
    [11, 12, 13, 14, 21].map((second) => [second, 900]),
  );
});
