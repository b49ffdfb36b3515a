import { MIN_SECONDS } from '../../measure/statistics/dependent-mean.js';
import { meanOf } from '../../measure/statistics/moments.js';
import { counted } from '../../text/figures.js';
import { failedAttemptsOf } from '../counters.js';
import { figuresOf } from '../figures/catalogue.js';
import { Histogram } from '../histogram.js';
import { varies } from './differences.js';
import { testRatio } from './log-ratio.js';
import { estimateFailures, estimateQuantile, estimateRate, steadySeconds, whyTooFew } from './estimates.js';

/**
 * @import { Figure, StageFigure } from '../figures/catalogue.js'
 * @import { CommonOptions, KindSum, SecondResult, StageSum } from '../result.js'
 * @import { Estimate, RatioTest } from './log-ratio.js'
 */

/**
 * @typedef {object} StageSide
 * @property {StageSum} stage or one operation of a mix
 * @property {readonly SecondResult[]} seconds whole, at a steady load
 * @property {string | null} problem why the seconds show nothing
 *
 * @typedef {{ before: StageSide, after: StageSide }} StagePair
 *
 * @typedef {object} MetricFinding the measurements of a metric, before a verdict
 * @property {string} metric a figure of the catalogue
 * @property {number | null} before
 * @property {number | null} after
 * @property {RatioTest | null} test of the ratio; null if impossible
 * @property {string | null} reason why there is no test
 *
 * @typedef {Estimate | string} Attempt an estimate, or why there is none
 */

const VARYING_LOAD = 'the load of a search or a ramp changes during the measurement';

const OF_WHOLE_STAGE = 'figures per second cover the whole stage, not single operations of a mix';

const NO_SPREAD = 'a single figure per run does not show how much the figure varies';

/**
 * @param {StageSum} stage
 * @param {CommonOptions | null} options
 * @returns {StageSide}
 */
export function sideOf(stage, options) {
  if (varies(stage)) {
    return { stage, seconds: [], problem: VARYING_LOAD };
  }
  const seconds = steadySeconds(stage, options);
  const longer =
    options?.replay === undefined ? `run with --duration ${MIN_SECONDS + 2}s or longer` : 'replay a longer log';
  const few = `only ${counted(seconds.length, 'whole second')}: ${longer}`;
  return { stage, seconds, problem: seconds.length < MIN_SECONDS ? few : null };
}

/** One operation of a mix: only its errors are counted apart in a way that shows their spread. @param {KindSum} kind */
export function kindSideOf(kind) {
  return { stage: /** @type {StageSum} */ (/** @type {unknown} */ (kind)), seconds: [], problem: OF_WHOLE_STAGE };
}

/**
 * The CPU time is that of the whole process, so that the operations of a mix have none.
 *
 * @param {StagePair} pair the same stage of two results
 * @returns {MetricFinding[]}
 */
export function findingsOf(pair) {
  return figuresOf('compare').flatMap((figure) => {
    const { name: metric } = figure;
    const [before, after] = [pair.before, pair.after].map((side) => valueOf(figure, side));
    const isNothing = before === 0 && after === 0;
    if (metric === 'cpu' && pair.before.problem === OF_WHOLE_STAGE) {
      return [];
    }
    const one = attempt(figure, pair.before, before);
    const other = attempt(figure, pair.after, after);
    const isUnknown = typeof one === 'string' || typeof other === 'string';
    return [
      {
        metric,
        before,
        after,
        test: isUnknown || isNothing ? null : testRatio(one, other),
        reason: reasonOf(one, other),
      },
    ];
  });
}

/**
 * For one host, the rate comes from its result, or from the seconds if a log lacks it. For several hosts, it covers only
 * the time in which all of them measured.
 *
 * @param {Figure & { value: StageFigure }} figure
 * @param {StageSide} side
 * @returns {number | null}
 */
function valueOf({ name, value }, { stage, seconds }) {
  const fromStage = value(stage) ?? null;
  if (name !== 'rate' || seconds.length === 0) {
    return fromStage;
  }
  const fromSeconds = meanOf(seconds.map(({ operations }) => operations));
  return (stage.merge?.hosts ?? 1) > 1 ? fromSeconds : (fromStage ?? fromSeconds);
}

/**
 * @param {Figure} figure
 * @param {StageSide} side
 * @param {number | null} value of the figure
 * @returns {Attempt}
 */
function attempt({ name, percentile }, { stage, seconds, problem }, value) {
  if (name === 'errorShare') {
    const counts = { failed: failedAttemptsOf(stage), attempts: stage.attempts };
    return value === null ? (problem ?? 'there were no attempts') : estimateFailures(counts);
  }
  if (name === 'cpu') {
    return value === null ? 'logs do not contain it: use a --json result' : NO_SPREAD;
  }
  if (problem !== null) {
    return problem;
  }
  const found =
    percentile === undefined
      ? estimateRate(seconds.map(({ operations }) => operations))
      : quantileOf(stage, seconds, percentile);
  if (typeof found === 'string') {
    return found;
  }
  return found === null || !value ? 'it is 0 or unknown' : { ...found, log: Math.log(value) };
}

/**
 * @param {Attempt} before
 * @param {Attempt} after
 * @returns {string | null} why there is no test; null if nothing is missing
 */
function reasonOf(before, after) {
  if (typeof before === 'string' && before === after) {
    return before;
  }
  const sides = Object.entries({ before, after }).flatMap(([side, reason]) =>
    typeof reason === 'string' ? [`${side}: ${reason}`] : [],
  );
  return sides.length === 0 ? null : sides.join('; ');
}

/**
 * @param {StageSum} stage
 * @param {readonly SecondResult[]} seconds
 * @param {number} percentile
 * @returns {Attempt}
 */
function quantileOf({ latency }, seconds, percentile) {
  if (latency.histogram.operations === null) {
    return 'no latency data';
  }
  if (seconds.some(({ operations, histogram }) => operations > 0 && typeof histogram !== 'string')) {
    return 'no per-second latencies: logs do not contain them; use a --json result';
  }
  const whole = Histogram.decode(latency.histogram.operations);
  const limit = whole.at(percentile);
  const exceedances = seconds.map(({ histogram }) => {
    const second = histogram ? Histogram.decode(histogram) : new Histogram();
    return { above: second.countAbove(limit), all: second.count };
  });
  return whyTooFew(exceedances) ?? estimateQuantile(whole, exceedances, percentile / 100);
}
