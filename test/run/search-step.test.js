import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSlot } from '../../lib/load/run-slot.js';
import { PlannedStep } from '../../lib/run/search/search-step.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { SimulatedWorkers } from '../helpers/simulated-workers.js';
import { stageNamed } from '../helpers/worker-spec.js';
import { recordingObserver } from '../helpers/recording-observer.js';

/**
 * @import { Step } from '../../lib/run/search/search-step.js'
 * @import { Range } from '../../lib/load/run-slot.js'
 * @import { StoreModel } from '../helpers/simulated-store.js'
 */

/** @type {Step} */
const STEP = Object.freeze({
  phase: 'refine',
  threads: 64,
  operations: Infinity,
  precision: 0.01,
  settle: 250,
  minDuration: 1000,
  maxDuration: 2500,
  grace: 500,
});

/** @type {Range} */
const ONCE = Object.freeze({ first: 100, count: 100_000, cycles: false });

/**
 * @param {Step} step
 * @param {SimulatedWorkers} workers
 * @param {object} options
 * @param {string} [options.stage]
 * @param {number} [options.size]
 * @param {Range} [options.range]
 * @param {ManualClock} options.clock
 */
async function runStep(step, workers, { stage = 'Read', size = 8192, range = ONCE, clock }) {
  const planned = new PlannedStep(step, { stage: stageNamed(stage), size, range, clock });
  const startedAt = clock.now();
  const session = { workers, signal: new AbortController().signal, observer: recordingObserver().observer };
  const ran = await runSlot(planned.slot, session, {
    progress: (done, _flow, budget) => planned.progress(done, startedAt, budget),
  });
  return planned.finish(ran);
}

/**
 * @param {StoreModel} model
 * @param {Partial<Step>} [overrides]
 * @param {Range} [range]
 */
async function run(model, overrides, range = ONCE) {
  const clock = new ManualClock(1_700_000_000_000);
  const workers = new SimulatedWorkers(clock, () => model);
  const finished = await runStep({ ...STEP, ...overrides }, workers, { range, clock });
  return { ...finished, task: workers.tasks[0] };
}

const QUEUE = Object.freeze({ latency: () => 20, rate: 1000 });

test('the workers get threads, size, indices, windows and time', async () => {
  const { task } = await run(QUEUE);
  assert.deepEqual(
    { ...task, budget: { ...task.budget, memory: null } },
    {
      stage: stageNamed('Read'),
      load: {
        ...{ threads: 64, size: 8192, sizes: undefined, access: undefined, pacing: null, warmup: 250 },
        windows: { startsAt: 1000, width: 250 },
      },
      budget: { memory: null, first: 100, objects: 100_000, cycles: false, most: undefined },
      limit: { stopsAt: 1000 + 2750, endsAt: 1000 + 3250 },
    },
  );
});

test('a step ends once its windows agree, and counts only whole windows after settling', async () => {
  const { windows, elapsed, claimed, outcome } = await run(QUEUE);
  assert.deepEqual(windows, [250, 250, 250, 250]);
  assert.equal(claimed, outcome.whole.operations);
  assert.ok(elapsed >= 1250 && elapsed < 1400, String(elapsed));
});

test('no window is lost if the end is not a sum of binary fractions', async () => {
  const clock = new ManualClock(1_700_000_000_000);
  clock.advance(0.013);
  const workers = new SimulatedWorkers(clock, () => QUEUE);
  const step = { ...STEP, precision: 0, minDuration: 10_000, maxDuration: 10_000, settle: 500 };
  const { windows } = await runStep(step, workers, {
    ...{ stage: 'Write', size: 1, clock },
    range: { first: 0, count: 100_000, cycles: false },
  });
  assert.equal(windows.length, 40);
});

test('cycled objects are not claimed, and the step stays within its operations', async () => {
  const { claimed, outcome } = await run(
    QUEUE,
    { operations: 1000, precision: 0, maxDuration: 10_000 },
    { first: 0, count: 5, cycles: true },
  );
  assert.equal(claimed, 0);
  assert.ok(outcome.whole.operations > 500 && outcome.whole.operations <= 1000, String(outcome.whole.operations));
});

test('a store that answers nothing leaves windows without operations', async () => {
  const { windows, elapsed } = await run({ latency: () => 60_000 });
  assert.deepEqual(
    windows,
    Array.from({ length: 10 }, () => 0),
  );
  assert.equal(elapsed, 3250);
});
