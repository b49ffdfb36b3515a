import {
  DEFAULT_STAGES_ON_EXISTING,
  STAGES_OF_MIX,
  STAGES_OF_REPLAY,
  operationsOf,
} from '../load/operations/registry.js';
import { MIXED_STAGE } from '../load/operations/stage.js';
import { largestSize } from '../load/workload/size-distribution.js';
import { didYouMean } from '../text/nearest-name.js';
import { plainText } from '../text/plain-text.js';
import { formatTime } from '../text/units.js';
import { OPERANDS, ROWS, flagOf, optionsOf } from './table.js';

/**
 * @import { AccessPattern, SizeDistribution, Trace } from '../result/config.js'
 * @import { Context, Values } from './conditions.js'
 * @import { CommandName, GroupName, OPTIONS, OptionRow, Requirement } from './table.js'
 */

const DEFAULT_REPLAY_THREADS = 64;

/**
 * @template Row
 * @typedef {Row extends { read: (text: string) => infer Value }
 *   ? (Row extends { repeats: true } ? Value[] : Row extends { default: string } ? Value : Value | undefined)
 *   : boolean} ValueOf
 */

/**
 * The options and arguments of a command. Options that the command does not accept have their defaults. `size` is that
 * of the largest object, in bytes; `access` is undefined if it is sequential.
 *
 * @typedef {Omit<{ -readonly [Name in keyof typeof OPTIONS]: ValueOf<(typeof OPTIONS)[Name]> },
 *   'size' | 'access' | 'assert'> & {
 *   objects: number,
 *   threads: number,
 *   size: number,
 *   sizes: SizeDistribution | undefined,
 *   trace?: Trace,
 *   access: AccessPattern | undefined,
 *   assert: string[] | undefined,
 * }} OptionValues
 */

/**
 * Reads options and arguments, checks them against each other, and reports all problems at once.
 *
 * @param {CommandName} command
 * @param {Readonly<Record<string, any>>} given by name, as the user wrote it: text, texts, or a boolean for a flag
 * @param {{ operands?: readonly string[] }} [how] `operands` are the arguments of a load
 * @returns {{ values: OptionValues, problems: string[] }}
 */
export function readOptions(command, given, { operands } = {}) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Values} */
  const values = {};
  const attempt = (/** @type {string} */ name, /** @type {() => unknown} */ reading) => {
    try {
      return reading();
    } catch (error) {
      problems.push(`${name}: ${/** @type {Error} */ (error).message}`);
      return undefined;
    }
  };
  for (const [name, row] of Object.entries(ROWS)) {
    const { read, repeats } = row;
    const text = given[name];
    if (read === undefined) {
      values[name] = text ?? isNegated(row);
    } else if (text === undefined) {
      values[name] = defaultOf(row);
    } else {
      const label = command === 'cleanup' && name === 'runId' ? '<run-id>' : flagOf(row);
      values[name] = attempt(label, () => (repeats ? text.map(read) : read(text)));
    }
  }
  if (operands !== undefined) {
    OPERANDS.forEach(({ name, flag, read }, index) => {
      if (given[name] === undefined) {
        values[name] = attempt(flag, () => read(operands[index] ?? ''));
      }
    });
  }
  derive(values, given);
  /** @type {Context} */
  const context = { command, given, has: (name) => name in ROWS && given[name] !== undefined };
  problems.push(...conflicts(values, context));
  if (values.keep && given.stages === undefined && values.stages !== undefined) {
    const [removal] = operationsOf(values.stages).filter(({ removes }) => removes);
    values.stages = values.stages.filter((/** @type {string} */ name) => name !== removal?.name);
  }
  return { values: /** @type {OptionValues} */ (values), problems };
}

/**
 * Sets the values that follow from other values.
 *
 * @param {Values} values
 * @param {Readonly<Record<string, any>>} given
 */
function derive(values, given) {
  if (typeof values.size === 'object') {
    values.sizes = values.size;
    values.size = largestSize(values.sizes);
  }
  if (values.access?.kind === 'sequential') {
    values.access = undefined;
  }
  // By default, a mix takes objects at random, even if it only reads existing ones.
  if (given.access === undefined && values.mix !== undefined && values.existing !== undefined) {
    values.access = { kind: 'uniform' };
  }
  if (values.replay !== undefined) {
    values.keep = values.prepareOnly || values.prepared;
    values.stages = values.prepareOnly ? ['write'] : [...STAGES_OF_REPLAY];
    values.threads ??= DEFAULT_REPLAY_THREADS;
  }
  if (given.stages === undefined && (values.existing ?? values.mix) !== undefined) {
    values.stages = stagesWithout(values);
  }
}

/** The default stages of a run on existing objects, with a mix, or both. @param {Values} values */
function stagesWithout({ existing, mix }) {
  if (existing === undefined) {
    return [...STAGES_OF_MIX];
  }
  return mix === undefined ? [...DEFAULT_STAGES_ON_EXISTING] : [MIXED_STAGE.toLowerCase()];
}

/** @param {OptionRow} row */
function isNegated({ flag }) {
  return flag.startsWith('--no-');
}

/** The value if the option is omitted. @param {OptionRow} row */
export function defaultOf({ read, default: text }) {
  return text === undefined ? undefined : read?.(text);
}

/**
 * @param {Values} values
 * @param {Context} context
 * @returns {string[]} a line for each conflict between options
 */
function conflicts(values, context) {
  return Object.entries(ROWS).flatMap(([name, { needs, excludes = {}, check = [] }]) => {
    const isGiven = context.has(name);
    const excluded = isGiven ? Object.entries(excludes).filter((other) => holds(other, values, context)) : [];
    // If an option must be removed, its requirements need not be reported.
    const isLacking = isGiven && needs !== undefined && excluded.length === 0 && !isMet(needs, values, context);
    return [
      ...excluded.map((other) => `${flagOf(ROWS[name])} cannot be combined with ${wordsOf(other)}`),
      ...(isLacking ? [`${flagOf(ROWS[name])} requires ${requirement(needs)}`] : []),
      ...[check].flat().flatMap((each) => each(values, context) || []),
    ].filter((problem) => typeof problem === 'string');
  });
}

/**
 * @param {Requirement | readonly Requirement[]} needs of which one must be met
 * @param {Values} values
 * @param {Pick<Context, 'has'>} [context] by default, every option with a value counts as given
 */
export function isMet(needs, values, context = { has: (name) => Boolean(values[name]) }) {
  return [needs]
    .flat()
    .some((need) =>
      isCondition(need) ? need.met(values) : Object.entries(need).every((other) => holds(other, values, context)),
    );
}

/**
 * @param {Requirement} need
 * @returns {need is { met: (values: Values) => unknown, says: string }}
 */
function isCondition(need) {
  return typeof need.met === 'function';
}

/**
 * @param {[name: string, value: unknown]} option
 * @param {Values} values
 * @param {Pick<Context, 'has'>} context
 */
function holds([name, value], values, { has }) {
  return value === true ? has(name) : values[name] === value;
}

/**
 * @param {Requirement | readonly Requirement[]} needs
 * @returns {string} the options to add, including their own requirements
 */
export function requirement(needs) {
  return [needs]
    .flat()
    .map((need) => (isCondition(need) ? need.says : Object.entries(need).map(withNeeds).join(' ')))
    .join(' or ');
}

/** @param {[name: string, value: unknown]} option */
function withNeeds([name, value]) {
  const { needs } = ROWS[name];
  const isComplete = value === true || needs === undefined;
  return `${isComplete ? '' : `${requirement(needs)} `}${wordsOf([name, value])}`;
}

/** @param {[name: string, value: unknown]} option */
export function wordsOf([name, value]) {
  return value === true ? flagOf(ROWS[name]) : `${flagOf(ROWS[name])} ${value}`;
}

/** Groups of options that only the command line accepts, not a library call. @type {readonly GroupName[]} */
const OF_PROGRAM = ['output', 'checks', 'metrics', 'comparison'];

export const RUN_OPTIONS = [
  ...optionsOf('run'),
  ...optionsOf('replay').filter(([, { only }]) => only !== undefined),
].flatMap(([name, { group }]) => (OF_PROGRAM.includes(group) ? [] : [name]));

RUN_OPTIONS.push('replay');

/**
 * Reads the options of a run by name: as text, as on the command line, or as plain values.
 *
 * @param {Readonly<Record<string, unknown>>} options with `objects` and `threads`
 * @returns {{ values: OptionValues, problems: string[] }}
 */
export function readRunOptions(options) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Record<string, string | boolean>} */
  const given = {};
  for (const [name, value] of Object.entries(options)) {
    const row = ROWS[name];
    if (OPERANDS.some((operand) => operand.name === name) || value === undefined) {
      continue;
    }
    if (!RUN_OPTIONS.includes(name)) {
      problems.push(unknownOption(name));
    } else if (row.read === undefined ? typeof value !== 'boolean' : textOf(row, value) === null) {
      problems.push(
        `${flagOf(row)}: expected ${row.read === undefined ? 'true or false' : 'a string or a plain value'}`,
      );
    } else if (row.read !== undefined) {
      given[name] = /** @type {string} */ (textOf(row, value));
    } else if (value === !flagOf(row).startsWith('--no-')) {
      given[name] = value;
    }
  }
  const isReplay = given.replay !== undefined;
  const operands = isReplay ? undefined : OPERANDS.map(({ name }) => String(options[name] ?? ''));
  const threads = isReplay && options.threads !== undefined ? { threads: String(options.threads) } : {};
  const read = readOptions('run', { ...given, ...threads }, { operands });
  return { values: read.values, problems: [...problems, ...read.problems] };
}

/** @param {string} name */
function unknownOption(name) {
  return `unknown run option ${plainText(name)}${didYouMean(name, RUN_OPTIONS)}`;
}

/**
 * @param {OptionRow} row
 * @param {unknown} value times in ms, sizes in bytes, moments as Date, lists as arrays, mixes as objects
 * @returns {string | null} as on the command line; null for any other value
 */
function textOf({ write }, value) {
  if (typeof value === 'number') {
    return write === formatTime ? `${value}ms` : String(value);
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  }
  if (Array.isArray(value)) {
    return value.join(',');
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, share]) => `${name}=${share}`)
      .join(',');
  }
  return typeof value === 'string' ? value : null;
}
