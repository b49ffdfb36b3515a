import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostBudget } from '../../lib/run/prices.js';
import { Budget } from '../../lib/load/budget.js';
import { planContext, runPlan } from '../../lib/run/run-plan.js';
import { publicUrl } from '../../lib/options/values.js';
import { searchSteps } from '../../lib/run/search-steps.js';
import { stepsPlan } from '../../lib/run/steps-plan.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';
import { NO_HOST_LOAD } from '../helpers/host-load.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedWorkers } from '../helpers/simulated-workers.js';

/**
 * @import { Session } from '../../lib/run/session.js'
 * @import { StageTask } from '../../lib/load/worker.js'
 * @import { RunResult, SearchResult, StageResult } from '../../lib/result/result.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { StoreModel } from '../helpers/simulated-store.js'
 */

const WHOLE = 16_384;

/** Other processes use all of its CPUs. */
const BUSY_HOST = {
  ...NO_HOST_LOAD,
  cpu: { cpus: 2, usable: 2, busy: 1, steal: 0, busiest: 1, others: 1.9 },
};

/** 20 ms per operation, at most 1,000 operations per second. @returns {StoreModel} */
const queueing = () => ({ latency: () => 20, rate: 1000 });

/** 20 ms per operation, at most 16 MB per second. @param {StageTask} task @returns {StoreModel} */
const narrow = ({ load }) => ({ latency: () => 20, rate: (1000 * WHOLE) / load.size });

/**
 * @param {Overrides} overrides
 * @param {(task: StageTask) => StoreModel} [modelOf]
 */
function prepare(overrides, modelOf = queueing) {
  const config = runConfig(NO_TARGET, {
    ...{ objects: 40_000, threads: 128, size: WHOLE, availableCores: 2, findPeak: true, stages: ['write'] },
    ...overrides,
  });
  const clock = new ManualClock(1_700_000_000_000);
  const ledger = new Ledger(ledgerMemory(config.objects.count));
  const workers = new SimulatedWorkers(clock, modelOf, ledger);
  const { observer, events } = recordingObserver();
  const controller = new AbortController();
  const costs = new CostBudget(config.schedule.maxCost);
  const unloaded = new Map(
    ['write', 'read', 'stat', 'remove'].map((name) => [name, { count: 20, p50: 20.5, size: WHOLE }]),
  );
  const running = {
    ...{
      config,
      run: { clock, ledger, reconciliation: { hasUnproven: false }, costs },
      signal: controller.signal,
      observer,
    },
    ...{ isShared: false, unloaded },
  };
  const result = /** @type {RunResult} */ (
    /** @type {unknown} */ ({ problems: [], stages: [], cleanup: null, crash: null })
  );
  const run = () => {
    const session = /** @type {Session} */ (/** @type {unknown} */ ({ ...running, workers, result }));
    return runPlan(stepsPlan(planContext(session), searchSteps), session);
  };
  return { run, workers, events, result, controller, ledger, unloaded };
}

test('each stage is searched, and its findings are reported', async () => {
  const { run, events, result } = prepare({ stages: ['write', 'read', 'stat', 'remove'] });
  await run();
  assert.deepEqual(
    result.stages.map(({ stage, search, bottleneck, end }) => [stage, search?.hasPlateau, bottleneck.cause, end]),
    ['Write', 'Read', 'Stat', 'Remove'].map((stage) => [stage, true, 'store', 'complete']),
  );
  for (const { stage, search, average, latency } of result.stages) {
    const { knee, capacity } = /** @type {SearchResult} */ (search);
    assert.ok(knee === 19 || knee === 23, `${stage}: ${knee}`);
    assert.ok(capacity !== null && capacity.low <= 1000 && capacity.high >= 1000 && capacity.threads === 32, stage);
    assert.equal(average, 1000);
    assert.ok((latency.operations?.p50 ?? 0) > 30, stage);
  }
  const kinds = events.map(([kind]) => kind).filter((kind) => kind !== 'progress' && kind !== 'notice');
  assert.deepEqual([...new Set(kinds)], ['stageStarts', 'stepEnds', 'stage']);
});

test('a store that refuses above the peak’s threads is reported as throttling', async () => {
  const { run, workers, result } = prepare({ stages: ['stat'] });
  workers.override = ({ load }, meter) => {
    const { operations } = meter.toRecord().latency;
    if (load.threads > 32) {
      meter.throttled = meter.operations / 4;
      Array.from({ length: meter.throttled }, () => meter.attemptFailed('throttled', 1, 0));
      meter.timeLost = (Number(operations?.mean) * Number(operations?.count)) / 2;
    }
    return {};
  };
  await run();
  const [{ search, bottleneck }] = result.stages;
  assert.deepEqual([search?.capacity?.threads, bottleneck.cause], [32, 'store throttling']);
  assert.match(
    bottleneck.evidence,
    /^20\.0% of [\d,]+ attempts refused with (64|128) threads, threads waited 50% of their time$/,
  );
});

test('Remove and the steps before it use different objects, and no more than exist', async () => {
  const { run, workers, ledger, result } = prepare({ stages: ['write', 'remove'] });
  await run();
  for (const stage of ['Write', 'Remove']) {
    let next = 0;
    for (const { budget } of workers.tasks.filter((task) => task.stage.name === stage)) {
      assert.equal(budget.first, next);
      const { claimed } = new Budget(budget);
      next += claimed;
    }
    assert.ok(next <= 40_000);
  }
  const hold = result.stages[1].search?.capacity;
  assert.ok(hold && hold.seconds >= 2);
  assert.ok(ledger.count < 12_000, `${ledger.count} are left`);
});

test('on a plateau, Read tries the half-size objects that Write left', async () => {
  const { run, workers, result } = prepare({ stages: ['write', 'read'] }, narrow);
  await run();
  assert.deepEqual(
    result.stages.map(({ bottleneck }) => bottleneck.cause),
    ['bandwidth', 'bandwidth'],
  );
  const halves = workers.tasks.filter(({ load }) => load.size === WHOLE / 2);
  assert.deepEqual(
    halves.map(({ stage: { name }, budget: { cycles } }) => [name, cycles]),
    [
      ['Write', false],
      ['Write', false],
      ['Read', true],
      ['Read', true],
    ],
  );
  assert.deepEqual(
    halves.slice(2).map(({ budget: { first } }) => first),
    [halves[0].budget.first, halves[0].budget.first],
  );
  const wholes = workers.tasks.filter(({ stage, load }) => stage.name === 'Read' && load.size === WHOLE);
  assert.ok(wholes.every(({ budget }) => budget.first === 0 && budget.objects === halves[0].budget.first));
});

test('sizes are not compared if the store changed between the steps', async () => {
  for (const model of [queueing, narrow]) {
    let compared = 0;
    const { run, result } = prepare({ stages: ['write'] }, (task) => {
      const model1 = model(task);
      const isOfHalf = task.load.size < WHOLE;
      compared += Number(isOfHalf || compared > 0);
      // From the third of the four steps on, the rate is a third lower.
      return compared >= 2 ? { ...model1, rate: Number(model1.rate) / 1.5 } : model1;
    });
    await run();
    const [{ bottleneck, search }] = result.stages;
    assert.deepEqual(
      search?.steps.slice(-4).map(({ phase }) => phase),
      ['whole size', 'half size', 'whole size', 'half size'],
    );
    assert.deepEqual([bottleneck.cause, bottleneck.certainty], ['beyond this host', 'likely']);
    assert.match(bottleneck.evidence, /, but the rates with two object sizes fit neither the store nor bandwidth$/);
  }
});

test('a host short of CPU in any step behind the capacity keeps the store from being blamed', async () => {
  const usual = prepare({});
  await usual.run();
  const [{ search, bottleneck }] = usual.result.stages;
  assert.equal(bottleneck.cause, 'store');
  const steps = search?.steps ?? [];
  assert.equal(new Set(steps.map(({ phase }) => phase)).size, 5);
  for (const [busy, { phase, threads }] of steps.entries()) {
    const { run, workers, result } = prepare({});
    workers.override = () => (workers.tasks.length === busy + 1 ? { hostLoad: BUSY_HOST } : {});
    await run();
    const isUsed = threads >= Number(search?.knee);
    const { cause, certainty } = result.stages[0].bottleneck;
    assert.deepEqual([cause, certainty], ['store', isUsed ? 'likely' : 'proven'], `${phase} ${threads}`);
  }
});

test('failures in any step count, and each step reports its own errors', async () => {
  const { run, workers, result } = prepare({ stages: ['stat'] });
  workers.override = (_task, meter) => {
    meter.attemptFailed('server-error', 1, 0);
    meter.failed += 1;
    return {};
  };
  await run();
  const [{ search, failed, attempts, operations }] = result.stages;
  const steps = search?.steps ?? [];
  assert.ok(steps.length > 3);
  assert.deepEqual([failed, attempts - operations], [steps.length, 1]);
  assert.ok(steps.every((step) => step.errors === 1 && step.failed === 1));
});

test('what fails while each key is read once counts, and is the reason if no step follows', async () => {
  const store = { ...runConfig(NO_TARGET).store, publicUrl: publicUrl('https://cdn.test') };
  const reads = { store, client: /** @type {const} */ ('public'), stages: ['read'], objects: 2000 };
  const { run, workers, result } = prepare(reads);
  workers.override = ({ limit }, meter) => {
    meter.integrityErrors += limit === null ? 3 : 0;
    return {};
  };
  await run();
  assert.equal(result.stages[0].integrityErrors, 3);
  const denied = new AttemptError({ kind: 'access', handling: 'stop', message: 'HTTP 403', status: 403 });
  for (const [outcome, problem] of /** @type {const} */ ([
    [{ end: 'stalled' }, /^Read ended before its first step \(stalled\)$/],
    [{ end: 'fatal', fatal: { error: denied, bucket: 'one', operation: 'read' } }, /HTTP 403/],
  ])) {
    const cut = prepare(reads);
    cut.workers.override = () => /** @type {any} */ (outcome);
    assert.equal(await cut.run(), false);
    assert.match(cut.result.problems.join('\n'), problem);
  }
});

test('failed attempts cost dollars and are paid from the stage’s limit', async () => {
  const searchFor = async (/** @type {number} */ maxCost) => {
    const { run, workers, result } = prepare({ stages: ['stat', 'read'], maxCost });
    workers.failsOnce = true;
    await run();
    const attempts = result.stages.reduce((sum, stage) => sum + attemptsOf(stage), 0);
    assert.ok(attempts * 0.36e-6 <= maxCost, `${attempts} attempts for $${maxCost}`);
    return result.stages[0].search?.capacity ?? null;
  };
  assert.equal(await searchFor(0.01), null);
  assert.notEqual(await searchFor(0.08), null);
});

/** @param {StageResult} result */
function attemptsOf({ search }) {
  return (search?.steps ?? []).reduce((sum, { operations, errors }) => sum + operations + errors, 0);
}

test('objects that run out leave a lower bound and the number needed', async () => {
  const { run, result } = prepare({ objects: 4000 }, () => ({ latency: () => 20 }));
  await run();
  const [{ search, objects }] = result.stages;
  assert.equal(search?.hasPlateau, false);
  assert.ok((search?.operationsNeeded ?? 0) > 4000);
  assert.equal(objects, 4000);
  assert.equal(result.stages[0].bottleneck.advice, 'more <objects>');
});

test('dollars that run out leave a lower bound, and the notice before names the objects for twice the rate', async () => {
  const { run, events, result } = prepare({ maxCost: 0.05 }, () => ({ latency: () => 20 }));
  await run();
  assert.deepEqual(
    events.filter(([kind]) => kind === 'notice').map(([, text]) => text),
    [
      '--find-peak takes up to 30s per stage',
      '--find-peak: 40,000 objects are enough for about 1,000 writes/s; if you expect up to 2,000, pass 80000 <objects>',
    ],
  );
  const [{ search, bottleneck }] = result.stages;
  assert.deepEqual([search?.hasPlateau, search?.operationsNeeded], [false, null]);
  assert.equal(bottleneck.advice, 'a higher --max-cost');
});

test('a search spends no more than the cost limit', async () => {
  const { run, workers, result } = prepare({ stages: ['write', 'read'], maxCost: 0.06 });
  await run();
  const writes = workers.tasks
    .filter(({ stage }) => stage.name === 'Write')
    .map(({ budget }) => new Budget(budget).claimed);
  const reads = result.stages[1].search?.steps ?? [];
  const sum = (/** @type {number[]} */ counts) => counts.reduce((total, count) => total + count, 0);
  const dollars = sum(writes) * 4.5e-6 + sum(reads.map(({ operations }) => operations)) * 0.36e-6;
  assert.ok(dollars > 0.01 && dollars <= 0.06, String(dollars));
});

test('a stage that the money or the objects do not suffice for is no success', async () => {
  for (const [overrides, advice] of /** @type {const} */ ([
    [{ stages: ['stat'], maxCost: 0.00001 }, 'a higher --max-cost'],
    [{ objects: 5 }, 'more <objects>'],
  ])) {
    const { run, result } = prepare(overrides);
    await run();
    assert.equal(result.problems.length, 1);
    assert.match(
      result.problems[0],
      new RegExp(`^[A-Z][a-z]+: there are too few operations for a search; try ${advice}$`),
    );
  }
});

test('a search that runs out of objects at its second stage is incomplete, not a usage error', async () => {
  const { run, unloaded, result } = prepare({ objects: 3000, stages: ['write', 'remove'] }, ({ stage }) => ({
    latency: () => (stage.name === 'Write' ? 20 : 0.1),
  }));
  unloaded.set('remove', { count: 20, p50: 0.1, size: WHOLE });
  await run();
  assert.deepEqual(
    result.stages.map(({ stage }) => stage),
    ['Write'],
  );
  assert.match(
    result.problems[0],
    /^Remove: there are too few operations for a search; try more objects left by Write$/,
  );
  assert.equal(result.isTransient, true);
});

test('if the busiest step has more event loops than the hold, the bottleneck considers all of them', async () => {
  const { run, workers, result } = prepare({ stages: ['stat'] });
  const all = prepare({ stages: ['stat'] });
  await all.run();
  const most = Math.max(...all.workers.tasks.map(({ load }) => load.threads));
  workers.override = ({ load: { threads } }) =>
    threads === most
      ? { clientLoad: { cpuUser: 1e9, cpuSystem: 0, loops: 8, eventLoopUtilization: 0.95, busyLoops: 3.5 } }
      : { clientLoad: { cpuUser: 100, cpuSystem: 0, loops: 4, eventLoopUtilization: 0.4, busyLoops: 1.5 } };
  await run();
  const [{ search, bottleneck }] = result.stages;
  assert.equal(search?.capacity?.threads, 32);
  assert.deepEqual([bottleneck.cause, bottleneck.certainty], ['client CPU', 'likely']);
  assert.match(
    bottleneck.evidence,
    /^busiest of 8 event loops busy 95%.* but the event loops were busy only 44% of the time on average$/,
  );
});

test('failures in a single step are reported for the stage', async () => {
  const { run, workers, result } = prepare({ stages: ['write'] });
  workers.override = ({ load }, meter) => {
    if (load.threads === 4) {
      Object.assign(meter, { unknownOutcomes: 3, skipped: 5, integrityErrors: 2, abandoned: 7 });
    }
    return {};
  };
  await run();
  const [{ unknownOutcomes, skipped, integrityErrors, abandoned, search }] = result.stages;
  assert.deepEqual([unknownOutcomes, skipped, integrityErrors, abandoned], [3, 5, 2, 7]);
  assert.equal(search?.steps.find(({ threads }) => threads === 4)?.failed, 2);
});

test('a hold that was too short does not represent the stage', async () => {
  const { run, workers, result } = prepare({ stages: ['stat'] });
  let steps = 0;
  workers.override = (task) => {
    steps += 1;
    return task.load.threads === 32 && steps > 5 ? { endedAt: task.load.windows?.startsAt ?? 0 } : {};
  };
  await run();
  const [{ search, average }] = result.stages;
  assert.equal(search?.capacity, null);
  assert.equal(average, search?.best);
});

test('a fatal step ends the run, and the findings so far are reported', async () => {
  const { run, workers, result } = prepare({ stages: ['write', 'read'] });
  const error = new AttemptError({ kind: 'access', handling: 'stop', message: 'AccessDenied', status: 403 });
  workers.override = ({ load }) =>
    load.threads > 4 ? { end: 'fatal', fatal: { error, bucket: 'one', operation: 'write' } } : {};
  await run();
  assert.deepEqual(
    result.stages.map(({ stage, end }) => [stage, end]),
    [['Write', 'fatal']],
  );
  assert.equal(result.problems.length, 1);
});

test('a run asked to stop begins no further step and names no bottleneck', async () => {
  const { run, workers, result, controller } = prepare({ stages: ['write', 'read'] });
  workers.override = () => {
    controller.abort();
    return { end: 'stopped' };
  };
  await run();
  assert.equal(workers.tasks.length, 1);
  assert.deepEqual(
    result.stages.map(({ stage, end }) => [stage, end]),
    [['Write', 'stopped']],
  );
  assert.deepEqual(result.problems, []);
});
const OVER_RATES = /** @type {const} */ ({ peakOf: 'rate', slo: 50, stages: ['stat'] });

test('a starved embedded store does not count as missing its latency limit', async () => {
  for (const [waiting, expected] of /** @type {const} */ ([
    [0, 'missed'],
    [0.06, 'missed'],
    [0.6, 'client'],
  ])) {
    const { run, workers, result } = prepare(OVER_RATES, () => ({ latency: () => 80 }));
    const hostLoad = { ...NO_HOST_LOAD, endpoint: { cpu: 0.5, running: 0.4, waiting } };
    workers.override = () => ({ hostLoad });
    await run();
    const verdicts = result.stages[0].search?.steps.flatMap(({ verdict }) => verdict ?? []);
    assert.deepEqual(new Set(verdicts), new Set([expected]));
  }
});
