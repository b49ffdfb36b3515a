import { MAX_PUT_BYTES } from '../load/operations/multipart.js';
import { MIN_RACE_BYTES } from '../load/operations/race.js';
import { OPERATIONS, operationsOf, operationsOfRun, writesObjects } from '../load/operations/registry.js';
import { MAX_MIXED_OBJECTS } from '../load/workload/mixed-objects.js';
import { smallestSize } from '../load/workload/size-distribution.js';

/**
 * @import { MixedShare } from '../result/config.js'
 * @import { Operation, Refusal } from '../load/operations/operation.js'
 * @import { CommandName } from './table.js'
 */

// Conditions on a load that `needs` and `excludes` cannot express. A value that could not be read is undefined.

/**
 * @typedef {Record<string, any>} Values of all options and arguments, by name
 *
 * @typedef {object} Context
 * @property {CommandName} command
 * @property {Readonly<Record<string, any>>} given the options as the user wrote them, by name
 * @property {(name: string) => boolean} has whether an option was given and has an effect
 *
 * @typedef {string | false | undefined} Problem
 */

/** With this ratio, at most half of the keys were written within the last second: a few tries find a writable key. */
const KEYS_PER_WRITE = 2;

const READING_STAGES = OPERATIONS.filter(({ readsExisting }) => readsExisting).map(({ name }) => name);
const REMOVALS = OPERATIONS.flatMap(({ name, removes }) => (removes ? [name] : []));

export const followsAccess = (/** @type {Operation} */ operation) => operation.followsAccess;

export const FOLLOWING_ACCESS = OPERATIONS.filter(followsAccess).map(({ name }) => name);

/**
 * @param {Values} options
 * @returns {boolean} whether objects are written in parts
 */
export function isMultipart({ multipart, size, stages = [] }) {
  return writesObjects(stages) && (multipart || size > MAX_PUT_BYTES);
}

/** The operations of all stages, including mixed ones. @param {Values} options */
export function operationsIn({ stages = [], mix }) {
  return operationsOfRun({ stages, mix });
}

/**
 * What operations can refuse to be combined with, in the words of the command line.
 *
 * @type {Readonly<Record<Refusal, { words: string, applies: (values: Values, context: Context) => unknown }>>}
 */
const REFUSALS = {
  keptObjects: {
    words: 'objects of an earlier run',
    applies: ({ stages, existing }) => existing === undefined && !writesObjects(stages),
  },
  shards: { words: '--shard', applies: ({ shard }) => shard !== undefined && shard.count !== 1 },
  findPeak: { words: '--find-peak', applies: ({ findPeak }) => findPeak },
  ramp: { words: '--ramp', applies: ({ ramp }) => ramp !== undefined },
  multipart: { words: 'objects written in parts', applies: isMultipart },
  mix: { words: '--mix', applies: ({ mix, existing }) => mix !== undefined && existing === undefined },
  leavingTurns: {
    words: `--stages that leave objects (without ${REMOVALS.join(' or ')}, or with copy)`,
    applies: ({ stages }, { command }) => command === 'ab' && leavesObjects(stages),
  },
};

/** Copies always remain, because no stage removes them. @param {readonly string[]} stages */
function leavesObjects(stages) {
  const operations = operationsOf(stages);
  return operations.some(({ copies }) => copies) || !operations.some(({ removes }) => removes);
}

/**
 * @param {Values} options
 * @param {Context} context
 * @returns {Problem[]}
 */
export function stageProblems(options, context) {
  const { stages = [], existing, local } = options;
  const { given, command } = context;
  const removals = operationsOf(stages).filter(({ removes }) => removes);
  const lacksObjects =
    command !== 'ab' && existing === undefined && options.stages !== undefined && !writesObjects(stages);
  return [
    ...(existing === undefined
      ? []
      : stages
          .filter(
            (/** @type {string} */ name) =>
              !READING_STAGES.includes(name) && OPERATIONS.some((each) => each.name === name),
          )
          .map(
            (/** @type {string} */ name) =>
              `--existing supports only the stages ${READING_STAGES.join(',')}, got ${name}`,
          )),
    ...operationsIn(options).flatMap(({ name, refuses = {} }) =>
      Object.entries(refuses).map(([refusal, reason]) => {
        const { words, applies } = REFUSALS[/** @type {Refusal} */ (refusal)];
        return applies(options, context) && `${name} cannot be combined with ${words}: ${reason}`;
      }),
    ),
    removals.length > 1 && `--stages can have only one of ${REMOVALS.join(' and ')}: each removes all objects`,
    given.keep &&
      given.stages !== undefined &&
      removals.length > 0 &&
      `--keep cannot be combined with the stage ${removals[0].name}, which removes the objects`,
    command === 'ab' &&
      options.stages !== undefined &&
      !writesObjects(stages) &&
      'ab requires write in --stages: each turn has its own objects',
    lacksObjects && local && '--local requires write in --stages: its store is empty at the start',
    lacksObjects &&
      !local &&
      given.runId === undefined &&
      '--stages without write require the --run-id of a run made with --keep: cleanup list shows such runs',
  ];
}

/**
 * @param {Values} options
 * @returns {Problem[]}
 */
export function mixProblems(options) {
  const { mix, existing, keep, objects } = options;
  const removes = shareOf(options, (operation) => operation.removes);
  const objectsNeeded = objectsForMix(options);
  return [
    mix !== undefined && isMultipart(options) && '--mix cannot be combined with --multipart or a --size above 4.9GiB',
    removes > shareOf(options, ({ creates }) => creates) &&
      '--mix requires a share of write at least as large as the share of remove: removed objects must be written again',
    objects < objectsNeeded &&
      `--mix requires ${objectsNeeded} <objects> or more for these shares and threads, got ${objects}`,
    keep &&
      removes > 0 &&
      '--keep cannot be combined with remove in --mix: a later run would not know which objects are left',
    ...(existing === undefined ? [] : (mix ?? []))
      .filter((/** @type {MixedShare} */ { operation }) => !READING_STAGES.includes(operation))
      .map(
        (/** @type {MixedShare} */ { operation }) =>
          `--existing takes only --mix of ${READING_STAGES.join(', ')}, got ${operation}`,
      ),
    mix !== undefined &&
      existing === undefined &&
      objects > MAX_MIXED_OBJECTS &&
      `--mix takes at most ${MAX_MIXED_OBJECTS} <objects>: more would take too much memory`,
  ];
}

/**
 * The removes of two consecutive decks (see Deck) can follow each other directly: one deck can end with them, and the
 * next can begin with them. Each thread can have one more in flight.
 *
 * @param {Values} options
 * @returns {number} objects that the mix needs
 */
export function objectsForMix(options) {
  const removes = shareOf(options, (operation) => operation.removes);
  return removes === 0 ? 0 : 2 * removes + options.threads + 1;
}

/**
 * An open loop writes no key twice within a second.
 *
 * @param {Values} options
 * @returns {number} objects that the rate needs
 */
export function objectsForRate({ rate = 0, ...options }) {
  const changes = shareOf(options, ({ creates, removes }) => creates || removes);
  const copies = shareOf(options, (operation) => operation.copies);
  return Math.ceil((KEYS_PER_WRITE * rate * Math.max(changes, copies)) / 100);
}

/**
 * @param {Values} options
 * @param {(operation: Operation) => boolean} isMeant
 * @returns {number} per cent of the mix
 */
function shareOf({ mix = [] }, isMeant) {
  const names = operationsOfRun({ stages: [], mix })
    .filter(isMeant)
    .map(({ name }) => name);
  return mix
    .filter((/** @type {MixedShare} */ { operation }) => names.includes(operation))
    .reduce((/** @type {number} */ sum, /** @type {MixedShare} */ { share }) => sum + share, 0);
}

/**
 * @param {Values} options
 * @returns {Problem[]}
 */
export function raceProblems({ contenders, threads, objects, size, sizes, sdkDefaults, stages = [] }) {
  const isRacing = operationsOf(stages).some(({ race }) => race !== undefined);
  const isSmall = (sizes === undefined ? size : smallestSize(sizes)) < MIN_RACE_BYTES;
  return [
    isRacing &&
      Math.min(threads, objects) < contenders &&
      `--contenders ${contenders} requires at least ${contenders} <threads> and <objects>: each write of a race has a thread`,
    isRacing && isSmall && `create and swap require a --size of at least ${MIN_RACE_BYTES} bytes: bodies must differ`,
    isRacing &&
      sdkDefaults &&
      'create and swap cannot be combined with --sdk-defaults: the SDK would repeat lost writes, so a winner could look like a loser',
    stages.includes('create') &&
      stages.includes('copy') &&
      '--stages can have only one of copy and create: both write a second key for each object',
  ];
}

/**
 * @param {Values} options
 * @returns {Problem}
 */
export function rateProblem(options) {
  const { rate, objects } = options;
  const needed = objectsForRate(options);
  return (
    objects < needed &&
    `--rate ${rate} requires ${needed} <objects> or more for this mix, got ${objects}: no key is written more than once per second`
  );
}

/**
 * @param {Values} options
 * @returns {Problem}
 */
export function rangeProblem(options) {
  const { sizes, size, rangeSize, existing } = options;
  const readsParts = operationsIn(options).some(({ part }) => part !== undefined);
  const smallest = sizes === undefined ? size : smallestSize(sizes);
  return (
    existing === undefined &&
    readsParts &&
    rangeSize > smallest &&
    `--range-size cannot exceed the ${sizes === undefined ? 'size of the objects' : 'smallest --size'}`
  );
}
