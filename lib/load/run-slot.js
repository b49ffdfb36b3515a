import { Budget, budgetMemory } from './budget.js';

/**
 * @import { RunObserver } from '../result/run-events.js'
 * @import { Stage } from './operations/stage.js'
 * @import { Load, StageHooks } from './run-stage.js'
 * @import { TimeLimit } from './stage-watch.js'
 * @import { StageOutcome, Workers } from './workers.js'
 */

/**
 * A period of a run in which one stage has one load: a whole stage, a ramp step, a search step, or a turn.
 *
 * @typedef {object} Slot
 * @property {Stage} stage
 * @property {Load} load
 * @property {Range} range existing objects that the stage uses, or the most that it may create
 * @property {TimeLimit | null} limit
 *
 * @typedef {object} Range
 * @property {number} first local index
 * @property {number} count
 * @property {boolean} cycles whether objects are reused until the time is over
 * @property {number} [most] operations; the slot ends after them
 *
 * @typedef {object} FinishedSlot
 * @property {StageOutcome} outcome
 * @property {number} claimed number of objects handed out; 0 if the range cycles
 * @property {boolean} hasRunOut whether all objects were handed out; false if the range cycles
 *
 * @typedef {{ workers: Pick<Workers, 'runStage'>, signal: AbortSignal, observer: RunObserver }} SlotSession shared by
 *   all slots of a run; the signal stops the slot
 *
 * @typedef {object} SlotHooks how a plan reacts while a slot runs
 * @property {(second: Parameters<StageHooks['second']>[0]) => void} [second]
 * @property {(...progress: [...Parameters<StageHooks['progress']>, Budget]) => void} progress
 */

/**
 * Runs a slot on all workers and reports its events to the observer.
 *
 * @param {Slot} slot
 * @param {SlotSession} session
 * @param {SlotHooks} hooks
 * @returns {Promise<FinishedSlot>}
 */
export async function runSlot({ stage, load, range, limit }, { workers, signal, observer }, hooks) {
  const { name } = stage;
  const { second = () => {}, progress } = hooks;
  const shared = {
    memory: budgetMemory(),
    first: range.first,
    objects: range.count,
    cycles: range.cycles,
    most: range.most,
  };
  const budget = new Budget(shared);
  const outcome = await workers.runStage({ stage, load, budget: shared, limit }, signal, {
    second,
    retrying: (...failure) => observer.retrying(...failure),
    integrityError: (message) => observer.integrityError(name, message),
    failed: (operation, message) => observer.failed(name, operation, message),
    snapshot: (snapshots) => observer.snapshot(name, snapshots),
    progress: (done, flow) => progress(done, flow, budget),
  });
  const claimed = range.cycles ? 0 : budget.claimed;
  return { outcome, claimed, hasRunOut: !range.cycles && claimed === range.count };
}
