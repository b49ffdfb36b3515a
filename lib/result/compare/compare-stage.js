import { MIN_SECONDS } from '../../measure/statistics/dependent-mean.js';
import { meanOf } from '../../measure/statistics/moments.js';
import { incompleteBeta } from '../../measure/statistics/student-t.js';
import { counted } from '../../text/figures.js';
import { failedAttemptsOf } from '../counters.js';
import { figureNamed, figuresOf } from '../figures/catalogue.js';
import { Histogram } from '../histogram.js';
import { testRatio } from './log-ratio.js';
import { varies } from './mismatches.js';
import { Distribution, estimateQuantile, exceedancesOf, whyTooFew } from './quantile.js';
import { estimateRate, steadySeconds } from './rate.js';

/**
 * @import { CommonOptions, KindSum, SecondResult, StageSum } from '../result.js'
 * @import { Estimate, RatioTest } from './log-ratio.js'
 */

/**
 * @typedef {{ stage: StageSum, seconds: readonly SecondResult[] }} StageSide `seconds`: whole, at a steady load
 * @typedef {{ before: StageSide, after: StageSide }} StagePair
 *
 * @typedef {object} MetricFinding the measurements of a metric, before a verdict
 * @property {string} metric a figure of the catalogue
 * @property {number | null} before
 * @property {number | null} after
 * @property {RatioTest | null} test of the ratio; null if impossible. Figures of the same thing share one test
 * @property {string | null} reason why there is no test
 *
 * @typedef {{ estimate: Estimate, reason: null } | { estimate: null, reason: string }} Attempted
 */

const VARYING_LOAD = 'the load of a search or a ramp changes during the measurement';

const SHARE_OF_STAGE = "each operation of a mix has a fixed share of the stage's rate: compare that rate";

const NO_SECONDS_OF_KINDS = 'per-second figures cover the whole stage, not single operations of a mix';

const NO_SPREAD = 'a single figure per run does not show how much the figure varies';

/** Relative difference of bytes per operation that is due to rounding in logs. */
const SAME_SIZE = 1e-4;

/**
 * @param {StageSum} stage
 * @param {CommonOptions | null} options
 * @returns {StageSide}
 */
export function sideOf(stage, options) {
  return { stage, seconds: varies(stage) ? [] : steadySeconds(stage, options) };
}

/**
 * @param {StagePair} pair the same stage of two results
 * @returns {MetricFinding[]}
 */
export function findingsOf(pair) {
  const { before, after } = pair;
  const latencies = [before, after].map(latenciesOf);
  /** @type {Readonly<Record<string, () => MetricFinding>>} */
  const found = {
    rate: () => rateFinding('rate', pair, operationsOf),
    throughput: () => rateFinding('throughput', pair, bytesOf),
    errorShare: () => failureFinding({ before: failuresOf(before.stage), after: failuresOf(after.stage) }),
  };
  const findings = figuresOf('compare').map((figure) => {
    const [one, other] = [before, after].map(({ stage }) => figure.value(stage) ?? null);
    if (figure.percentile !== undefined) {
      return {
        metric: figure.name,
        before: one,
        after: other,
        ...testQuantile(figure.percentile, latencies, [one, other]),
      };
    }
    const reason = one === null || other === null ? 'logs do not contain it: use a --json result' : NO_SPREAD;
    return found[figure.name]?.() ?? { metric: figure.name, before: one, after: other, test: null, reason };
  });
  const rate = findings.find(({ metric }) => metric === 'rate');
  return findings
    .filter(movedBytes)
    .map((each) =>
      each.metric === 'throughput' && each.test !== null && rate !== undefined && isSameTest(pair)
        ? { ...each, test: rate.test }
        : each,
    );
}

/** False only for the throughput of operations that move no bytes. @param {MetricFinding} finding */
function movedBytes({ metric, before, after }) {
  return metric !== 'throughput' || before !== 0 || after !== 0;
}

/**
 * Findings on one operation of a mix. Only its errors can be tested: they are counted per operation, while the figures
 * per second cover the whole stage.
 *
 * @param {KindSum} before
 * @param {KindSum} after
 * @returns {MetricFinding[]}
 */
export function findingsOfKind(before, after) {
  return figuresOf('compare')
    .filter(({ name }) => name !== 'cpu')
    .map(({ name: metric, value, isLatency }) => {
      const [one, other] = [before, after].map((kind) => value(/** @type {any} */ (kind)) ?? null);
      const reason = isLatency ? NO_SECONDS_OF_KINDS : SHARE_OF_STAGE;
      return metric === 'errorShare'
        ? failureFinding({ before: failuresOf(before), after: failuresOf(after) })
        : { metric, before: one, after: other, test: null, reason };
    })
    .filter(movedBytes);
}

/** @param {SecondResult} second */
function operationsOf({ operations }) {
  return operations;
}

/** @param {SecondResult} second */
function bytesOf({ bytes }) {
  return bytes;
}

/** True if all operations move the same number of bytes, so throughput adds nothing. @param {StagePair} pair */
function isSameTest({ before, after }) {
  const sizes = [...before.seconds, ...after.seconds].flatMap(({ operations, bytes }) =>
    operations > 0 ? [bytes / operations] : [],
  );
  const [size = 0] = sizes;
  return size > 0 && sizes.every((each) => Math.abs(each - size) <= SAME_SIZE * size);
}

/**
 * For one host, the figure comes from its result, or from the seconds if a log lacks it. For several hosts, it covers
 * only the time in which all of them measured.
 *
 * @param {'rate' | 'throughput'} metric
 * @param {StagePair} pair
 * @param {(second: SecondResult) => number} figureOf
 * @returns {MetricFinding}
 */
function rateFinding(metric, { before, after }, figureOf) {
  const [one, other] = [before, after].map((side) => {
    const figures = side.seconds.map(figureOf);
    const hasSeveralHosts = (side.stage.merge?.hosts ?? 1) > 1;
    const fromSeconds = figures.length === 0 ? null : meanOf(figures);
    const fromStage = figureNamed(metric)?.value?.(side.stage) ?? null;
    const value = hasSeveralHosts ? (fromSeconds ?? fromStage) : (fromStage ?? fromSeconds);
    return { value, attempted: attemptRate(side, figures, metric) };
  });
  return {
    metric,
    before: one.value,
    after: other.value,
    ...test(one.attempted, other.attempted, [one.value, other.value]),
  };
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
  return seconds.length < MIN_SECONDS
    ? `only ${counted(seconds.length, 'whole second')}: run with --duration ${MIN_SECONDS + 2}s or longer`
    : null;
}

/**
 * @param {Attempted} before
 * @param {Attempted} after
 * @param {readonly (number | null)[]} figures whose ratio is the centre of the interval
 * @returns {Pick<MetricFinding, 'test' | 'reason'>}
 */
function test(before, after, [one, other]) {
  if (before.estimate === null || after.estimate === null) {
    return { test: null, reason: reasonOf(before.reason, after.reason) };
  }
  if (!one || !other) {
    return { test: null, reason: 'one of the figures is unknown' };
  }
  const [from, to] = [
    { ...before.estimate, log: Math.log(one) },
    { ...after.estimate, log: Math.log(other) },
  ];
  return { test: testRatio(from, to), reason: null };
}

/**
 * @param {string | null} before
 * @param {string | null} after
 * @returns {string | null} why there is no test; null if nothing is missing
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
 * @param {number} percentile
 * @param {readonly Latencies[]} latencies before and after
 * @param {readonly (number | null)[]} figures
 */
function testQuantile(percentile, latencies, figures) {
  const [before, after] = latencies.map((each) => attemptQuantile(each, percentile / 100));
  return test(before, after, figures);
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
    return { reason: reason ?? 'no latency data' };
  }
  const withOperations = seconds.filter(({ operations }) => operations > 0);
  if (withOperations.some(({ histogram }) => typeof histogram !== 'string')) {
    return { reason: 'no per-second latencies: logs do not contain them; use a --json result' };
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

/** @param {StageSum | KindSum} counts */
function failuresOf(counts) {
  const { attempts, operations, errors, steps, failedAttempts } = counts;
  const known = { attempts: attempts ?? 0, operations: operations ?? 0, errors, steps, failedAttempts };
  return { failed: Math.max(failedAttemptsOf(known), 0), attempts: known.attempts };
}

/**
 * @param {{ before: Failures, after: Failures }} failures
 * @returns {MetricFinding} the share of failed attempts
 */
function failureFinding({ before: one, after: other }) {
  const [shareBefore, shareAfter] = [one, other].map(({ failed, attempts }) =>
    attempts > 0 ? Math.min(failed / attempts, 1) : null,
  );
  const isKnown = shareBefore !== null && shareAfter !== null;
  return {
    metric: 'errorShare',
    before: shareBefore,
    after: shareAfter,
    test: isKnown ? testFailures(one, other) : null,
    reason: isKnown ? null : 'there were no attempts',
  };
}

/** Probability on each side of the interval. */
const TAIL = 0.025;

const HALVINGS = 200;

/** @typedef {{ failed: number, attempts: number }} Failures counts of attempts; `attempts` is at least 1 in a test */

/**
 * An exact test of whether one side failed more often. If all attempts are equally likely to fail, the number of
 * failures in `after` is binomial (J. Przyborowski, H. Wilenski, Homogeneity of results in testing samples from Poisson
 * series, Biometrika 31 (1940)). The interval is that of C. J. Clopper, E. S. Pearson, The use of confidence or
 * fiducial limits illustrated in the case of the binomial, Biometrika 26 (1934).
 *
 * @param {Failures} before
 * @param {Failures} after
 * @returns {RatioTest | null} of the shares of failed attempts; null if no attempt failed
 */
export function testFailures(before, after) {
  const failed = before.failed + after.failed;
  if (failed === 0) {
    return null;
  }
  const odds = before.attempts / after.attempts;
  const expected = after.attempts / (before.attempts + after.attempts);
  return {
    low: odds * oddsOf(lowestShare(after.failed, failed)),
    high: odds * oddsOf(1 - lowestShare(before.failed, failed)),
    p: Math.min(2 * atLeast(after.failed, failed, expected), 2 * atLeast(before.failed, failed, 1 - expected), 1),
  };
}

/** Infinity for a share of 1. @param {number} share */
function oddsOf(share) {
  return share / (1 - share);
}

/**
 * @param {number} successes
 * @param {number} trials
 * @param {number} share probability of success
 * @returns {number} probability of at least this many successes
 */
function atLeast(successes, trials, share) {
  return successes === 0 ? 1 : incompleteBeta(share, successes, trials - successes + 1);
}

/**
 * @param {number} successes
 * @param {number} trials
 * @returns {number} the smallest share with which at least this many successes have a probability of TAIL
 */
function lowestShare(successes, trials) {
  if (successes === 0) {
    return 0;
  }
  let [low, high] = [0, successes / trials];
  for (let halving = 0; halving < HALVINGS && high - low > Number.EPSILON * high; halving += 1) {
    const middle = (low + high) / 2;
    [low, high] = atLeast(successes, trials, middle) < TAIL ? [middle, high] : [low, middle];
  }
  return low;
}
