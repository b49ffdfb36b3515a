import { groupsOf } from '../workload/object-groups.js';
import { averageSize } from '../workload/size-distribution.js';

/**
 * @import { Config } from '../../result/config.js'
 * @import { Grouping, Operation } from './operation.js'
 */

/**
 * @typedef {object} Stage operations of one kind, or of several mixed kinds
 * @property {string} name as in the log
 * @property {readonly StageKind[]} kinds
 * @property {boolean} creates whether some of the stage's operations create objects; the next six are analogous
 * @property {boolean} copies
 * @property {boolean} replaces
 * @property {boolean} removes
 * @property {boolean} receives
 * @property {boolean} movesBytes
 * @property {boolean} movesWhole
 * @property {Grouping | null} grouping of the objects, if one operation works on several
 * @property {boolean} isRace whether its operations are races
 * @property {boolean} rewrites whether objects are rewritten and removed while others are read; overall, such a stage
 *   neither creates nor removes objects
 *
 * @typedef {{ operation: Operation, weight: number }} StageKind weight: relative frequency, a positive integer
 */

/**
 * @param {string} name
 * @param {readonly StageKind[]} kinds
 * @returns {Readonly<Stage>}
 */
export function mixedStage(name, kinds) {
  const grouping = kinds.length === 1 ? (kinds[0].operation.grouping ?? null) : null;
  return Object.freeze({
    name,
    kinds,
    creates: kinds.some(({ operation }) => operation.creates),
    copies: kinds.some(({ operation }) => operation.copies),
    replaces: kinds.some(({ operation }) => operation.replaces),
    removes: kinds.some(({ operation }) => operation.removes),
    receives: kinds.some(({ operation }) => operation.receives),
    movesBytes: kinds.some(({ operation }) => operation.movesBytes),
    grouping,
    isRace: kinds.some(({ operation }) => operation.race !== undefined),
    movesWhole: kinds.some(({ operation }) => operation.movesWhole),
    rewrites: false,
  });
}

/** As in the log. */
export const MIXED_STAGE = 'Mixed';

/** Writes the objects that a replay expects. */
export const PREPARE_STAGE = 'Prepare';

export const REPLAY_STAGE = 'Replay';

/**
 * @param {readonly StageKind[]} kinds
 * @param {string} [name]
 * @returns {Readonly<Stage>} leaves as many objects as it finds, except for removed objects that are not yet rewritten
 */
export function rewritingStage(kinds, name = MIXED_STAGE) {
  return Object.freeze({
    ...mixedStage(name, kinds),
    grouping: null,
    creates: false,
    copies: false,
    removes: false,
    rewrites: true,
  });
}

/** @param {Operation} operation */
export function stageOf(operation) {
  return mixedStage(operation.logName, [{ operation, weight: 1 }]);
}

/**
 * @param {Pick<Stage, 'kinds'>} stage
 * @param {Pick<Config, 'objects' | 'load'>} config
 * @returns {number} bytes that an operation on an object of mean size moves: the maximum over all kinds, or 0
 */
export function bytesPerOperation({ kinds }, { objects, load: { amounts } }) {
  const moving = kinds.filter(({ operation }) => operation.movesBytes);
  const mean = averageSize(objects);
  const workload = { sizeOf: () => mean, amounts };
  return Math.max(0, ...moving.map(({ operation }) => operation.bytesOf(workload, 0)));
}

/**
 * @param {Pick<Stage, 'grouping'>} stage
 * @param {number} objects spread evenly over the buckets
 * @param {Pick<Config, 'load' | 'store'>} config
 * @returns {number} operations that cover each object once
 */
export function operationsFor({ grouping }, objects, { load: { amounts }, store }) {
  return grouping === null ? objects : groupsOf(objects, store.buckets.length, amounts[grouping.size]);
}
