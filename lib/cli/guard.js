import { COMPARABLE_OPTIONS } from '../options/recorded-options.js';
import { plainText } from '../text/plain-text.js';
import { quote } from '../text/quote.js';
import { readTextFile } from '../text/text-file.js';
import { MAX_RESULT_SIZE } from '../result/log/read-files.js';
import { readResult } from '../result/read-result.js';
import { evaluateThresholds, figureOf } from '../result/thresholds/evaluate.js';
import { figureNamed } from '../result/figures/catalogue.js';
import { checkThresholds, formatThreshold, stagesOf } from '../result/thresholds/threshold.js';
import { EXIT } from './exit-status.js';
import { attempt } from '../options/store/environment.js';
import { refuseIfAny } from '../options/usage-error.js';

/**
 * @import { CommonFacts, Result, ThresholdResult } from '../result/result.js'
 * @import { WritableResult } from '../result/write-result.js'
 * @import { Figure } from '../result/figures/catalogue.js'
 * @import { Threshold } from '../result/thresholds/threshold.js'
 *
 * @typedef {object} GuardOptions
 * @property {readonly Threshold[]} thresholds from --assert
 * @property {string | undefined} baseline file of a result
 *
 * @typedef {object} Guard the limits of a result
 * @property {readonly Threshold[]} thresholds
 * @property {Result | null} baseline
 * @property {string[]} warnings about the baseline file
 */

/**
 * Reads the limits before the run, so that mistakes are reported early.
 *
 * @param {GuardOptions} options
 * @returns {Guard}
 * @throws {UsageError} with every problem
 */
export function readGuard({ thresholds, baseline }) {
  const { result, warnings } = baseline === undefined ? NO_BASELINE : readBaseline(baseline);
  refuseIfAny(baselineProblems(thresholds, baseline, result));
  return { thresholds, baseline: result, warnings };
}

/**
 * @param {readonly Threshold[]} thresholds
 * @param {{ name: string, result: Result }} before
 * @param {Result} after the result to check
 * @returns {ThresholdResult[]}
 * @throws {UsageError} if a threshold refers to a stage, or to a baseline figure, that does not exist
 */
export function judgeAgainst(thresholds, { name, result }, after) {
  const problems = [...checkThresholds(thresholds, stagesOf(after)), ...missingFigures(thresholds, name, result)];
  refuseIfAny(problems);
  return evaluateThresholds(thresholds, after, result);
}

/** @type {{ result: Result | null, warnings: string[] }} */
const NO_BASELINE = { result: null, warnings: [] };

/**
 * @param {string} file
 * @returns {typeof NO_BASELINE}
 * @throws {UsageError}
 */
function readBaseline(file) {
  const about = (/** @type {string} */ message) => `--baseline: ${file}: ${message}`;
  /** @type {string[]} */
  const unreadable = [];
  const text = attempt(unreadable, `--baseline: ${file}`, () => readTextFile(file, MAX_RESULT_SIZE)) ?? '';
  refuseIfAny(unreadable);
  const { result, problems, warnings } = readResult(text, file);
  refuseIfAny(problems.map(about));
  return { result, warnings: warnings.map(about) };
}

/**
 * @param {readonly Threshold[]} thresholds
 * @param {string | undefined} file of the baseline
 * @param {Result | null} baseline
 */
function baselineProblems(thresholds, file, baseline) {
  const comparing = thresholds.filter(({ limit }) => 'factor' in limit);
  if (baseline === null) {
    return comparing.map(
      (threshold) =>
        `--assert: ${quote(formatThreshold(threshold))}: expected --baseline with the result of an earlier run`,
    );
  }
  if (comparing.length === 0) {
    return ['--baseline: no threshold uses it, expected --assert with a limit such as 0.95 * baseline'];
  }
  return missingFigures(comparing, `--baseline: ${file}`, baseline);
}

/**
 * @param {readonly Threshold[]} thresholds
 * @param {string} name of the baseline
 * @param {Result} baseline
 * @returns {string[]} a line for each threshold whose figure is missing from the baseline
 */
function missingFigures(thresholds, name, baseline) {
  return thresholds
    .filter(({ limit }) => 'factor' in limit)
    .filter(({ stage, metric }) => figureOf(baseline, stage, /** @type {Figure} */ (figureNamed(metric))) === null)
    .map((threshold) => `${name} has no figure for ${quote(formatThreshold(threshold))}`);
}

/**
 * @param {Guard} guard
 * @param {WritableResult} result
 * @returns {{ thresholds: ThresholdResult[], warnings: string[] }}
 */
export function judge({ thresholds, baseline }, result) {
  return {
    thresholds: evaluateThresholds(thresholds, result, baseline),
    warnings: baseline === null ? [] : differences(baseline, result),
  };
}

/**
 * @param {CommonFacts} baseline
 * @param {CommonFacts} result
 * @returns {string[]} a warning if the two were measured with different options
 */
function differences({ options: before }, { options: now }) {
  const different = COMPARABLE_OPTIONS.filter((name) => before?.[name] !== now?.[name]);
  if (before === null || now === null || different.length === 0) {
    return [];
  }
  const shown = (/** @type {unknown} */ value) => plainText(String(value ?? 'none'));
  const listed = different.map((name) => `${name} ${shown(before[name])}, now ${shown(now[name])}`).join('; ');
  return [`--baseline: it was measured with different options, so its figures may not be comparable (${listed})`];
}

/** `errors` are the thresholds that were missed or are inconclusive. @param {readonly ThresholdResult[]} thresholds */
export function thresholdLines(thresholds) {
  const lines = (/** @type {(outcome: ThresholdResult['outcome']) => boolean} */ isMeant) =>
    thresholds
      .filter(({ outcome }) => isMeant(outcome))
      .map(({ outcome, expression, message }) => `threshold ${outcome}: ${expression}: ${message}`);
  return { notices: lines((outcome) => outcome === 'passed'), errors: lines((outcome) => outcome !== 'passed') };
}

/**
 * Other failures take precedence over thresholds, because an incomplete run proves nothing.
 *
 * @param {number} status before thresholds are considered
 * @param {readonly ThresholdResult[]} thresholds
 * @returns {number} the exit status
 */
export function statusWith(status, thresholds) {
  const has = (/** @type {ThresholdResult['outcome']} */ wanted) =>
    thresholds.some(({ outcome }) => outcome === wanted);
  if (status !== EXIT.complete || !has('inconclusive')) {
    return status === EXIT.complete && has('missed') ? EXIT.thresholdMissed : status;
  }
  return EXIT.incomplete;
}
