import { isObject } from './result/check-schema.js';
import { InputError } from './result/input-bounds.js';
import { isResult } from './result/read-result.js';
import { UsageError, inCode, refuseIfAny } from './options/usage-error.js';
import { RunError } from './run/run.js';
import { ThresholdError, evaluateThresholds } from './result/thresholds/evaluate.js';
import { readThresholds, stagesOf } from './result/thresholds/threshold.js';

/**
 * @import { Comparison } from './result/comparison.js'
 * @import { Result, ThresholdResult } from './result/result.js'
 * @import { RunContext } from './run/run.js'
 * @import { RunOptions } from './run/run-options.js'
 */

export { RunError, ThresholdError, UsageError };

/** @typedef {readonly [value: unknown, isValid: (value: any) => boolean, problem: string]} Check */

/** @param {unknown} value */
const isText = (value) => typeof value === 'string';
/** @param {unknown} value */
const isResultOrPath = (value) => isText(value) || isResult(value);

/**
 * Checks what a program passes.
 *
 * @param {...Check} checks
 * @throws {UsageError} with the problem of each value that is invalid
 */
function check(...checks) {
  refuseIfAny(checks.filter(([value, isValid]) => !isValid(value)).map(([, , problem]) => problem));
}

/** @type {(isValid: Check[1]) => Check[1]} */
const optional = (isValid) => (value) => value === undefined || isValid(value);

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
  check([context, isObject, 'context: expected an object']);
  const { signal, on, env, ownsProcess, invocation, ...unknown } = context;
  const others = Object.keys(unknown).join(', ');
  check(
    [signal, optional((value) => value instanceof AbortSignal), 'signal: expected an AbortSignal'],
    ...Object.entries({ on, env, invocation }).map(
      ([name, value]) => /** @type {const} */ ([value, optional(isObject), `${name}: expected an object`]),
    ),
    [others, (names) => names === '', `${others}: expected one of signal, on, env, ownsProcess, invocation`],
  );
  const module = await import('./run/run.js');
  return module.run(/** @type {Readonly<Record<string, any>>} */ (options ?? {}), context);
}

/**
 * Reads a `--json` result, or every run in a log.
 *
 * @param {string} file
 * @param {(message: string) => void} [warning] called for each part that is damaged or unknown
 * @returns {Promise<Result[]>} in the order of the file
 * @throws {UsageError} if the file cannot be read or contains no run
 */
export async function readResults(file, warning = () => {}) {
  check([file, isText, 'file: expected a path']);
  const { readEachRun } = await import('./result/merge/read-run.js');
  const { results, warnings } = await asUsage(readEachRun(file));
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
  const areInputs = Array.isArray(inputs) && inputs.every(isResultOrPath);
  check([inputs, () => areInputs, 'inputs: expected an array of results or paths']);
  const { mergeInputs } = await import('./result/merge/read-run.js');
  const { result, apart } = await asUsage(mergeInputs(inputs));
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
  check(
    [before, isResultOrPath, 'before: expected a result or a path'],
    [after, isResultOrPath, 'after: expected a result or a path'],
  );
  const { compareResults } = await import('./result/compare/compare-results.js');
  const [one, other] = [await namedResult(before, 'before'), await namedResult(after, 'after')];
  const comparison = compareResults(one, other, { margin });
  refuseIfAny(force ? [] : comparison.mismatches.map(inCode));
  return comparison;
}

/**
 * @template Value
 * @param {Promise<Value>} reading
 * @throws {UsageError} if a file cannot be read
 */
async function asUsage(reading) {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof InputError ? new UsageError([error.message]) : error;
  }
}

/**
 * @param {Result | string} given
 * @param {string} name to use if `given` is a result without a run ID
 */
async function namedResult(given, name) {
  if (typeof given !== 'string') {
    return { name: given.run ?? name, result: given };
  }
  const { readRun } = await import('./result/merge/read-run.js');
  const { result, runsApart, warnings } = await asUsage(readRun(given));
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
  check([result, isResult, 'result: expected a result of run, merge or readResults']);
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
  check(
    [result, isResult, 'result: expected a result of run, merge or readResults'],
    [baseline, optional(isResult), 'baseline: expected a result of run, merge or readResults'],
  );
  const assertions = [limits].flat().map((text) => ({ text, place: 'limits' }));
  const { thresholds, problems } = readThresholds(assertions, stagesOf(result));
  refuseIfAny(problems);
  const judged = evaluateThresholds(thresholds, result, baseline ?? null);
  if (judged.some(({ outcome }) => outcome !== 'passed')) {
    throw new ThresholdError(judged);
  }
  return judged;
}
