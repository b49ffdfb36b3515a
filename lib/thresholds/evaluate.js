import { plainText } from '../text/plain-text.js';
import { CONDITIONS, metricNamed } from './metrics.js';
import { showValue, toBase } from './quantities.js';
import { OPERATORS, formatThreshold } from './threshold.js';

/**
 * @import { ThresholdResult } from '../model/result.js'
 * @import { WritableResult, WritableStage } from '../model/write-result.js'
 * @import { Metric } from './metrics.js'
 * @import { Threshold } from './threshold.js'
 *
 * @typedef {Pick<ThresholdResult, 'value' | 'limit' | 'outcome' | 'message'>} Finding
 */

/**
 * Holds a result against what is asserted of it.
 *
 * @param {readonly Threshold[]} thresholds
 * @param {WritableResult} result
 * @param {WritableResult | null} baseline that limits may refer to
 * @returns {ThresholdResult[]} in the same order
 */
export function evaluateThresholds(thresholds, result, baseline) {
  return thresholds.map((threshold) => {
    const metric = /** @type {Metric} */ (metricNamed(threshold.metric));
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
 * @param {Metric} metric
 * @param {{ result: WritableResult, baseline: WritableResult | null }} results
 * @returns {Finding}
 */
function judge({ stage, operator, limit: wanted }, metric, { result, baseline }) {
  const value = figureOf(result, stage, metric);
  const before = 'factor' in wanted && baseline !== null ? figureOf(baseline, stage, metric) : null;
  const limit =
    'factor' in wanted ? multiple(wanted.factor, before) : toBase(metric.quantity, wanted.value, wanted.unit);
  if (value === null) {
    return { value, limit, outcome: 'inconclusive', message: `not known: ${whyUnknown(result, stage, metric)}` };
  }
  const unit = 'unit' in wanted ? wanted.unit : undefined;
  if (limit === null) {
    const why = baseline === null ? 'there is none' : whyUnknown(baseline, stage, metric);
    const message = `it was ${showValue(metric.quantity, value, 0)}, that of the baseline is not known: ${why}`;
    return { value, limit, outcome: 'inconclusive', message };
  }
  const outcome = OPERATORS[operator](value, limit) ? 'passed' : 'missed';
  const ofBaseline = before === null ? '' : `, of the baseline ${showValue(metric.quantity, before, value)}`;
  return { value, limit, outcome, message: `it was ${showValue(metric.quantity, value, limit, unit)}${ofBaseline}` };
}

/**
 * @param {number} factor
 * @param {number | null} value
 */
function multiple(factor, value) {
  return value === null ? null : factor * value;
}

/**
 * @param {WritableResult} result
 * @param {string | null} stage in lower case
 * @param {Metric} metric
 * @returns {number | null} null where it is not known
 */
export function figureOf(result, stage, { ofRun, ofStage }) {
  if (stage === null) {
    return ofRun?.(result) ?? null;
  }
  const found = stageNamed(result, stage);
  return found === null ? null : (ofStage?.(found) ?? null);
}

/**
 * @param {WritableResult} result
 * @param {string} stage in lower case, perhaps with one of its kinds
 * @returns {WritableStage | null}
 */
function stageNamed({ stages }, stage) {
  return stages.flatMap(withKinds).find((each) => each.stage.toLowerCase() === stage) ?? null;
}

/**
 * @param {WritableStage} stage
 * @returns {WritableStage[]} the stage, and each kind of operation that it mixes as if it were one
 */
function withKinds(stage) {
  const { kinds = [], end, startedAt, endedAt, duration, connections, load, merge } = stage;
  const ofKinds = kinds.map((kind) => {
    const time = { end, startedAt, endedAt, duration, connections, load, merge, seconds: [] };
    return /** @type {WritableStage} */ ({ ...time, ...kind, stage: `${stage.stage}.${kind.operation}` });
  });
  return [stage, ...ofKinds];
}

/**
 * @param {WritableResult} result
 * @param {string} stage in lower case
 * @returns {string} as the log has it, also where it did not run
 */
function stageName(result, stage) {
  return stageNamed(result, stage)?.stage ?? stage[0].toUpperCase() + stage.slice(1);
}

/**
 * @param {WritableResult} result
 * @param {string | null} stage in lower case
 * @param {Metric} metric
 * @returns {string} why the figure is not known, as far as the result tells
 */
function whyUnknown(result, stage, { isLatency, onlyOf }) {
  if (result.stages.length === 0) {
    return 'no stage ran';
  }
  const found = stage === null ? null : stageNamed(result, stage);
  if (stage !== null && found === null) {
    return 'the stage did not run';
  }
  if (onlyOf !== undefined) {
    return onlyOf === 'search' && found?.search !== undefined ? 'the search could not hold one' : CONDITIONS[onlyOf];
  }
  if (found?.operations === 0) {
    return 'no operation of the stage succeeded';
  }
  const [missing] = found?.merge?.missingLatency ?? [];
  if (isLatency && missing !== undefined) {
    const place = missing.line === null ? missing.file : `${missing.file}:${missing.line}`;
    return `${plainText(place)}: ${plainText(missing.reason)}`;
  }
  return 'the result does not tell';
}
