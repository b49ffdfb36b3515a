import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostBudget } from '../../lib/run/prices.js';
import { Budget } from '../../lib/load/budget.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { phasesOf } from '../../lib/run/begin-run.js';
import { planContext, runPlan } from '../../lib/run/run-plan.js';
import { stagesPlan } from '../../lib/run/stages-plan.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedTime } from '../helpers/simulated-time.js';
import { stageOutcome } from '../helpers/stage-outcome.js';

/**
 * @import { Session } from '../../lib/run/session.js'
 * @import { StageTask } from '../../lib/load/worker.js'
 * @import { Workers, StageOutcome } from '../../lib/load/workers.js'
 * @import { StageHooks } from '../../lib/load/run-stage.js'
 * @import { RunResult } from '../../lib/result/result.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestContext } from 'node:test'
 */

const START = 1_700_000_000_000;
const SECOND = 1000;

/**
 * What the workers do with a stage. Default: nothing, in no time.
 *
 * @typedef {(task: StageTask, hooks: StageHooks, time: SimulatedTime, signal: AbortSignal) => Partial<StageOutcome> | void | Promise<Partial<StageOutcome> | void>} Play
 */

/**
 * @param {TestContext} t
 * @param {Overrides} overrides
 * @param {Play} [play]
 * @param {AbortController} [controller]
 */
function prepare(t, overrides, play = () => {}, controller = new AbortController()) {
  const time = new SimulatedTime(t, START);
  const { clock } = time;
  /** @type {(StageTask & { at: number })[]} */
  const tasks = [];
  const { observer, events } = recordingObserver();
  const cores = {
    /** @type {Workers['runStage']} */
    async runStage(task, signal, hooks) {
      const startedAt = clock.now();
      tasks.push({ ...task, at: time.hostTime - START });
      const played = (await play(task, hooks, time, signal)) ?? {};
      const meters = task.stage.kinds.map(() => new StageMeter(clock, startedAt));
      return stageOutcome(meters, clock, { startedAt, endedAt: clock.now(), ...played });
    },
  };
  const config = runConfig(NO_TARGET, overrides);
  const phases = phasesOf(observer);
  const isShared = false;
  const costs = new CostBudget(config.schedule.maxCost);
  const opened = { clock, costs, ledger: { count: 0 }, reconciliation: { hasUnproven: false } };
  const parts = { config, run: opened, signal: controller.signal, observer, phases, isShared };
  const result = /** @type {RunResult} */ (
    /** @type {unknown} */ ({ problems: [], stages: [], cleanup: null, crash: null })
  );
  const session = (/** @type {number} */ firstStageAt) =>
    /** @type {Session} */ (
      /** @type {unknown} */ ({ ...parts, unloaded: new Map(), workers: cores, firstStageAt, result })
    );
  const run = (startsAt = clock.now()) => runPlan(...planOf(session(startsAt)));
  return { time, tasks, events, result, run, costs };
}

/**
 * @param {StageTask} task
 * @param {number} count of its objects
 */
function claim({ budget }, count) {
  const shared = new Budget(budget);
  Array.from({ length: count }, () => shared.claim());
}

/**
 * @param {Session} session
 * @returns {Parameters<typeof runPlan>}
 */
function planOf(session) {
  return [stagesPlan(planContext(session)), session];
}

/** @param {number} milliseconds */
function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

test('stages run one after the other, each over all objects once', async (t) => {
  const { time, tasks, run } = prepare(t, { objects: 50 }, async (task) => {
    claim(task, 50);
    await wait(300);
  });
  await time.until(run());
  assert.deepEqual(
    tasks.map(({ stage: { name: stage }, budget: { objects, cycles }, limit, at }) => ({
      ...{ stage, objects, cycles, limit, at },
    })),
    ['Write', 'Read', 'Stat', 'Remove'].map((stage, place) => ({
      ...{ stage, objects: 50, cycles: false, limit: null, at: place * 300 },
    })),
  );
});

test('a turn repeats requests for its minimum time, but uses each object at least once, and writes none twice', async (t) => {
  /** @type {string[]} */
  const closed = [];
  const overrides = { objects: 50, stages: ['write', 'read'], minDuration: SECOND };
  const { time, tasks, run } = prepare(t, overrides, async (task, hooks) => {
    const budget = new Budget(task.budget);
    claim(task, 50);
    for (const [done, milliseconds] of [
      [40, 1100],
      [60, 300],
    ]) {
      await wait(milliseconds);
      hooks.progress(done, /** @type {any} */ ({ moved: 0 }));
      closed.push(`${task.stage.name} ${done} ${budget.isClosed}`);
    }
  });
  await time.until(run());
  assert.deepEqual(closed, ['Write 40 false', 'Write 60 false', 'Read 40 false', 'Read 60 true']);
  assert.deepEqual(
    tasks.map(({ budget: { cycles } }) => cycles),
    [false, true],
  );
});

test('stages with a duration keep to the slots that hosts share, however long the previous stage took', async (t) => {
  /** @type {Record<string, number>} */
  const lengths = { Write: 1900, Read: 200, Stat: 1000, Remove: 10 };
  const overrides = { duration: SECOND, gap: SECOND, sharesSlots: true };
  const { time, tasks, run } = prepare(t, overrides, ({ stage }) => wait(lengths[stage.name]).then(() => {}));
  const startsAt = time.clock.now() + 500;
  await time.until(run(startsAt));
  assert.deepEqual(
    tasks.map(({ stage, at }) => [stage.name, at]),
    [
      ['Write', 500],
      ['Read', 2500],
      ['Stat', 4500],
      ['Remove', 6500],
    ],
  );
  for (const [place, { limit }] of tasks.slice(0, 3).entries()) {
    const slot = startsAt + place * 2 * SECOND;
    assert.equal(limit?.stopsAt, slot + SECOND);
    assert.ok(limit.endsAt >= limit.stopsAt && limit.endsAt <= slot + 2 * SECOND);
  }
});

for (const { gap, starts } of [
  { gap: undefined, starts: [0, 400, 2300, 3300] },
  { gap: 500, starts: [0, 900, 3300, 4800] },
]) {
  test(`on a single host, a stage begins ${gap ?? 0}ms after the previous one ended`, async (t) => {
    /** @type {Record<string, number>} */
    const lengths = { Write: 400, Read: 1900, Stat: 1000, Remove: 10 };
    const { time, tasks, run } = prepare(t, { duration: SECOND, gap }, ({ stage }) =>
      wait(lengths[stage.name]).then(() => {}),
    );
    const startsAt = time.clock.now();
    await time.until(run(startsAt));
    assert.deepEqual(
      tasks.map(({ at }) => at),
      starts,
    );
    tasks.slice(0, 3).forEach(({ limit }, place) => {
      const stopsAt = startsAt + starts[place] + SECOND;
      assert.deepEqual([limit?.stopsAt, limit?.endsAt], [stopsAt, stopsAt + (gap ?? 5000) - 100]);
    });
  });
}

test('the second in which no key may be rewritten is not part of a mixed stage’s time', async (t) => {
  const mix = [{ operation: 'write', share: 100 }];
  const load = { stages: ['write', 'mixed', 'remove'], mix, duration: SECOND, gap: undefined };
  const { time, tasks, run } = prepare(t, load, ({ stage }) =>
    wait(stage.name === 'Mixed' ? SECOND : 400).then(() => {}),
  );
  const startsAt = time.clock.now();
  await time.until(run(startsAt));
  assert.deepEqual(
    tasks.map(({ stage, at }) => [stage.name, at]),
    [
      ['Write', 0],
      ['Mixed', 400 + SECOND],
      ['Remove', 400 + 3 * SECOND],
    ],
  );
  assert.equal(tasks[1].limit?.stopsAt, startsAt + 400 + 2 * SECOND);
});

test('a timed stage cycles through its objects, but writes each once, and removes all that were claimed', async (t) => {
  const { time, tasks, events, run } = prepare(t, { objects: 1000, duration: SECOND, gap: 0 }, (task) =>
    claim(task, task.stage.name === 'Write' ? 30 : 100),
  );
  await time.until(run());
  assert.deepEqual(
    tasks.map(({ stage, budget: { objects, cycles }, limit }) => [stage.name, objects, cycles, limit !== null]),
    [
      ['Write', 1000, false, true],
      ['Read', 30, true, true],
      ['Stat', 30, true, true],
      ['Remove', 30, false, false],
    ],
  );
  assert.deepEqual(
    events.filter(([name]) => name === 'stageStarts').map(([, { stage, duration }]) => [stage, duration]),
    [
      ['Write', SECOND],
      ['Read', SECOND],
      ['Stat', SECOND],
      ['Remove', null],
    ],
  );
});

test('events in a stage are reported under its name', async (t) => {
  const operation = { bucket: 'one', key: 'k', attempts: 2 };
  const counted = { secondStart: 1, operations: 2, bytes: 3, latencies: { latency: null, histogram: null } };
  const { time, events, result, run } = prepare(t, { stages: ['read'] }, (_task, hooks) => {
    hooks.second({ ...counted, billed: [2] });
    hooks.retrying('timeout', 'wait longer', false);
    hooks.integrityError('wrong');
    hooks.failed(operation, 'lost');
    hooks.progress(7, { moved: 70, underWay: 5 });
  });
  await time.until(run());
  const plan = {
    stage: 'Read',
    objects: 20,
    threads: 4,
    buckets: 2,
    bytesPerOperation: 1000,
    duration: null,
  };
  assert.deepEqual(events, [
    ['stageStarts', plan],
    ['second', { stage: 'Read', ...counted }],
    ['retrying', 'timeout', 'wait longer', false],
    ['integrityError', 'Read', 'wrong'],
    ['failed', 'Read', operation, 'lost'],
    ['progress', 7, { moved: 70, underWay: 5 }],
    ['stage', result.stages[0]],
  ]);
});

test('an unexpected error is kept, and no further stage runs', async (t) => {
  const error = new TypeError('a bug of ours');
  const { time, tasks, result, run } = prepare(t, {}, () => ({
    end: 'fatal',
    fatal: { error, bucket: 'two', operation: 'write' },
  }));
  await time.until(run());
  assert.deepEqual([tasks.length, result.problems, result.crash], [1, [], error]);
});

test('a failure of the workers themselves is thrown, and earlier stages are kept', async (t) => {
  const error = new Error('the thread of worker 2 died');
  const { time, result, run } = prepare(t, {}, ({ stage }) => {
    if (stage.name === 'Read') {
      throw error;
    }
  });
  await assert.rejects(time.until(run()), error);
  assert.deepEqual(
    result.stages.map(({ stage }) => stage),
    ['Write'],
  );
});

test('after a stop no further stage begins, even while waiting for it', async (t) => {
  const controller = new AbortController();
  const overrides = { duration: SECOND, gap: 100 * SECOND };
  const { time, tasks, run } = prepare(t, overrides, () => {}, controller);
  const running = run();
  await time.pass(2 * SECOND);
  assert.equal(tasks.length, 1);
  controller.abort();
  await time.until(running, 1);
  assert.equal(tasks.length, 1);
});

/** @param {number} billed writes in a second */
function secondOf(billed) {
  return {
    secondStart: 1,
    operations: billed,
    bytes: 0,
    latencies: { latency: null, histogram: null },
    billed: [billed],
  };
}

test('a timed stage ends once the next second would exceed the cost limit, and no later stage runs', async (t) => {
  const options = { stages: ['write', 'read'], duration: 60 * SECOND, maxCost: 0.01 };
  /** @type {boolean[]} */
  const ended = [];
  const { time, result, run } = prepare(t, options, (_task, hooks, _time, signal) => {
    for (let second = 0; second < 2; second++) {
      hooks.second(secondOf(1000));
      ended.push(signal.aborted);
    }
    return { end: signal.aborted ? 'stopped' : 'complete' };
  });
  assert.equal(await time.until(run()), false);
  assert.deepEqual(ended, [false, true], '$0.0045 per second, of $0.01');
  assert.deepEqual(
    result.stages.map(({ stage, end }) => [stage, end]),
    [['Write', 'unpaid']],
  );
});

test('a search ends once it has spent the cost limit, also if some of its operations are free', async (t) => {
  const mix = ['write', 'remove'].map((operation) => ({ operation, share: 50 }));
  /** @type {boolean[]} */
  const ended = [];
  const { time, result, run } = prepare(t, { mix, findPeak: true, maxCost: 0.01 }, (task, hooks, _time, signal) => {
    for (let second = 0; second < 3 && task.stage.name === 'Mixed'; second++) {
      hooks.second({ ...secondOf(1000), billed: [1000, 1000] });
      ended.push(signal.aborted);
    }
    return { end: signal.aborted ? 'stopped' : 'complete' };
  });
  assert.equal(await time.until(run()), false);
  assert.deepEqual(ended, [false, false, true], '$0.0045 per second, of $0.01');
  assert.equal(result.stages.at(-1)?.end, 'unpaid');
});

test('a stage that the limit cannot pay for ends at its start, and a free one runs', async (t) => {
  const options = { stages: ['stat', 'remove'], duration: 60 * SECOND, maxCost: 0.01 };
  /** @type {string[]} */
  const begun = [];
  const { time, run, costs } = prepare(t, options, ({ stage }, _hooks, _time, signal) => {
    begun.push(`${stage.name} ${signal.aborted}`);
  });
  await time.until(run());
  costs.spendRequests(10_000);
  await time.until(run());
  assert.deepEqual(begun, ['Stat false', 'Remove false', 'Stat true', 'Remove false']);
});

test('with a mix, only the mix keeps the rate: its writes and its clean-up run at full speed', async (t) => {
  for (const mix of [[{ operation: 'read', share: 100 }], undefined]) {
    await t.test(mix === undefined ? 'without a mix' : 'with a mix', async (each) => {
      const overrides = { objects: 50, rate: 200, stages: ['write', 'remove'], ...(mix && { mix }) };
      const { time, tasks, run } = prepare(each, overrides, async (task) => {
        claim(task, 50);
        await wait(300);
      });
      await time.until(run());
      const paced = tasks.filter(({ load }) => load.pacing !== null).map(({ stage }) => stage.name);
      assert.deepEqual(paced, mix === undefined ? ['Write', 'Remove'] : ['Mixed']);
    });
  }
});
