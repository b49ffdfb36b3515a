import { Budget, budgetMemory } from './budget.js';

/**
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Load, StageHooks } from './run-stage.js'
 * @import { TimeLimit } from './stage-watch.js'
 * @import { StageOutcome, Workers } from './workers.js'
 */

/**
 * A stretch of a run in which one stage has one load: a stage, a step of a ramp, a step of a search, a turn.
 *
 * @typedef {object} Slot
 * @property {Stage} stage
 * @property {Load} load
 * @property {Range} range of the objects that are there; of a stage that creates them, the most that may be
 * @property {TimeLimit | null} limit
 *
 * @typedef {object} Range
 * @property {number} first local index
 * @property {number} count
 * @property {boolean} cycles whether each is taken again and again, until the time is over
 *
 * @typedef {object} FinishedSlot
 * @property {StageOutcome} outcome
 * @property {Budget} budget
 * @property {number} claimed objects that were taken, where each is taken once
 * @property {boolean} hasRunOut whether that were all of them
 *
 * @typedef {object} SlotSession what all slots of a run share
 * @property {Pick<Workers, 'runStage'>} workers
 * @property {AbortSignal} signal stops it
 * @property {RunObserver} observer
 *
 * @typedef {object} SlotHooks what a plan does about a slot while it runs
 * @property {(second: Parameters<StageHooks['second']>[0], budget: Budget) => void} [second]
 * @property {(...progress: [...Parameters<StageHooks['progress']>, Budget]) => void} progress
 * @property {() => void} [retrying] in addition to telling the observer
 */

/**
 * Runs a slot on all workers, and tells the observer what happens in it.
 *
 * @param {Slot} slot
 * @param {SlotSession} session
 * @param {SlotHooks} hooks
 * @returns {Promise<FinishedSlot>}
 */
export async function runSlot({ stage, load, range, limit }, { workers, signal, observer }, hooks) {
  const { name } = stage;
  const { second = () => {}, progress, retrying = () => {} } = hooks;
  const shared = { memory: budgetMemory(), first: range.first, objects: range.count, cycles: range.cycles };
  const budget = new Budget(shared);
  const outcome = await workers.runStage({ stage, load, budget: shared, limit }, signal, {
    second: (each) => second(each, budget),
    retrying(...failure) {
      retrying();
      observer.retrying(...failure);
    },
    integrityError: (message) => observer.integrityError(name, message),
    failed: (operation, message) => observer.failed(name, operation, message),
    snapshot: (snapshot) => observer.snapshot(name, snapshot),
    progress: (done, flow) => progress(done, flow, budget),
  });
  const claimed = range.cycles ? 0 : budget.claimed;
  return { outcome, budget, claimed, hasRunOut: !range.cycles && claimed === range.count };
}
