import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RampsPlan } from '../../lib/run/ramps-plan.js';
import { SearchesPlan } from '../../lib/run/searches-plan.js';
import { CostBudget } from '../../lib/cost/cost-budget.js';
import { StagesPlan } from '../../lib/run/stages-plan.js';
import { stagesOf } from '../../lib/operations/registry.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { Conclusion, Plan, PlanContext } from '../../lib/run/plan.js'
 * @import { Config } from '../../lib/model/config.js'
 * @import { Overrides } from '../helpers/run-config.js'
 */

const START = 1_700_000_000_000;
const SECOND = 1000;

/**
 * Asks a plan for its first stage without running anything.
 *
 * @param {Overrides} overrides
 * @param {(context: PlanContext, config: Config) => Plan} planOf
 * @param {number} [lateness] ms after the time of the first stage
 */
function firstStage(overrides, planOf, lateness = 0) {
  const config = runConfig(NO_TARGET, { objects: 500, threads: 8, stages: ['write'], ...overrides });
  const clock = new ManualClock(START);
  const firstStageAt = clock.now();
  clock.advance(lateness);
  const context = {
    ...{ config, clock, firstStageAt, unloaded: new Map([['write', { count: 20, p50: 20, size: 1_000_000 }]]) },
    ...{ storeClock: () => null, has: () => true },
    costs: new CostBudget(),
  };
  const { observer, events } = recordingObserver();
  const stage = planOf(context, config).stage(stagesOf(config.load)[0], 0);
  return { stage, observer, events, clock, firstStageAt };
}

/** @param {Conclusion} conclusion */
function problemOf(conclusion) {
  assert.ok(conclusion.result === null);
  return [conclusion.problem, conclusion.isTransient, conclusion.continues];
}

test('a stage with a duration is planned as one slot, from its moment to the end of its time', () => {
  const { stage, firstStageAt } = firstStage({ duration: 10 * SECOND }, (context) => new StagesPlan(context));
  assert.equal(stage.startsAt, firstStageAt);
  assert.deepEqual([stage.starts?.stage, stage.starts?.duration], ['Write', 10 * SECOND]);
  const { slot } = stage.next() ?? {};
  assert.deepEqual(slot?.range, { first: 0, count: 500, cycles: false, most: undefined });
  assert.equal(slot?.limit?.stopsAt, firstStageAt + 10 * SECOND);
});

test('a host that misses the first slot of a ramp skips it and may still begin the next', () => {
  const ramp = { threads: [2, 4], stepTime: 10 * SECOND };
  const { stage, observer, events, clock } = firstStage({ ramp }, (context) => new RampsPlan(context, ramp), SECOND);
  const first = stage.next();
  assert.ok(first?.slot && Number(first.startsBy) < clock.now());
  stage.take(null, observer);
  const next = stage.next();
  assert.deepEqual([next?.slot?.load.threads, Number(next?.startsAt) - clock.now()], [4, 9 * SECOND]);
  assert.deepEqual(
    events.map(([event, , step]) => [event, /** @type {any} */ (step).shortfall]),
    [['slotEnds', 'late']],
  );
});

test('a ramp whose slots have all passed runs nothing and lets the next stage run', () => {
  const ramp = { threads: [2, 4], stepTime: 10 * SECOND };
  const { stage, observer, clock } = firstStage({ ramp }, (context) => new RampsPlan(context, ramp), 60 * SECOND);
  assert.equal(stage.starts, null);
  for (let planned = stage.next(); planned !== null; planned = stage.next()) {
    assert.ok(Number(planned.startsBy) < clock.now());
    stage.take(null, observer);
  }
  const [problem, ...rest] = problemOf(stage.conclude(observer));
  assert.match(String(problem), /^Write: nothing was done, because this host missed all of its slots/);
  assert.deepEqual(rest, [true, true]);
});

test('a search begins with a few threads, or not at all if there are too few objects', () => {
  const search = { findPeak: true, size: 1_000_000 };
  /** @type {Parameters<typeof firstStage>[1]} */
  const planOf = (context, config) => new SearchesPlan(context, /** @type {any} */ (config.search));
  const enough = firstStage({ ...search, objects: 40_000 }, planOf).stage;
  const planned = enough.next();
  assert.deepEqual([planned?.slot?.load.threads, planned?.slot?.range.first], [4, 0]);
  assert.equal(enough.starts?.search, 'threads');
  const { stage, observer } = firstStage({ ...search, objects: 100 }, planOf);
  assert.deepEqual([stage.starts, stage.next()], [null, null]);
  const [problem, ...rest] = problemOf(stage.conclude(observer));
  assert.match(String(problem), /^<objects>: --find-peak expects at least \d+ for \d+ threads, got 100 /);
  assert.deepEqual(rest, [false, false]);
});
