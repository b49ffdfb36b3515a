import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { StageWatch } from '../../lib/load/stage-watch.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';

/**
 * @import { TimeLimit } from '../../lib/load/stage-watch.js'
 * @import { AttemptError } from '../../lib/store/s3-error.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @param {TestContext} t
 * @param {readonly number[]} [startedAt] of the attempt on each connection
 * @param {TimeLimit | null} [limit]
 */
function startWatch(t, startedAt = [], limit = null) {
  const clock = new ManualClock(1_700_000_000_000);
  const meter = new StageMeter(clock, clock.now());
  const controller = new AbortController();
  /** @type {{ index: number, kind: string, outcomeUnknown: boolean }[]} */
  const aborted = [];
  let stops = 0;
  let timesUp = 0;
  const elsewhere = { lastSuccessAt: 0, backlog: 0, isIdle: false, isClosed: false };
  const connections = startedAt.map((started, index) => ({
    startedAt: started,
    /** @param {AttemptError} error */
    abort: ({ kind, outcomeUnknown }) => aborted.push({ index, kind, outcomeUnknown }),
  }));
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  t.after(() => mock.timers.reset());
  const watch = new StageWatch({
    clock,
    meters: meter,
    connections: /** @type {any} */ (connections),
    stallTimeout: 60_000,
    signal: controller.signal,
    budget: {
      shareSuccess: (lastSuccessAt) => Math.max(lastSuccessAt, elsewhere.lastSuccessAt),
      get isClosed() {
        return elsewhere.isClosed;
      },
    },
    limit,
    backlog: () => elsewhere.backlog,
    wasIdle: () => elsewhere.isIdle,
    onTimeUp: () => (timesUp += 1),
    onStop: () => (stops += 1),
  });
  return {
    watch,
    elsewhere,
    meter,
    clock,
    controller,
    aborted,
    stops: () => stops,
    timesUp: () => timesUp,
    /** @param {number} milliseconds */
    pass(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += 250) {
        clock.advance(250);
        mock.timers.tick(250);
      }
    },
  };
}

test('a stop request ends the stage', (t) => {
  const { watch, controller, stops } = startWatch(t);
  watch.start();
  controller.abort();
  assert.deepEqual([watch.end, watch.stopped.aborted, stops()], ['stopped', true, 1]);
});

test('a stage ends after a minute without a success, and not before', (t) => {
  const { watch, pass, stops } = startWatch(t);
  watch.start();
  pass(59_750);
  assert.equal(stops(), 0);
  pass(250);
  assert.deepEqual([watch.end, stops()], ['stalled', 1]);
});

test('a success restarts the minute', (t) => {
  const { watch, meter, clock, pass, stops } = startWatch(t);
  watch.start();
  pass(50_000);
  meter.succeeded({ startedAt: clock.now(), attemptStartedAt: clock.now(), finishedAt: clock.now() }, 1);
  pass(59_750);
  assert.equal(stops(), 0);
  pass(250);
  assert.equal(watch.end, 'stalled');
});

test('time without a success before the stage began counts towards the minute', (t) => {
  const limit = { stopsAt: 200_000, endsAt: 210_000, noSuccessSince: 0 };
  const { watch, clock, pass, stops } = startWatch(t, [], limit);
  clock.advance(50_000);
  limit.noSuccessSince = clock.now() - 40_000;
  watch.start();
  pass(19_750);
  assert.equal(stops(), 0);
  pass(250);
  assert.deepEqual([watch.end, stops()], ['stalled', 1]);
});

test('time with nothing in flight does not count as time without a success', (t) => {
  const { watch, elsewhere, meter, clock, pass, stops } = startWatch(t);
  watch.start();
  elsewhere.isIdle = true;
  pass(200_000);
  elsewhere.isIdle = false;
  pass(30_000);
  meter.succeeded({ startedAt: clock.now(), attemptStartedAt: clock.now(), finishedAt: clock.now() }, 1);
  pass(30_000);
  elsewhere.isIdle = true;
  pass(200_000);
  elsewhere.isIdle = false;
  pass(29_750);
  assert.equal(stops(), 0);
  pass(250);
  assert.deepEqual([watch.end, stops()], ['stalled', 1]);
});

test('the first reason to end and the first fatal error count', (t) => {
  const { watch, controller, stops } = startWatch(t);
  watch.start();
  const first = { error: new Error('first'), operation: 'write', bucket: 'one' };
  watch.fail(first);
  watch.fail({ error: new Error('second'), operation: 'write', bucket: 'two' });
  controller.abort();
  assert.deepEqual([watch.end, watch.fatal, stops()], ['fatal', first, 1]);
});

test('operations in flight have five seconds to settle, and are then abandoned with an unknown outcome', (t) => {
  const { watch, controller, aborted, pass } = startWatch(t, [1000, 0, 1000]);
  watch.start();
  controller.abort();
  pass(4750);
  assert.equal(aborted.length, 0);
  pass(250);
  assert.deepEqual(
    aborted,
    [0, 2].map((index) => ({ index, kind: 'abandoned', outcomeUnknown: true })),
  );
});

test('at its time limit a stage starts nothing more, and later aborts operations in flight', (t) => {
  // The clock of these tests begins at 1000 ms.
  const { watch, aborted, pass, stops, timesUp } = startWatch(t, [1000], { stopsAt: 3000, endsAt: 3500 });
  watch.start();
  pass(1750);
  assert.equal(timesUp(), 0);
  pass(250);
  assert.deepEqual([timesUp(), stops(), watch.stopped.aborted, aborted.length], [1, 0, false, 0]);
  pass(500);
  assert.deepEqual([timesUp(), stops(), watch.stopped.aborted, aborted.length], [1, 1, true, 1]);
  assert.equal(watch.end, 'complete');
});

test('an open loop whose operations start more than 10 s late is overloaded', (t) => {
  const { watch, elsewhere, pass, stops } = startWatch(t);
  watch.start();
  elsewhere.backlog = 10_000;
  pass(500);
  assert.equal(stops(), 0);
  elsewhere.backlog = 10_001;
  pass(500);
  assert.deepEqual([stops(), watch.end], [1, 'overloaded']);
  watch.stop();
});
