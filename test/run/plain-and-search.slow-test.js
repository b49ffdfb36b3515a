import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CostBudget } from '../../lib/run/prices.js';
import { planContext, runPlan } from '../../lib/run/run-plan.js';
import { searchSteps } from '../../lib/run/search-steps.js';
import { stepsPlan } from '../../lib/run/steps-plan.js';
import { stagesPlan } from '../../lib/run/stages-plan.js';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';
import { cases } from '../helpers/cases.js';
import { chance } from '../helpers/chance.js';
import { NO_HOST_LOAD, loopLoad } from '../helpers/host-load.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { contradiction, contradictionInThreads } from '../helpers/contradictions.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedWorkers } from '../helpers/simulated-workers.js';

/**
 * @import { StageTask } from '../../lib/load/worker.js'
 * @import { RunResult, StageResult } from '../../lib/result/result.js'
 * @import { StoreModel } from '../helpers/simulated-store.js'
 */

const WHOLE = 16_384;
const OBJECTS = 200_000;

/** The client gets a CPU whenever it needs one. */
const IDLE_HOST = {
  ...NO_HOST_LOAD,
  loops: [loopLoad(0.1)],
  cpu: { cpus: 2, usable: 2, busy: 0.1, steal: 0, busiest: 0.2, others: 0.1 },
};

/**
 * @param {object} setUp
 * @param {number} setUp.threads
 * @param {number} setUp.unloadedP50 ms
 * @param {string} setUp.stage
 * @param {(task: StageTask) => StoreModel} setUp.modelOf
 * @param {boolean} findPeak
 * @returns {Promise<StageResult>}
 */
async function runStage({ threads, unloadedP50, stage, modelOf }, findPeak) {
  const timing = findPeak ? { findPeak } : { duration: 5000 };
  const config = runConfig(NO_TARGET, { objects: OBJECTS, threads, size: WHOLE, stages: [stage], ...timing });
  const clock = new ManualClock(1_700_000_000_000);
  const ledger = new Ledger(ledgerMemory(OBJECTS));
  const workers = new SimulatedWorkers(clock, modelOf, ledger);
  workers.override = () => ({ hostLoad: IDLE_HOST });
  const running = {
    ...{
      config,
      run: { clock, ledger, reconciliation: { hasUnproven: false }, costs: new CostBudget() },
      signal: new AbortController().signal,
    },
    ...{ observer: recordingObserver().observer, isShared: false },
    unloaded: new Map([[stage, { count: 20, p50: unloadedP50, size: WHOLE }]]),
  };
  const result = /** @type {RunResult} */ (/** @type {unknown} */ ({ problems: [], stages: [] }));
  const session = /** @type {any} */ ({ ...running, workers, firstStageAt: clock.now(), result });
  const context = planContext(session);
  await runPlan(findPeak ? stepsPlan(context, searchSteps) : stagesPlan(context), session);
  assert.deepEqual(result.problems, []);
  return result.stages[0];
}

const setUps = fc.record({
  latency: fc.integer({ min: 5, max: 100 }),
  jitter: fc.constantFrom(0, 0.1, 0.4),
  rate: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 100, max: 2000 }) }, fc.constant(Infinity)),
  limitsBytes: fc.boolean(),
  threads: fc.integer({ min: 1, max: 48 }),
  probe: fc.double({ min: 0.97, max: 1.05, noNaN: true }),
  stage: fc.constantFrom('write', 'stat'),
  seed: fc.nat(1000),
});

test('a plain run and a search of the same set-up never contradict each other', async () => {
  /** @type {Set<string>} */
  const seen = new Set();
  await fc.assert(
    fc.asyncProperty(setUps, async ({ latency, jitter, rate, limitsBytes, threads, probe, stage, seed }) => {
      const { uniform } = chance(seed);
      const modelOf = (/** @type {StageTask} */ { load }) => ({
        latency: () => latency * (1 - jitter / 2 + jitter * uniform()),
        rate: limitsBytes && stage === 'write' ? (rate * WHOLE) / load.size : rate,
      });
      const setUp = { threads, unloadedP50: latency * probe, stage, modelOf };
      const plain = await runStage(setUp, false);
      const search = await runStage(setUp, true);
      seen.add(`${plain.bottleneck.cause} ${search.bottleneck.cause}`);
      assert.equal(contradiction(plain, search), null);
    }),
    { numRuns: cases(60) },
  );
  // If only inconclusive stages occurred, the property would hold trivially.
  for (const pair of ['concurrency concurrency', 'beyond this host store']) {
    assert.ok(seen.has(pair), `${pair} is not among ${[...seen].join(', ')}`);
  }
});

test('a plain run with more threads than a store can use does not call them too few', async () => {
  for (const stage of ['write', 'stat']) {
    const setUp = { unloadedP50: 20, stage, modelOf: () => ({ latency: () => 20, rate: 500 }) };
    const search = await runStage({ ...setUp, threads: 64 }, true);
    assert.deepEqual([search.bottleneck.cause, search.search?.hasPlateau], ['store', true]);
    for (let threads = 4; threads <= 24; threads++) {
      const plain = await runStage({ ...setUp, threads }, false);
      assert.equal(contradictionInThreads(plain, search), null);
      assert.equal(contradiction(plain, await runStage({ ...setUp, threads }, true)), null);
    }
  }
});
