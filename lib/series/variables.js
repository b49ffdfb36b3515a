import { RUN_OPTIONS } from '../options/run-options.js';
import { OPERANDS, flagOf, optionsOf } from '../options/table.js';
import { listOf, wholeNumber, yesOrNo } from '../options/values.js';
import { didYouMean } from '../text/nearest-name.js';
import { quote } from '../text/quote.js';

/** @import { SweepVariable } from './sweep-plan.js' */

/** The variable that is neither an option nor an argument: the first n of the store's buckets. */
export const BUCKETS = 'buckets';

const MAX_BUCKETS = 1000;

/** Options that set nothing that could be compared. */
const FIXED = ['maxCost', 'runId', 'prefix', 'allowVersioned'];

/**
 * By the name that `--vary` takes.
 *
 * @type {Readonly<Record<string, { name: string, read: (text: string) => unknown }>>}
 */
const KNOWN = Object.fromEntries([
  ...OPERANDS.map(({ name, read }) => [name, { name, read }]),
  [BUCKETS, { name: BUCKETS, read: wholeNumber(1, MAX_BUCKETS) }],
  ...optionsOf('sweep')
    .filter(([name]) => RUN_OPTIONS.includes(name) && !FIXED.includes(name))
    .map(([name, row]) => [flagOf(row).replace(/^--(no-)?/, ''), { name, read: row.read ?? yesOrNo }]),
]);

/**
 * Reads `size=4KiB,64KiB`. The values of a name that is given several times can contain commas.
 *
 * @param {readonly string[]} texts values of --vary
 * @returns {{ variables: SweepVariable[], problems: string[] }}
 */
export function readVariables(texts) {
  /** @type {Map<string, string[]>} */
  const given = new Map();
  /** @type {string[]} */
  const problems = [];
  for (const text of texts) {
    const [, name, values] = /^(?:--)?([A-Za-z][A-Za-z-]*)=([^]*)$/.exec(text) ?? [];
    const label = name?.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
    if (label === undefined) {
      problems.push(`--vary: expected NAME=VALUES, such as size=4KiB,64KiB, got ${quote(text)}`);
    } else if (!Object.hasOwn(KNOWN, label)) {
      problems.push(
        `--vary: expected ${OPERANDS.map((each) => each.name).join(', ')}, ${BUCKETS} or an option of the load or the store, got ${quote(name)}${didYouMean(label, Object.keys(KNOWN))}`,
      );
    } else {
      given.set(label, [...(given.get(label) ?? []), values]);
    }
  }
  const variables = [...given].flatMap(([label, values]) => {
    const isList = values.length === 1 && values[0].includes(',');
    const { variable, problem } = readVariable(label, isList ? listOf(values[0]) : values);
    const advice = isList ? ' (values that contain commas need a --vary each)' : '';
    problems.push(...(problem === null ? [] : [`--vary ${label}: ${problem}${advice}`]));
    return variable ?? [];
  });
  return { variables, problems };
}

/**
 * @param {string} label
 * @param {readonly string[]} values
 * @returns {{ variable: SweepVariable | null, problem: string | null }}
 */
function readVariable(label, values) {
  const { name, read } = KNOWN[label];
  if (new Set(values).size < Math.max(values.length, 2)) {
    return {
      variable: null,
      problem: `expected two or more different values, separated by commas, got ${quote(values.join(','))}`,
    };
  }
  try {
    const numbers = values.map(read);
    const areNumbers = numbers.every((value) => typeof value === 'number');
    return { variable: { name, label, values, numbers: areNumbers ? numbers : null }, problem: null };
  } catch (error) {
    return { variable: null, problem: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {string} label
 * @param {string} text values of an option that takes only one of them
 * @returns {boolean} whether `--vary` could take them
 */
export function isVariable(label, text) {
  return text.includes(',') && Object.hasOwn(KNOWN, label) && readVariable(label, listOf(text)).problem === null;
}
