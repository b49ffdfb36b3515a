import { failedAttemptsOf } from '../model/failed-attempts.js';
import { Histogram } from '../model/histogram.js';
import { meanOf } from '../statistics/moments.js';
import { MIN_SECONDS } from '../statistics/dependent-mean.js';
import { Distribution } from './distribution.js';
import { testFailures } from './failures.js';
import { testRatio } from './log-ratio.js';
import { varies } from './mismatches.js';
import { estimateQuantile, exceedancesOf, whyTooFew } from './quantile.js';
import { estimateRate } from './rate.js';
import { steadySeconds } from './steady-seconds.js';

/**
 * @import { ComparedMetric } from '../model/comparison.js'
 * @import { CommonOptions, KindSum, SecondResult, StageSum } from '../model/result.js'
 * @import { Failures } from './failures.js'
 * @import { Estimate, RatioTest } from './log-ratio.js'
 */

/**
 * A stage of a result with what its estimates are made from.
 *
 * @typedef {object} StageSide
 * @property {StageSum} stage
 * @property {readonly SecondResult[]} seconds the whole ones of the same load
 *
 * @typedef {{ before: StageSide, after: StageSide }} StagePair
 */

/**
 * What is known of a metric before anybody decides what it means.
 *
 * @typedef {object} MetricFinding
 * @property {ComparedMetric} metric
 * @property {number | null} before
 * @property {number | null} after
 * @property {RatioTest | null} test of the ratio; null where there can be none. Two metrics that are one and the same
 *   measurement have the same object
 * @property {string | null} reason why there is none
 */

/**
 * How a figure can be estimated, or why it cannot.
 *
 * @typedef {{ estimate: Estimate, reason: null } | { estimate: null, reason: string }} Attempted
 */

const QUANTILES = /** @type {const} */ ([
  { metric: 'p50', share: 0.5 },
  { metric: 'p90', share: 0.9 },
  { metric: 'p99', share: 0.99 },
  { metric: 'p999', share: 0.999 },
]);

const VARYING_LOAD = 'the load of a search or a ramp changes while it measures';

const SHARE_OF_STAGE = 'it is a fixed share of the rate of the stage, which tells';

const NO_SECONDS_OF_KINDS = 'single seconds are known of the stage alone, and not of the kinds that it mixes';

const NO_SPREAD = 'a run has one figure of it, which does not show how much it varies';

/** Of a second's bytes per operation, as a share: logs round them. */
const SAME_SIZE = 1e-4;

/**
 * @param {StageSum} stage
 * @param {CommonOptions | null} options of its run
 * @returns {StageSide}
 */
export function sideOf(stage, options) {
  return { stage, seconds: varies(stage) ? [] : steadySeconds(stage, options) };
}

/**
 * @param {StagePair} pair the same stage of two results
 * @returns {MetricFinding[]} in the order of the metrics
 */
export function findingsOf(pair) {
  const rate = rateFinding('rate', pair, operationsOf, (stage) => stage.average ?? null);
  const throughput = rateFinding('throughput', pair, bytesOf, (stage) => stage.averageBytes ?? null);
  return [
    rate,
    throughput.test !== null && isSameTest(pair) ? { ...throughput, test: rate.test } : throughput,
    ...quantileFindings(pair),
    failureFinding({ before: failuresOf(pair.before.stage), after: failuresOf(pair.after.stage) }),
    cpuFinding(pair),
  ].filter(movedBytes);
}

/**
 * @param {MetricFinding} finding
 * @returns {boolean} false for the throughput of operations that move no bytes
 */
function movedBytes({ metric, before, after }) {
  return metric !== 'throughput' || before !== 0 || after !== 0;
}

/**
 * What is known of one kind of the operations that a stage mixes. Only the errors can be tested: their counts are those of the
 * kind, where seconds are those of the stage.
 *
 * @param {KindSum} before
 * @param {KindSum} after
 * @returns {MetricFinding[]} in the order of the metrics
 */
export function findingsOfKind(before, after) {
  return [
    untested('rate', before.average, after.average, SHARE_OF_STAGE),
    untested('throughput', before.averageBytes, after.averageBytes, SHARE_OF_STAGE),
    ...QUANTILES.map(({ metric }) =>
      untested(metric, before.latency.operations?.[metric], after.latency.operations?.[metric], NO_SECONDS_OF_KINDS),
    ),
    failureFinding({ before: failuresOf(before), after: failuresOf(after) }),
  ].filter(movedBytes);
}

/**
 * @param {ComparedMetric} metric
 * @param {number | null | undefined} before
 * @param {number | null | undefined} after
 * @param {string} reason
 * @returns {MetricFinding}
 */
function untested(metric, before, after, reason) {
  return { metric, before: before ?? null, after: after ?? null, test: null, reason };
}

/** @param {SecondResult} second */
function operationsOf({ operations }) {
  return operations;
}

/** @param {SecondResult} second */
function bytesOf({ bytes }) {
  return bytes;
}

/**
 * Where each operation moves as many bytes, on both sides, the bytes say nothing that the operations have not said.
 *
 * @param {StagePair} pair
 */
function isSameTest({ before, after }) {
  const sizes = [...before.seconds, ...after.seconds].flatMap(({ operations, bytes }) =>
    operations > 0 ? [bytes / operations] : [],
  );
  const [size = 0] = sizes;
  return size > 0 && sizes.every((each) => Math.abs(each - size) <= SAME_SIZE * size);
}

/**
 * Of one host, the figure is the one that its result has; a log may lack it, and has the seconds. The time of several hosts
 * is that in which all of them measured.
 *
 * @param {'rate' | 'throughput'} metric
 * @param {StagePair} pair
 * @param {(second: SecondResult) => number} figureOf
 * @param {(stage: StageSum) => number | null} averageOf a second, of one host
 * @returns {MetricFinding}
 */
function rateFinding(metric, { before, after }, figureOf, averageOf) {
  const [one, other] = [before, after].map((side) => {
    const figures = side.seconds.map(figureOf);
    const isOfSeveral = (side.stage.merge?.hosts ?? 1) > 1;
    const ofSeconds = figures.length === 0 ? null : meanOf(figures);
    const ofStage = averageOf(side.stage);
    const value = isOfSeveral ? (ofSeconds ?? ofStage) : (ofStage ?? ofSeconds);
    return { value, attempted: attemptRate(side, figures, metric) };
  });
  return { metric, before: one.value, after: other.value, ...test(one.attempted, other.attempted, [one, other]) };
}

/**
 * @param {StageSide} side
 * @param {readonly number[]} figures
 * @param {'rate' | 'throughput'} metric
 * @returns {Attempted}
 */
function attemptRate(side, figures, metric) {
  const reason = whyNoSeconds(side);
  if (reason !== null) {
    return { estimate: null, reason };
  }
  const estimate = estimateRate(figures);
  const nothing = metric === 'rate' ? 'no operation succeeded' : 'no bytes were moved';
  return estimate === null ? { estimate, reason: nothing } : { estimate, reason: null };
}

/** @param {StageSide} side */
function whyNoSeconds({ stage, seconds }) {
  if (varies(stage)) {
    return VARYING_LOAD;
  }
  return seconds.length < MIN_SECONDS ? `${seconds.length} whole seconds, expected ${MIN_SECONDS} or more` : null;
}

/**
 * @param {Attempted} before
 * @param {Attempted} after
 * @param {readonly { value: number | null }[]} figures that are shown, around which the interval lies
 * @returns {Pick<MetricFinding, 'test' | 'reason'>}
 */
function test(before, after, [one, other]) {
  if (before.estimate === null || after.estimate === null) {
    return { test: null, reason: reasonOf(before.reason, after.reason) };
  }
  if (!one.value || !other.value) {
    return { test: null, reason: 'one of the figures is not known' };
  }
  const [from, to] = [
    { ...before.estimate, log: Math.log(one.value) },
    { ...after.estimate, log: Math.log(other.value) },
  ];
  return { test: testRatio(from, to), reason: null };
}

/**
 * @param {string | null} before
 * @param {string | null} after
 * @returns {string | null} why there is no test; null where nothing is missing on either side
 */
function reasonOf(before, after) {
  if (before !== null && before === after) {
    return `before and after: ${before}`;
  }
  const sides = Object.entries({ before, after }).flatMap(([side, reason]) =>
    reason === null ? [] : [`${side}: ${reason}`],
  );
  return sides.length === 0 ? null : sides.join('; ');
}

/**
 * @param {StagePair} pair
 * @returns {MetricFinding[]}
 */
function quantileFindings({ before, after }) {
  const [one, other] = [before, after].map(latenciesOf);
  return QUANTILES.map(({ metric, share }) => {
    const figures = [before, after].map(({ stage }) => ({ value: stage.latency.operations?.[metric] ?? null }));
    const [attempted, attemptedAfter] = [one, other].map((latencies) => attemptQuantile(latencies, share));
    return {
      metric,
      before: figures[0].value,
      after: figures[1].value,
      ...test(attempted, attemptedAfter, figures),
    };
  });
}

/**
 * @typedef {{ whole: Distribution, seconds: Distribution[], reason: null } | { reason: string }} Latencies
 *
 * @param {StageSide} side
 * @returns {Latencies}
 */
function latenciesOf(side) {
  const { stage, seconds } = side;
  const encoded = stage.latency.histogram.operations;
  const reason = whyNoSeconds(side);
  if (encoded === null || reason !== null) {
    return { reason: reason ?? 'no latencies are known' };
  }
  const withOperations = seconds.filter(({ operations }) => operations > 0);
  if (withOperations.some(({ histogram }) => typeof histogram !== 'string')) {
    return { reason: 'no latencies of single seconds are known, which --json has and a log has not' };
  }
  return {
    whole: distributionOf(encoded),
    seconds: seconds.map(({ histogram }) => (histogram ? distributionOf(histogram) : new Distribution([], []))),
    reason: null,
  };
}

/** @param {string} encoded */
function distributionOf(encoded) {
  const { values, counts } = Histogram.decode(encoded).valueCounts();
  return new Distribution(values, counts);
}

/**
 * @param {Latencies} latencies
 * @param {number} share
 * @returns {Attempted}
 */
function attemptQuantile(latencies, share) {
  if (latencies.reason !== null) {
    return { estimate: null, reason: latencies.reason };
  }
  const { whole, seconds } = latencies;
  const exceedances = exceedancesOf(whole, seconds, share);
  const reason = whyTooFew(exceedances);
  return reason === null
    ? { estimate: estimateQuantile(whole, exceedances, share), reason }
    : { estimate: null, reason };
}

/**
 * @param {StageSum | KindSum} counts
 * @returns {Failures}
 */
function failuresOf(counts) {
  const { attempts, operations, errors, steps, failedAttempts } = counts;
  const known = { attempts: attempts ?? 0, operations: operations ?? 0, errors, steps, failedAttempts };
  return { failed: Math.max(failedAttemptsOf(known), 0), attempts: known.attempts };
}

/**
 * @param {{ before: Failures, after: Failures }} failures
 * @returns {MetricFinding} of the share of attempts that failed
 */
function failureFinding({ before: one, after: other }) {
  const [shareBefore, shareAfter] = [one, other].map(({ failed, attempts }) =>
    attempts > 0 ? Math.min(failed / attempts, 1) : null,
  );
  const isKnown = shareBefore !== null && shareAfter !== null;
  return {
    metric: 'errors',
    before: shareBefore,
    after: shareAfter,
    test: isKnown ? testFailures(one, other) : null,
    reason: isKnown ? null : 'there were no attempts',
  };
}

/**
 * @param {StagePair} pair
 * @returns {MetricFinding} of the CPU time of an operation
 */
function cpuFinding({ before, after }) {
  const [one, other] = [before, after].map(({ stage: { clientLoad, operations } }) =>
    clientLoad && operations > 0 ? (1000 * (clientLoad.cpuUser + clientLoad.cpuSystem)) / operations : null,
  );
  const isKnown = one !== null && other !== null;
  const reason = isKnown ? NO_SPREAD : 'the CPU time is not known, which --json has and a log has not';
  return { metric: 'cpu', before: one, after: other, test: null, reason };
}
