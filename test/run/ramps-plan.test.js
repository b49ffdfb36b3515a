import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitStatus } from '../../lib/cli/closing-messages.js';
import { EXIT } from '../../lib/cli/exit-status.js';
import { CostBudget } from '../../lib/run/prices.js';
import { Budget } from '../../lib/load/budget.js';
import { STALL_TIMEOUT_MS } from '../../lib/load/stage-watch.js';
import { mergeRamps } from '../../lib/result/merge/ramp.js';
import { bucketMeters } from '../../lib/measure/part-meter.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { ABANDONED } from '../../lib/result/counters.js';
import { phasesOf } from '../../lib/run/begin-run.js';
import { RunLog } from '../../lib/result/log/run-log.js';
import { rowOfStage } from '../../lib/result/figures/stage-table.js';
import { runFacts } from '../../lib/run/benchmark-run.js';
import { rampSteps, stepsPlan } from '../../lib/run/steps-plan.js';
import { planContext, runPlan } from '../../lib/run/run-plan.js';
import { NO_CONNECTIONS, stageOutcome } from '../helpers/stage-outcome.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedTime } from '../helpers/simulated-time.js';
import { aggregateOf, warningsOf } from '../result/logs-of.js';
import { ALL_TIME } from '../helpers/manual-clock.js';

/**
 * @import { Session } from '../../lib/run/session.js'
 * @import { StopRequest } from '../../lib/cli/stop-request.js'
 * @import { StageHooks } from '../../lib/load/run-stage.js'
 * @import { TimeLimit } from '../../lib/load/stage-watch.js'
 * @import { StageTask } from '../../lib/load/worker.js'
 * @import { RampStep, RunResult } from '../../lib/result/result.js'
 * @import { RampPlan, Config } from '../../lib/result/config.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestContext } from 'node:test'
 */

const START = 1_700_000_000_000;
const FIRST = START / 1000;

const NOT_ASKED = /** @type {StopRequest} */ (/** @type {unknown} */ ({ status: null }));

const RATE = 10;

/**
 * Runs ramps over workers whose threads take a tenth of a second per operation.
 *
 * @param {TestContext} t
 * @param {Overrides & { ramp: RampPlan }} overrides
 * @param {object} [options]
 * @param {AbortController} [options.controller]
 * @param {number} [options.overrun] ms by which a step overruns
 * @param {number} [options.frozenFrom] ms after the start at which the store stops answering
 * @param {boolean} [options.hasWritten] whether the objects of Write exist afterwards
 */
function prepare(
  t,
  overrides,
  { controller = new AbortController(), overrun = 0, frozenFrom = Infinity, hasWritten = true } = {},
) {
  const time = new SimulatedTime(t, START);
  const { clock } = time;
  /** @type {(StageTask & { at: number })[]} */
  const tasks = [];
  const { observer, events } = recordingObserver();
  const workers = {
    /**
     * @param {StageTask} task
     * @param {AbortSignal} _signal
     * @param {StageHooks} hooks
     */
    async runStage(task, _signal, hooks) {
      const startedAt = clock.now();
      tasks.push({ ...task, at: (clock.toEpoch(startedAt) - START) / 1000 });
      const { stopsAt, endsAt, noSuccessSince } = /** @type {Required<TimeLimit>} */ (task.limit);
      const meter = new StageMeter(clock, startedAt);
      const { buckets } = config.store;
      const meters = bucketMeters(buckets.length, ALL_TIME);
      const budget = new Budget(task.budget);
      let hasRunOut = false;
      let isStalled = false;
      const isFrozen = () => clock.epochNow() - START >= frozenFrom;
      const isOver = () => hasRunOut || isStalled || controller.signal.aborted;
      while (clock.now() < (isFrozen() ? endsAt : stopsAt) && !isOver()) {
        await new Promise((resolve) => setTimeout(resolve, 1000 / RATE));
        if (isFrozen()) {
          const since = meter.operations === 0 ? noSuccessSince : meter.lastSuccessAt;
          isStalled = clock.now() - since >= STALL_TIMEOUT_MS;
          continue;
        }
        for (let thread = 0; thread < task.load.threads && !hasRunOut; thread++) {
          hasRunOut = budget.claim() < 0;
          const at = clock.now() - 1000 / RATE;
          if (!hasRunOut) {
            const times = { startedAt: at, attemptStartedAt: at, finishedAt: clock.now() };
            meter.succeeded(times, 1);
            meters?.[thread % buckets.length].succeeded(times, 1);
          }
        }
      }
      for (let thread = 0; thread < task.load.threads && isFrozen(); thread++) {
        meter.attemptFailed(ABANDONED, 1000, clock.now());
        meter.abandoned += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, overrun));
      for (const second of meter.seconds.until(clock.now())) {
        hooks.second({ ...second, billed: [second.operations], latencies: { latency: null, histogram: null } });
      }
      return stageOutcome([meter], clock, {
        end: isStalled ? 'stalled' : controller.signal.aborted ? 'stopped' : 'complete',
        startedAt,
        endedAt: clock.now(),
        ...(meters && { buckets: meters.map((each, slot) => ({ bucket: buckets[slot], ...each.toRecord() })) }),
        connections: { ...NO_CONNECTIONS, opened: 1, lookupTime: tasks.length === 1 ? 7 : null },
      });
    },
  };
  const config = runConfig(NO_TARGET, { objects: 100_000, threads: 8, ...overrides });
  const phases = phasesOf(observer);
  const running = {
    ...{
      config,
      run: {
        clock,
        ledger: { has: () => hasWritten },
        reconciliation: { hasUnproven: false },
        costs: new CostBudget(),
      },
      signal: controller.signal,
      observer,
      phases,
    },
    ...{ isShared: false, unloaded: new Map() },
  };
  const result = /** @type {RunResult} */ (
    /** @type {unknown} */ ({ problems: [], isTransient: false, stages: [], cleanup: null, crash: null })
  );
  const run = (startsAt = clock.now()) => {
    const given = { ...running, workers, firstStageAt: startsAt, result };
    const session = /** @type {Session} */ (/** @type {unknown} */ (given));
    return runPlan(stepsPlan(planContext(session), rampSteps), session);
  };
  const steps = () =>
    events.filter(([name]) => name === 'stepEnds').map(([, , step]) => /** @type {RampStep} */ (step));
  return { time, tasks, result, run, steps, events, config, controller };
}

/**
 * @param {ReturnType<typeof recordingObserver>['events']} events
 * @param {Config} config
 * @returns {string[]} the log lines for them
 */
function logOf(events, config) {
  /** @type {string[]} */
  const lines = [];
  const write = (/** @type {string} */ line) => lines.push(line);
  const log = /** @type {any} */ (new RunLog({ writeLine: write, writeMachineLine: write }));
  log.runStarts(runFacts({ config, host: 'fra-1', startedAt: START, clock: null, versions: {} }));
  for (const [name, ...parameters] of events) {
    log[name]?.(...parameters);
  }
  return lines;
}

/** @param {readonly number[]} threads @returns {RampPlan} */
function planOf(threads) {
  return { threads, stepTime: 5000 };
}

test('each step has its threads in its slot and counts the whole seconds in which it is settled', async (t) => {
  const { time, tasks, run, result, steps } = prepare(t, {
    stages: ['write', 'read'],
    gap: 2000,
    ramp: planOf([2, 4, 8]),
  });
  await time.until(run());
  assert.deepEqual(
    tasks.map(({ at, load, budget, stage }) => [stage.name, at, load.threads, budget.cycles]),
    [
      ...[0, 5, 10].map((at, place) => ['Write', at, 2 ** (place + 1), false]),
      ...[17, 22, 27].map((at, place) => ['Read', at, 2 ** (place + 1), true]),
    ],
  );
  assert.deepEqual(
    steps().map(({ slotStart, secondStart, threads, shortfall }) => [
      slotStart - FIRST,
      secondStart - FIRST,
      threads,
      shortfall,
    ]),
    [0, 5, 10, 17, 22, 27].map((at, place) => [at, at + 1, [2, 4, 8][place % 3], null]),
  );
  for (const { operations, threads } of steps()) {
    assert.equal(operations.length, 3);
    const sum = operations.reduce((total, count) => total + count, 0);
    assert.ok(Math.abs(sum - 3 * RATE * threads) <= threads, `${operations}`);
  }
  for (const { ramp, operations, seconds, connections, buckets } of result.stages) {
    assert.equal(ramp?.steps.length, 3);
    assert.deepEqual(
      buckets.map((bucket) => [bucket.bucket, bucket.operations]),
      ['one', 'two'].map((bucket) => [bucket, operations / 2]),
    );
    assert.equal(
      seconds.reduce((sum, each) => sum + each.operations, 0),
      operations,
    );
    assert.equal(connections.opened, 3);
  }
  assert.deepEqual(
    result.stages.map(({ connections }) => connections.lookupTime),
    [7, null],
    'the first step looked the name up for all',
  );
});

for (const seconds of [4, 12]) {
  test(`the log has a line for each second of a stage with steps of ${seconds} s, as the result has`, async (t) => {
    const ramp = { ...planOf([2, 4, 8]), stepTime: 1000 * seconds };
    const { time, run, result, events, config } = prepare(t, { stages: ['write'], ramp });
    await time.until(run(), 200_000);
    const log = aggregateOf({ log: logOf(events, config) });
    // Only the log of a whole run has an end.
    assert.deepEqual(
      warningsOf(log).filter((warning) => !warning.includes('the run did not end')),
      [],
    );
    const [stage] = result.stages;
    const [write] = log.merged.result.stages;
    const ofLog = [...write.seconds].map(({ secondStart, operations }) => [secondStart, operations]);
    assert.deepEqual(
      ofLog,
      stage.seconds.map(({ secondStart, operations }) => [secondStart, operations]),
    );
    assert.ok(seconds === 4 || ofLog.some(([, operations]) => operations === 0));
    assert.equal(log.stages[0].operations, stage.operations);
  });
}

test('the steps are shown as they end, and the stage as its fastest step, not as a mean', async (t) => {
  const { time, run, result, events, config } = prepare(t, { stages: ['write'], ramp: planOf([2, 4, 8]) });
  await time.until(run());
  const rows = logOf(events, config).filter((line) => /^Write +\d/.test(line));
  const [stage] = result.stages;
  const shown = [2, 4, 8].map((threads) => [String(threads), 'slot']);
  assert.deepEqual(
    rows.map((row) => row.split(/ +/)).map((cells) => [cells[1], cells.at(-1)]),
    shown,
  );
  const rates = rows.map((row) => Number(row.split(/ +/)[2]));
  assert.ok(
    rates.every((rate, index) => Math.abs(rate / (RATE * [2, 4, 8][index]) - 1) < 0.05),
    rates.join(),
  );
  assert.equal(Number(rowOfStage(stage).average).toFixed(1), rates[2].toFixed(1));
});

test('if objects run out, that step and those after it do not count', async (t) => {
  const { time, run, steps, tasks } = prepare(t, {
    stages: ['write'],
    objects: 100,
    ramp: planOf([2, 4, 8]),
  });
  await time.until(run());
  assert.deepEqual(
    steps().map(({ shortfall, threads }) => [shortfall, threads]),
    [
      [null, 2],
      ['objects', 4],
      ['objects', 0],
    ],
  );
  assert.equal(tasks.length, 2);
});

test('a late host joins at the next slot and reports the missed ones', async (t) => {
  const { time, tasks, run, steps } = prepare(t, { stages: ['write'], ramp: planOf([2, 4, 8]) });
  await time.until(run(time.clock.now() - 7000));
  assert.deepEqual(
    steps().map(({ shortfall, slotStart, hosts, threads }) => [slotStart - FIRST, shortfall, hosts, threads]),
    [
      [-7, 'late', 0, 0],
      [-2, 'late', 0, 0],
      [3, null, 1, 8],
    ],
  );
  assert.deepEqual(
    tasks.map(({ at }) => at),
    [3],
  );
});

test('a host that misses all slots reports each, and its run is incomplete', async (t) => {
  const { time, tasks, run, result, steps, events, config } = prepare(t, {
    stages: ['write', 'read'],
    ramp: planOf([2, 4]),
  });
  await time.until(run(time.clock.now() - 60_000));
  assert.deepEqual(
    steps().map(({ shortfall, hosts, threads }) => [shortfall, hosts, threads]),
    Array.from({ length: 4 }, () => ['late', 0, 0]),
  );
  assert.deepEqual([tasks.length, result.stages.length], [0, 0]);
  assert.match(warningsOf(aggregateOf({ log: logOf(events, config) })).join(), /^!log:\d+: the run did not end: .*$/);
  assert.ok(
    events.every(([name]) => name !== 'stageStarts'),
    'a stage that begins in a log but does not end was cut short',
  );
  assert.deepEqual(
    result.problems.map((problem) => problem.split(',')[0]),
    ['Write: nothing was done', 'Read: nothing was done'],
  );
  assert.equal(exitStatus(result, NOT_ASKED), EXIT.incomplete);
});

test('a step that overruns skips the next slot, so that no second is counted twice', async (t) => {
  const { time, run, steps } = prepare(t, { stages: ['write'], ramp: planOf([2, 4, 8]) }, { overrun: 1300 });
  await time.until(run());
  assert.deepEqual(
    steps().map(({ shortfall }) => shortfall),
    [null, 'late', null],
  );
});

test('a step without an answer from the store does not count and proves no plateau', async (t) => {
  const { time, run, steps, result } = prepare(
    t,
    { stages: ['write'], ramp: planOf([8, 16, 32, 64]) },
    { frozenFrom: 15_000 },
  );
  await time.until(run());
  assert.deepEqual(
    steps().map(({ shortfall }) => shortfall),
    [null, null, null, 'stalled'],
  );
  const [{ ramp = null, end, abandoned }] = result.stages;
  assert.deepEqual([end, abandoned], ['complete', 64]);
  const merged = mergeRamps([{ host: 'fra-1', ramp }], false)?.merged;
  assert.deepEqual(
    merged?.slots.map(({ counts }) => counts),
    [true, true, true, false],
  );
  assert.equal(merged?.hasPlateau, false);
  assert.equal(exitStatus(result, NOT_ASKED), EXIT.incomplete);
});

test('a lost store ends the stage, however short its steps are', async (t) => {
  const { time, run, steps, result, tasks } = prepare(
    t,
    { stages: ['write', 'read'], ramp: { ...planOf([1, 2, 3, 4, 5, 6]), stepTime: 20_000 } },
    { frozenFrom: 20_000 },
  );
  await time.until(run(), 200_000);
  assert.deepEqual(
    steps().map(({ shortfall }) => shortfall),
    [null, 'stalled', 'stalled', 'stalled', 'stalled'],
  );
  assert.deepEqual(
    result.stages.map(({ stage, end }) => [stage, end]),
    [['Write', 'stalled']],
  );
  const silences = tasks.map(
    ({ at, limit }) => START / 1000 + at - time.clock.toEpoch(Number(limit?.noSuccessSince)) / 1000,
  );
  assert.deepEqual(silences.map(Math.round), [0, 0, 20, 40, 60]);
});
