import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import { textWidth } from '../../lib/text/text-width.js';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { liveViewReporter, renderView } from '../../lib/report/live-view.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { ViewState } from '../../lib/report/live-view.js'
 * @import { Look } from '../../lib/result/figures/drawing.js'
 */

const MIB = 1024 ** 2;

/** @type {ViewState} */
const STATE = {
  position: 2,
  stages: 4,
  progress: {
    stage: 'Read',
    objects: 10_000,
    bytesPerOperation: 16_384,
    duration: null,
    done: 4500,
    worked: 4500,
    elapsed: 9000,
    rate: 1234.4,
    pace: 1234.4,
    byteRate: 19.3 * MIB,
  },
  rates: Array.from({ length: 70 }, (_, second) => 100 * (second % 16)),
  latency: { p50: 12.345, p99: 145.6, of: 'last 5 s' },
  errors: { failed: 0, throttled: 0, givenUp: 0 },
};

/**
 * @param {number} columns
 * @param {Partial<Look>} [others]
 * @returns {Look}
 */
function lookOf(columns, others = {}) {
  return { columns, rows: 24, isUnicode: true, hasColour: true, ...others };
}

test('the view on a terminal of 80 columns', () => {
  assert.deepEqual(renderView(STATE, lookOf(80)), [
    'Read 2/4    █████████████░░░░░░░░░░░░░░░░   45%   4,500 of 10,000       5s left',
    'ops/s           1,234     19.3 MiB/s  ▇▇█ ▁▁▂▂▃▃▄▄▅▅▆▆▇▇█ ▁▁▂▂▃▃▄▄▅▅▆▆▇▇█ ▁▁▂▂▃',
    'latency     p50 12.3 ms  p99 145.6 ms  last 5 s',
    'errors      none',
  ]);
});

test('errors are red, throttling is yellow, and nothing else has a colour', () => {
  const errors = { failed: 12, throttled: 1234, givenUp: 3 };
  assert.deepEqual(
    renderView({ ...STATE, errors }, lookOf(80))
      .at(-1)
      ?.split('\x1b'),
    ['errors      ', '[31m12 failed', '[39m, ', '[33m1,234 throttled', '[39m, ', '[31m3 given up', '[39m'],
  );
  assert.equal(
    renderView({ ...STATE, errors: { ...errors, failed: 0, givenUp: 0 } }, lookOf(80)).at(-1),
    'errors      \x1b[33m1,234 throttled\x1b[39m',
  );
  assert.equal(
    renderView({ ...STATE, errors }, lookOf(80, { hasColour: false })).at(-1),
    'errors      12 failed, 1,234 throttled, 3 given up',
  );
  assert.ok(!renderView(STATE, lookOf(80)).join('').includes('\x1b'));
});

test('no line is as wide as the terminal, whatever the figures', () => {
  const count = fc.nat({ max: 10 ** 12 });
  const state = fc.record({
    position: fc.integer({ min: 1, max: 12 }),
    stages: fc.integer({ min: 1, max: 12 }),
    progress: fc.record({
      stage: fc.constantFrom('Write', 'Read', 'A-name-of-two-and-thirty-letters'),
      objects: fc.integer({ min: 1, max: 10 ** 12 }),
      bytesPerOperation: count,
      duration: fc.option(fc.integer({ min: 1, max: 10 ** 9 })),
      done: count,
      worked: count,
      elapsed: count,
      rate: count,
      pace: count,
      byteRate: count,
    }),
    rates: fc.array(count, { maxLength: 70 }),
    latency: fc.option(fc.record({ p50: count, p99: count, of: fc.constant('last 5 s') })),
    errors: fc.record({ failed: count, throttled: count, givenUp: count }),
  });
  fc.assert(
    fc.property(state, fc.integer({ min: 20, max: 250 }), fc.boolean(), (given, columns, isUnicode) => {
      const lines = renderView(given, lookOf(columns, { isUnicode }));
      assert.equal(lines.length, 4);
      lines.forEach((line) => assert.ok(textWidth(line) < columns, line));
    }),
  );
});

/**
 * The view of a run of two stages, on a screen that records what is drawn.
 *
 * @param {TestContext} t
 * @param {Partial<Look>} [look]
 */
function openView(t, look = {}, hasView = true) {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const time = { now: 0 };
  /** @type {string[][]} */
  const drawn = [];
  /** @type {string[]} */
  const live = [];
  /** @type {string[]} */
  const lines = [];
  const screen = {
    isLive: true,
    logIsOnTerminal: true,
    look: lookOf(60, look),
    draw: (/** @type {readonly string[]} */ frame) => drawn.push([...frame]),
    live: (/** @type {string} */ text) => live.push(text),
    out: (/** @type {string} */ line) => lines.push(line),
    err() {},
  };
  const config = runConfig(NO_TARGET, { stages: ['write', 'stat'] });
  const context = { screen, config, quiet: false, logFile: null, stdoutIsTaken: false, hasView };
  const view = liveViewReporter.listen({ ...context, now: () => time.now });
  return { view, time, drawn, live, lines };
}

const PLAN = { stage: 'Write', objects: 100, threads: 4, buckets: 1, bytesPerOperation: 0, duration: null };

/** @param {readonly number[]} milliseconds */
function latenciesOf(milliseconds) {
  const histogram = new LatencyHistogram();
  milliseconds.forEach((latency) => histogram.record(latency));
  return histogram.toRecord();
}

test('a stage is drawn four times per second, however many events there are, and removed at its end', (t) => {
  const { view, time, drawn } = openView(t);
  view.stageStarts?.(PLAN);
  for (let done = 1; done <= 50; done += 1) {
    time.now += 10;
    view.progress?.(done, { moved: 0, underWay: 0 });
    mock.timers.tick(10);
  }
  assert.equal(drawn.length, 3);
  assert.equal(drawn[2][1], 'Write 1/2   ███████░░░░░░░░   50%   50 of 100       1s left');
  view.stage?.(finishedStage({ operations: [{ after: 50 }] }));
  assert.deepEqual(drawn.at(-1), []);
  mock.timers.tick(1000);
  assert.deepEqual(drawn.at(-1), []);
});

test('without a view, one line shows the stage, and is removed at its end', (t) => {
  const { view, time, drawn, live, lines } = openView(t, {}, false);
  view.stageStarts?.({ ...PLAN, operations: 200 });
  time.now = 250;
  view.progress?.(50, { moved: 0, underWay: 0 });
  mock.timers.tick(250);
  const stage = finishedStage({ operations: [{ after: 50 }] });
  view.stage?.(stage);
  view.runEnds?.({ ...END, stages: [stage] });
  assert.deepEqual(live.slice(0, 3), ['Write  0 of 200  0%  0 ops/s', 'Write  50 of 200  25%  200 ops/s  1s left', '']);
  assert.deepEqual([drawn.flat(), lines], [[], []]);
});

test('the latencies cover all operations of the last five seconds', (t) => {
  const { view, drawn } = openView(t);
  view.stageStarts?.(PLAN);
  const seconds = [[900], [1], [2], [3], [4, 4, 4], [5]];
  seconds.forEach((latencies, index) =>
    view.second?.({ stage: 'Write', secondStart: index, operations: 1, bytes: 0, latencies: latenciesOf(latencies) }),
  );
  mock.timers.tick(250);
  assert.equal(drawn.at(-1)?.[3], 'latency     p50 4.00 ms  p99 5.00 ms  last 5 s');
  assert.equal(drawn.at(-1)?.[2], 'ops/s               0  █████');
});

test('failed attempts, throttled attempts and failed operations are counted separately', (t) => {
  const { view, drawn } = openView(t);
  view.stageStarts?.(PLAN);
  view.retrying?.('server-error', '', true);
  view.retrying?.('throttled', '', true);
  view.retrying?.('timeout', 'wait longer', false);
  view.failed?.('Write', { bucket: 'a', key: 'b', attempts: 3 }, 'lost');
  view.integrityError?.('Write', 'wrong');
  mock.timers.tick(250);
  assert.match(drawn.at(-1)?.[4] ?? '', /3 failed.*2 throttled.*2 given up/);
  view.stageStarts?.({ ...PLAN, stage: 'Stat' });
  mock.timers.tick(250);
  assert.deepEqual([drawn.at(-1)?.[1].slice(0, 8), drawn.at(-1)?.[4]], ['Stat 2/2', 'errors      none']);
});

test('a search shows its steps', (t) => {
  const { view, drawn } = openView(t);
  view.stageStarts?.({ ...PLAN, duration: 30_000, search: 'threads' });
  const step = { startedAt: 0, endedAt: 1, operations: 9, seconds: 1, errors: 0, throttled: 0, failed: 0 };
  const common = { ...step, phase: /** @type {const} */ ('ramp'), objectSize: 1, eventLoopUtilization: 0, threads: 2 };
  view.stepEnds?.('Write', { ...common, operationsPerSecond: 100, p50: 20.5, p99: 22 });
  mock.timers.tick(250);
  assert.match(String(drawn.at(-1)?.[1]), / up to 30s left$/);
  assert.equal(drawn.at(-1)?.[3], 'latency     p50 20.5 ms  p99 22.0 ms  with 2 threads');
  view.stepEnds?.('Write', { ...common, rate: 90, operationsPerSecond: 90, p50: 20.5, p99: 22 });
  mock.timers.tick(250);
  assert.equal(drawn.at(-1)?.[3], 'latency     p50 20.5 ms  p99 22.0 ms  at 90/s');
});

const END = /** @type {any} */ ({ problems: [], cleanup: null, requests: null });

test('the run ends with a table and sentences, or with neither if no stage ran', (t) => {
  const { view, lines } = openView(t);
  view.runEnds?.({ ...END, stages: [] });
  assert.deepEqual(lines, []);
  view.runEnds?.({
    ...END,
    stages: [finishedStage({ operations: Array.from({ length: 10 }, () => ({ after: 50 })) })],
  });
  assert.deepEqual(lines, [
    '',
    'Stage  Ops/s                            p50     p99  Errors',
    'Write   20.0  █████████████████████  50.0ms  50.0ms       0',
    '',
    'The limit of Write is unknown: only 10 operations, too few',
    '  to show a limit; try more <objects>.',
  ]);
});
