import { didYouMean } from '../text/nearest-name.js';
import { plainText } from '../text/plain-text.js';
import { formatTime } from '../text/units.js';
import { readOptions } from './read-options.js';
import { OPERANDS, ROWS, flagOf, optionsOf } from './table.js';

/**
 * @import { OptionValues } from './read-options.js'
 * @import { GroupName, OptionRow } from './table.js'
 */

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
