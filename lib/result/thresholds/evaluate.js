import { figureNamed } from '../figures/catalogue.js';
import { showValue, toBase } from '../figures/quantities.js';
import { kindsOf } from '../figures/stage-table.js';
import { plainText } from '../../text/plain-text.js';
import { OPERATORS, formatThreshold } from './threshold.js';

/**
 * @import { Figure } from '../figures/catalogue.js'
 * @import { ThresholdResult } from '../result.js'
 * @import { WritableResult } from '../write-result.js'
 * @import { Threshold } from './threshold.js'
 */

/**
 * @param {readonly Threshold[]} thresholds
 * @param {WritableResult} result
 * @param {WritableResult | null} baseline for limits that refer to it
 * @returns {ThresholdResult[]} in the same order
 */
export function evaluateThresholds(thresholds, result, baseline) {
  return thresholds.map((threshold) => {
    const metric = /** @type {Figure} */ (figureNamed(threshold.metric));
    return {
      expression: formatThreshold(threshold),
      stage: threshold.stage === null ? null : stageName(result, threshold.stage),
      metric: metric.name,
      unit: metric.unit,
      ...judge(threshold, metric, { result, baseline }),
    };
  });
}

/**
 * @param {Threshold} threshold
 * @param {Figure} metric
 * @param {{ result: WritableResult, baseline: WritableResult | null }} results
 * @returns {Pick<ThresholdResult, 'value' | 'limit' | 'outcome' | 'message'>}
 */
function judge({ stage, operator, limit: wanted }, metric, { result, baseline }) {
  const value = figureOf(result, stage, metric);
  const before = 'factor' in wanted && baseline !== null ? figureOf(baseline, stage, metric) : null;
  const limit =
    'factor' in wanted ? before && wanted.factor * before : toBase(metric.quantity, wanted.value, wanted.unit);
  if (value === null) {
    return { value, limit, outcome: 'inconclusive', message: `not known: ${whyUnknown(result, stage, metric)}` };
  }
  const unit = 'unit' in wanted ? wanted.unit : undefined;
  if (limit === null) {
    const why = baseline === null ? 'no baseline was given' : whyUnknown(baseline, stage, metric);
    const message = `measured ${showValue(metric.quantity, value, 0)}, but the baseline's figure is unknown: ${why}`;
    return { value, limit, outcome: 'inconclusive', message };
  }
  const outcome = OPERATORS[operator](value, limit) ? 'passed' : 'missed';
  const comparison = before === null ? '' : `, baseline ${showValue(metric.quantity, before, value)}`;
  return { value, limit, outcome, message: `it was ${showValue(metric.quantity, value, limit, unit)}${comparison}` };
}

/**
 * @param {WritableResult} result
 * @param {string | null} stage in lower case
 * @param {Figure} metric
 */
export function figureOf(result, stage, { fromRun, value, isLatency }) {
  if (stage === null) {
    return fromRun?.(result) ?? null;
  }
  const found = stageNamed(result, stage);
  // Percentiles of some of the hosts prove nothing about all of them.
  const isPartial = isLatency && found?.merge?.missingLatency.length;
  return found === null || isPartial ? null : (value?.(found) ?? null);
}

/**
 * @param {WritableResult} result
 * @param {string} stage in lower case, or one of its operations, such as `mixed.read`
 */
function stageNamed({ stages }, stage) {
  const named = stages.flatMap((each) => [
    each,
    ...kindsOf(each).map((kind) => ({ ...kind, stage: `${each.stage}.${kind.operation}` })),
  ]);
  return named.find((each) => each.stage.toLowerCase() === stage) ?? null;
}

/**
 * @param {WritableResult} result
 * @param {string} stage in lower case
 * @returns {string} the name in the log, even if the stage did not run
 */
function stageName(result, stage) {
  return stageNamed(result, stage)?.stage ?? stage[0].toUpperCase() + stage.slice(1);
}

/**
 * @param {WritableResult} result
 * @param {string | null} stage in lower case
 * @param {Figure} metric
 */
function whyUnknown(result, stage, { isLatency, meaning }) {
  if (result.stages.length === 0) {
    return 'no stage ran';
  }
  const found = stage === null ? null : stageNamed(result, stage);
  if (stage !== null && found === null) {
    return 'the stage did not run';
  }
  if (found?.operations === 0) {
    return 'no operation of the stage succeeded';
  }
  const [missing] = found?.merge?.missingLatency ?? [];
  if (isLatency && missing !== undefined) {
    const location = missing.line === null ? missing.file : `${missing.file}:${missing.line}`;
    return `${plainText(location)}: ${plainText(missing.reason)}`;
  }
  return `the result does not contain it (${meaning})`;
}

/** Thresholds that were missed or are inconclusive. */
export class ThresholdError extends Error {
  /** @param {readonly ThresholdResult[]} thresholds including those that passed */
  constructor(thresholds) {
    super(
      thresholds
        .filter(({ outcome }) => outcome !== 'passed')
        .map(({ outcome, expression, message }) => `threshold ${outcome}: ${expression}: ${message}`)
        .join('\n'),
    );
    this.name = 'ThresholdError';
    this.thresholds = thresholds;
  }
}
