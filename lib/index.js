import { isObject } from './model/check-schema.js';
import { isResult } from './model/read-result.js';
import { UsageError, inCode, refuseIfAny } from './options/usage-error.js';
import { RunError } from './run/run-error.js';
import { ThresholdError } from './thresholds/threshold-error.js';
import { evaluateThresholds } from './thresholds/evaluate.js';
import { stagesOf } from './thresholds/asserted-run.js';
import { readThresholds } from './thresholds/read-thresholds.js';

/**
 * @import { Comparison } from './model/comparison.js'
 * @import { Result, ThresholdResult } from './model/result.js'
 * @import { ProgramContext } from './run/program.js'
 * @import { RunContext } from './run/run-context.js'
 * @import { RunOptions } from './run/run-options.js'
 */

export { RunError, ThresholdError, UsageError };

/** @typedef {readonly [isValid: (value: unknown) => boolean, expected: string]} Rule */

/** @type {Rule} */
const A_PATH = [(value) => typeof value === 'string', 'a path'];
/** @type {Rule} */
const A_RESULT = [isResult, 'a result of run, merge or readResults'];
/** @type {Rule} */
const A_RESULT_OR_PATH = [(value) => typeof value === 'string' || isResult(value), 'a result or a path'];
/** @type {Rule} */
const RESULTS_OR_PATHS = [
  (all) => Array.isArray(all) && all.every(A_RESULT_OR_PATH[0]),
  'an array of results or paths',
];
/** @type {Rule} */
const AN_OBJECT = [isObject, 'an object'];

const CONTEXT = Object.freeze({
  signal: optional([(value) => value instanceof AbortSignal, 'an AbortSignal']),
  on: optional(AN_OBJECT),
  env: optional(AN_OBJECT),
  ownsProcess: optional([(value) => typeof value === 'boolean', 'true or false']),
});

/**
 * @param {Rule} rule
 * @returns {Rule}
 */
function optional([isValid, expected]) {
  return [(value) => value === undefined || isValid(value), expected];
}

/**
 * Checks what a program passes.
 *
 * @param {object} given values by name
 * @param {Readonly<Record<string, Rule>>} rules by name
 * @throws {UsageError} with a line for each value that is unknown or invalid
 */
function check(given, rules) {
  const known = Object.keys(rules);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const invalid = Object.entries(rules).filter(([name, [isValid]]) => !isValid(/** @type {any} */ (given)[name]));
  refuseIfAny([
    ...invalid.map(([name, [, expected]]) => `${name}: expected ${expected}`),
    ...unknown.map((name) => `${name}: expected one of ${known.join(', ')}`),
  ]);
}

// Each function loads its modules when it is called, so a program that only compares results loads no client.

/**
 * Runs a benchmark and leaves the store as it was. Prints nothing. Several runs can be in progress in the same process.
 *
 * @param {RunOptions} options sizes in bytes or as `'16KiB'`, times in ms or as `'30s'`
 * @param {RunContext} [context]
 * @returns {Promise<Result>} what was measured, even if the signal ended the run early
 * @throws {UsageError} with all problems found in the options, before any request is sent
 * @throws {RunError} if the store refuses the run, or an error ends it
 */
export async function run(options, context = {}) {
  check({ context }, { context: AN_OBJECT });
  const { program, ...given } = /** @type {ProgramContext} */ (context);
  check(given, CONTEXT);
  const module = await import('./run/run.js');
  return module.run(/** @type {Readonly<Record<string, any>>} */ (options ?? {}), context);
}

/**
 * Reads a `--json` result, or every run in a log.
 *
 * @param {string} file
 * @param {(message: string) => void} [warning] called for each part that is damaged or unknown
 * @returns {Promise<Result[]>} in the order of the file
 * @throws {UsageError} if the file contains no run
 */
export async function readResults(file, warning = () => {}) {
  check({ file }, { file: A_PATH });
  const { readEachRun } = await import('./merge/read-run.js');
  const { results, warnings } = await readEachRun(file);
  if (results.length === 0) {
    throw new UsageError(warnings);
  }
  warnings.forEach((message) => warning(message));
  return results;
}

/**
 * Merges the results of hosts that ran at the same time.
 *
 * @param {readonly (Result | string)[]} inputs results, or paths of results and logs
 * @param {{ severalRuns?: boolean }} [options] `severalRuns`: also merges runs that one host made at different times
 * @returns {Promise<Result>} with details of the merge under `merge`
 * @throws {UsageError} if the results do not belong together, or contain no stage
 */
export async function merge(inputs, { severalRuns = false } = {}) {
  check({ inputs }, { inputs: RESULTS_OR_PATHS });
  const { mergeInputs } = await import('./merge/read-run.js');
  const { result, apart } = await mergeInputs(inputs);
  refuseIfAny(severalRuns ? [] : apart.map(inCode));
  if (result.stages.length === 0) {
    throw new UsageError(['found no stages in the inputs', ...result.merge.warnings.map(({ message }) => message)]);
  }
  return result;
}

/**
 * Reports whether the second of two runs was faster than the first.
 *
 * @param {Result | string} before a result, or the path of a result, a log, or a folder with the results and logs of
 *   one run
 * @param {Result | string} after
 * @param {{ margin?: number, force?: boolean }} [options] `margin`: a change up to this share counts as no change
 *   (default 0.03); `force`: also compares runs whose sizes, threads or operations differ
 * @returns {Promise<Comparison>}
 * @throws {UsageError} if the runs are not comparable
 */
export async function compare(before, after, { margin, force = false } = {}) {
  check({ before, after }, { before: A_RESULT_OR_PATH, after: A_RESULT_OR_PATH });
  const { compareResults } = await import('./compare/compare-results.js');
  const [one, other] = [await namedResult(before, 'before'), await namedResult(after, 'after')];
  const comparison = compareResults(one, other, { margin });
  refuseIfAny(force ? [] : comparison.mismatches.map(inCode));
  return comparison;
}

/**
 * @param {Result | string} given
 * @param {string} name to use if `given` is a result without a run ID
 */
async function namedResult(given, name) {
  if (typeof given !== 'string') {
    return { name: given.run ?? name, result: given };
  }
  const { readRun } = await import('./merge/read-run.js');
  const { result, runsApart, warnings } = await readRun(given);
  if (runsApart.length > 0 || result.stages.length === 0) {
    const why = [...runsApart, ...warnings].map(({ message }) => message);
    throw new UsageError([`${given}: expected one run with stages`, ...why]);
  }
  return { name: given, result };
}

/**
 * Formats a result as a self-contained HTML page with charts.
 *
 * @param {Result} result
 * @returns {Promise<string>} HTML
 */
export async function writeReport(result) {
  check({ result }, { result: A_RESULT });
  const { reportPage } = await import('./report/html/report-page.js');
  return [...reportPage(result)].join('');
}

/**
 * Checks a result against limits such as `'read.p99 < 50ms'`, as `--assert` does.
 *
 * @param {Result} result
 * @param {string | readonly string[]} limits
 * @param {Result} [baseline] for limits such as `'read.rate > 0.95 * baseline'`
 * @returns {ThresholdResult[]} in the order of the limits
 * @throws {UsageError} if a limit cannot be parsed, or refers to a figure that the result does not have
 * @throws {ThresholdError} if a limit is missed or inconclusive
 */
export function assertThresholds(result, limits, baseline) {
  check({ result, baseline }, { result: A_RESULT, baseline: optional(A_RESULT) });
  const assertions = [limits].flat().map((text) => ({ text, place: 'limits' }));
  const { thresholds, problems } = readThresholds(assertions, stagesOf(result));
  refuseIfAny(problems);
  const judged = evaluateThresholds(thresholds, result, baseline ?? null);
  if (judged.some(({ outcome }) => outcome !== 'passed')) {
    throw new ThresholdError(judged);
  }
  return judged;
}
