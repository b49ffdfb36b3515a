import { isDeepStrictEqual } from 'node:util';
import { shellWord } from '../text/shell-words.js';
import { formatSizes } from '../load/workload/size-distribution.js';
import { defaultOf, isMet } from './read-options.js';
import { ROWS, SET_BY_LOG, flagOf } from './table.js';

/**
 * @import { CommonOptions } from '../result/result.js'
 * @import { Values } from './conditions.js'
 * @import { OptionRow } from './table.js'
 */

// The options of a run in its result, and the commands and texts derived from them.

/** Results with different values of these options are not comparable. @type {readonly (keyof CommonOptions)[]} */
export const COMPARABLE_OPTIONS = Object.freeze([
  'threads',
  'buckets',
  'sizes',
  .../** @type {(keyof CommonOptions)[]} */ (
    Object.entries(ROWS).flatMap(([name, { role }]) => (role === 'load' ? [name] : []))
  ),
]);

/**
 * Returns the options that a result records. Omits options that do not apply to the load, even if they have a value.
 *
 * @param {Values} values by name; `size` is the largest object's if there are `sizes`
 * @returns {Omit<CommonOptions, 'objects' | 'threads' | 'endpoint' | 'buckets' | 'duration'>}
 */
export function recordedOptions(values) {
  return /** @type {any} */ (
    Object.fromEntries([
      ...Object.entries(ROWS).flatMap(([name, row]) => {
        const recorded = row.role === undefined ? undefined : recordedValue(row, values[name]);
        const isMeant = recorded !== undefined && (row.needs === undefined || isMet(row.needs, values));
        return isMeant ? [[name, recorded]] : [];
      }),
      // --size with several sizes.
      ...(values.sizes === undefined ? [] : [['sizes', formatSizes(values.sizes)]]),
    ])
  );
}

/**
 * @param {OptionRow} row
 * @param {any} value
 * @returns {unknown} undefined if the value has the same effect as omitting the option
 */
function recordedValue({ flag, record }, value) {
  if (value === undefined || (value === false && !flag.startsWith('--no-'))) {
    return undefined;
  }
  return record === undefined ? value : record(value);
}

const UNKNOWN = '?';

/**
 * The command line that produces the same load, without defaults. A value that differs between hosts becomes `?`.
 *
 * @param {CommonOptions} options
 * @param {readonly string[]} [further] words to append
 * @returns {string} quoted for a shell, because anyone may have written the result
 */
export function commandOf(options, further = []) {
  const recorded = /** @type {Values} */ ({ ...options, size: options.sizes ?? options.size });
  const isOfLog = (/** @type {string} */ name) => name === 'replay' || (options.replay && name in SET_BY_LOG);
  const words = Object.entries(ROWS).flatMap(([name, row]) => {
    const { role, excludes = {}, default: fallback } = row;
    // A default is recorded even if another option replaces it.
    const isReplaced =
      fallback !== undefined &&
      Object.entries(excludes).some(([other, value]) =>
        value === true ? Boolean(recorded[other]) : recorded[other] === value,
      );
    return role === undefined || role === 'record' || isReplaced || isOfLog(name)
      ? []
      : optionWords(row, recorded[name]).map(shellWord);
  });
  const { replay, objects, threads } = options;
  const load = [objects, threads].map((amount) => (amount ? shellWord(String(amount)) : UNKNOWN));
  if (replay) {
    load.splice(0, 1, 'replay', ...replay.split(',').map(shellWord), '--threads');
  }
  return ['r2-benchmark', ...load, ...words, ...further].join(' ');
}

/**
 * @param {OptionRow} row
 * @param {any} value as recorded
 * @returns {string[]} unquoted words of a command; empty for a default
 */
export function optionWords(row, value) {
  const { flag, read, record = (/** @type {any} */ each) => each } = row;
  if (read === undefined) {
    return value === !flag.startsWith('--no-') ? [flag] : [];
  }
  const fallback = defaultOf(row);
  const isDefault = fallback !== undefined && isDeepStrictEqual(value, record(fallback));
  return value === undefined || value === null || isDefault ? [] : [flagOf(row), optionText(row, value)];
}

/**
 * @param {Pick<OptionRow, 'write'>} row
 * @param {any} value as recorded
 * @returns {string} as the option accepts it
 */
function optionText({ write = String }, value) {
  return typeof value === 'string' ? value : write(value);
}

/**
 * @param {string} name of a recorded option
 * @param {unknown} value
 * @returns {string | null} human-readable
 */
export function textOfOption(name, value) {
  if (value === null || value === undefined) {
    return null;
  }
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : optionText(ROWS[name] ?? {}, value);
}
