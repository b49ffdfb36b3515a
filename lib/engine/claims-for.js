import { accessOrder } from '../workload/access.js';
import { Claims } from './claims.js';
import { GroupClaims } from './group-claims.js';
import { MixedClaims } from './mixed-claims.js';
import { ReplayClaims } from './replay-claims.js';

/**
 * @import { Workload } from '../operations/operation.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { ObjectGroups } from '../workload/object-groups.js'
 * @import { Budget } from './budget.js'
 * @import { Load } from './run-stage.js'
 */

/**
 * Decides what a worker's threads do next.
 *
 * @typedef {object} StageClaims
 * @property {(record: OperationRecord) => number} next claims the next operation for a thread and fills in its record;
 *   returns the number of the claim, from 0, or -1 if there is no more work
 * @property {(record: OperationRecord, round: number) => number} place chooses the operation's object, after `round`
 *   rounds that found none; returns 0 if it found one, the ms to wait before the next round, or -1 to skip it
 * @property {(record: OperationRecord) => void} [missed] called when an operation of a replay is left out
 * @property {(record: OperationRecord) => void} done called when the operation has ended, successfully or not
 */

/**
 * @param {Stage} stage
 * @param {object} options
 * @param {Workload} options.workload
 * @param {Budget} options.budget
 * @param {StageMeters} options.meters that count skipped operations
 * @param {ObjectGroups | null} options.groups of a stage whose operations each work on several objects
 * @param {readonly (ObjectGroups | null)[]} [options.kindGroups] of a stage of several kinds, by kind
 * @param {Load} options.load
 * @param {() => number} options.now monotonic ms
 * @param {string} options.runId
 * @returns {StageClaims}
 */
export function claimsFor(stage, { workload, budget, meters, groups, kindGroups, load, now, runId }) {
  const { access, mixedObjects: objects } = load;
  if (groups !== null) {
    return new GroupClaims(stage, { workload, budget, meters, groups });
  }
  if (!stage.rewrites) {
    const order = orderOf(load, budget, `shard ${workload.shard.index} of ${runId}`);
    const seed = `kinds of ${runId}`;
    return new Claims(stage, { workload, budget, meters, order, kindGroups, replaced: load.replaced, seed, now });
  }
  const { mixed, trace } = workload;
  if (mixed && trace) {
    return new ReplayClaims(stage.kinds, { workload: { ...workload, mixed, trace }, budget, now });
  }
  if (!mixed || objects === undefined) {
    throw new RangeError('a stage that rewrites objects requires their number');
  }
  return new MixedClaims(stage.kinds, {
    workload: { ...workload, mixed },
    budget,
    objects,
    access,
    now,
    seed: runId,
  });
}

/**
 * The order in which operations access the objects of this host's shard.
 *
 * @param {Load} load
 * @param {Budget} budget
 * @param {string} seed
 * @returns {ReturnType<typeof accessOrder> | null} null if objects are used in order
 */
function orderOf({ access }, { objects }, seed) {
  return access === undefined || access.kind === 'sequential' ? null : accessOrder({ access, objects, seed });
}
