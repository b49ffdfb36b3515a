import { batchRemove, remove } from './remove.js';
import { copy } from './copy.js';
import { list } from './list.js';
import { create, swap } from './race.js';
import { range } from './range.js';
import { read } from './read.js';
import { MIXED_STAGE, PREPARE_STAGE, REPLAY_STAGE, mixedStage, rewritingStage, stageOf } from './stage.js';
import { stat } from './stat.js';
import { write } from './write.js';

/**
 * @import { LoadConfig, OperationAmounts } from '../../result/config.js'
 * @import { Operation } from './operation.js'
 * @import { Stage } from './stage.js'
 */

/** All operations, in the order in which their stages run. @type {readonly Operation[]} */
export const OPERATIONS = Object.freeze([write, read, range, stat, list, copy, create, swap, batchRemove, remove]);

export const DEFAULT_STAGES = Object.freeze(
  OPERATIONS.filter(({ isDefaultStage }) => isDefaultStage).map(({ name }) => name),
);

export const DEFAULT_STAGES_ON_EXISTING = Object.freeze(
  OPERATIONS.filter(({ isDefaultStage, readsExisting }) => isDefaultStage && readsExisting).map(({ name }) => name),
);

export const STAGES = Object.freeze(OPERATIONS.map(stageOf));

/** Stages whose operations move no bytes. Bytes in their log lines are object sizes. */
export const STAGES_WITHOUT_BYTES = Object.freeze(
  STAGES.filter(({ movesBytes }) => !movesBytes).map(({ name }) => name),
);

/** As in the log, in the order in which the stages run. */
export const STAGE_NAMES = Object.freeze([
  PREPARE_STAGE,
  ...STAGES.filter(({ removes }) => !removes).map(({ name }) => name),
  MIXED_STAGE,
  REPLAY_STAGE,
  ...STAGES.filter(({ removes }) => removes).map(({ name }) => name),
]);

/** Stages of a run with --mix: mixed objects must be written first and removed at the end. */
export const STAGES_OF_MIX = Object.freeze(['write', MIXED_STAGE.toLowerCase(), 'remove']);

/** Stages of a replay: `write` prepares its objects. */
export const STAGES_OF_REPLAY = Object.freeze(['write', REPLAY_STAGE.toLowerCase(), 'remove']);

/** Returns operations in the order in which their stages run. @param {readonly string[]} names as in --stages */
export function operationsOf(names) {
  return OPERATIONS.filter(({ name }) => names.includes(name));
}

/** Returns the operations of all stages, including mixed ones. @param {Pick<LoadConfig, 'stages' | 'mix'>} load */
export function operationsOfRun({ stages, mix = [] }) {
  return operationsOf([...stages, ...mix.map(({ operation }) => operation)]);
}

/** Returns the stages in the order in which they run. @param {Pick<LoadConfig, 'stages' | 'mix' | 'replay'>} load */
export function stagesOf({ stages, mix = [], replay }) {
  const kinds = mix.map(({ operation, share }) => ({ operation: operationNamed(operation), weight: share }));
  const named = STAGES.filter(({ name }) => stages.includes(name.toLowerCase()));
  if (replay !== undefined) {
    const all = [
      mixedStage(PREPARE_STAGE, [{ operation: write, weight: 1 }]),
      rewritingStage(kinds, REPLAY_STAGE),
      stageOf(remove),
    ];
    return all.filter(
      (_, index) => stages.includes(STAGES_OF_REPLAY[index]) && (index > 0 || replay.prepare.count > 0),
    );
  }
  const stageOfMix = writesObjects(stages)
    ? rewritingStage
    : (/** @type {Stage['kinds']} */ all) => mixedStage(MIXED_STAGE, all);
  const mixed = kinds.length === 0 ? [] : [stageOfMix(kinds)];
  const [before, after] = [named.filter(({ removes }) => !removes), named.filter(({ removes }) => removes)];
  return [...before, ...mixed, ...after];
}

/**
 * Operations per second that a stage should start. The stages before and after a mix are only its preparation and
 * clean-up, so they run at full speed.
 *
 * @param {Pick<Stage, 'name'>} stage
 * @param {Pick<LoadConfig, 'rate' | 'mix'>} load
 * @returns {number | undefined} undefined for a closed loop
 */
export function rateOf({ name }, { rate, mix }) {
  return mix === undefined || name === MIXED_STAGE ? rate : undefined;
}

/** Whether a run with these stages creates its own objects. @param {readonly string[]} stages as in --stages */
export function writesObjects(stages) {
  return operationsOf(stages).some(({ creates }) => creates);
}

/** @param {string} name as in --stages */
export function operationNamed(name) {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (operation === undefined) {
    throw new RangeError(`expected the name of an operation, got ${name}`);
  }
  return operation;
}

/** @type {Readonly<OperationAmounts>} */
export const DEFAULT_AMOUNTS = Object.freeze({ rangeSize: 4096, pageSize: 1000, batch: 1000, contenders: 8 });
