import { isDeepStrictEqual } from 'node:util';
import { shellWord } from '../text/shell-words.js';
import { formatSizes } from '../workload/size-distribution.js';
import { defaultOf, isMet } from './read-options.js';
import { ROWS, flagOf } from './table.js';

/**
 * @import { CommonOptions, RunOptions } from '../model/result.js'
 * @import { Values } from './conditions.js'
 * @import { OptionRow } from './table.js'
 */

// The options of a run in its result, and what is made of them.

/** Options that make the figures of two results incomparable where they differ. @type {readonly (keyof RunOptions)[]} */
export const COMPARABLE_OPTIONS = Object.freeze([
  'threads',
  'buckets',
  'sizes',
  .../** @type {(keyof RunOptions)[]} */ (
    Object.entries(ROWS).flatMap(([name, { role }]) => (role === 'load' ? [name] : []))
  ),
]);

/**
 * What a result records. An option that says nothing about the load at hand is left out, even if it has a value.
 *
 * @param {Values} values by name; `size` is that of the largest object if there are `sizes`
 * @returns {Omit<RunOptions, 'objects' | 'threads' | 'endpoint' | 'buckets' | 'duration'>}
 */
export function recordedOptions(values) {
  return /** @type {any} */ (
    Object.fromEntries([
      ...Object.entries(ROWS).flatMap(([name, row]) => {
        const recorded = row.role === undefined ? undefined : recordedValue(row, values[name]);
        const isMeant = recorded !== undefined && (row.needs === undefined || isMet(row.needs, values));
        return isMeant ? [[name, recorded]] : [];
      }),
      // What --size sets, if it is not one size.
      ...(values.sizes === undefined ? [] : [['sizes', formatSizes(values.sizes)]]),
    ])
  );
}

/**
 * @param {OptionRow} row
 * @param {any} value
 * @returns {unknown} undefined for what is as if it had not been given
 */
function recordedValue({ flag, read, record, off }, value) {
  if (value === undefined || (value === false && !flag.startsWith('--no-'))) {
    return undefined;
  }
  const isOff = off !== undefined && isDeepStrictEqual(value, read?.(off));
  return isOff ? undefined : record === undefined ? value : record(value);
}

/** What recorded options do not say. */
const UNKNOWN = '?';

/**
 * The command line that makes the same load. What is as by default is left out; what differs between hosts is a question mark.
 *
 * @param {CommonOptions} options
 * @param {readonly string[]} [further] words that follow
 * @returns {string} each word as a shell takes it, wherever the result comes from
 */
export function commandOf(options, further = []) {
  const recorded = /** @type {Values} */ ({ ...options, size: options.sizes ?? options.size });
  const words = Object.entries(ROWS).flatMap(([name, row]) => {
    const { role, excludes = {}, default: fallback } = row;
    // A default is recorded even if what takes its place was given.
    const isReplaced =
      fallback !== undefined &&
      Object.entries(excludes).some(([other, value]) =>
        value === true ? Boolean(recorded[other]) : recorded[other] === value,
      );
    return role === undefined || role === 'record' || isReplaced ? [] : optionWords(row, recorded[name]).map(shellWord);
  });
  const load = [options.objects, options.threads].map((amount) => (amount ? shellWord(String(amount)) : UNKNOWN));
  return ['r2-benchmark', ...load, ...words, ...further].join(' ');
}

/**
 * @param {OptionRow} row
 * @param {any} value as it is recorded
 * @returns {string[]} the words of a command that give it, unquoted; none for what is as by default
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
 * @param {any} value as it is recorded
 * @returns {string} as the option takes it
 */
function optionText({ write = String }, value) {
  return typeof value === 'string' ? value : write(value);
}

/**
 * @param {string} name of a recorded option
 * @param {unknown} value
 * @returns {string | null} for people
 */
export function textOfOption(name, value) {
  if (value === null || value === undefined) {
    return null;
  }
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : optionText(ROWS[name] ?? {}, value);
}
