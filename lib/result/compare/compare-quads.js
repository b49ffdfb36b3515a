import { figuresOf } from '../figures/catalogue.js';
import { MAX_QUADS, MIN_QUADS } from '../../options/values.js';
import { meanOf, standardErrorOf, sumOf } from '../../measure/statistics/moments.js';
import { bothTails, studentT } from '../../measure/statistics/student-t.js';
import { CONFIDENCE, adjustByHolm, testRatio, verdictOf } from './log-ratio.js';
import { estimateOfLogs } from './estimates.js';

/**
 * @import { InterleavedMetricComparison, InterleavedStage, Quad, QuadOrder, Side } from '../interleaved.js'
 * @import { Result } from '../result.js'
 * @import { RatioTest } from './log-ratio.js'
 */

const ALPHA = 1 - CONFIDENCE;

const METRICS = figuresOf('ab').map(({ name }) => name);

const TURNS_PER_QUAD = 4;

/** Exactly 1, with which the ratio of a quad is compared. */
const SAME = Object.freeze({ log: 0, freedom: Infinity, below: () => 0, above: () => 0 });

/**
 * @param {readonly { turn: { side: Side, quad: number | null }, result: Pick<Result, 'stages'> }[]} ended turns in order
 * @returns {Quad[]} those that are complete
 */
export function quadsOf(ended) {
  const measured = ended.filter(({ turn }) => turn.quad !== null);
  return Array.from({ length: Math.floor(measured.length / TURNS_PER_QUAD) }, (_, quad) => {
    const passes = measured
      .slice(quad * TURNS_PER_QUAD, (quad + 1) * TURNS_PER_QUAD)
      .map(({ turn, result }) => ({ side: turn.side, stages: result.stages.map(passStage) }));
    return { order: /** @type {QuadOrder} */ (passes.map(({ side }) => side.toUpperCase()).join('')), passes };
  });
}

/** @param {Result['stages'][number]} result */
function passStage(result) {
  const { stage, startedAt, duration, operations, failedAttempts = null } = result;
  const metrics = Object.fromEntries(figuresOf('ab').map(({ name, value }) => [name, value(result) ?? null]));
  return { stage, startedAt, duration, operations, failedAttempts: failedAttempts ?? 0, metrics };
}

/**
 * Decides the verdict on each stage and metric. A quad's log ratio is the mean log of its two B passes minus that of
 * its two A passes, which cancels linear drift over the four passes. The t interval of these log ratios decides, with
 * Holm's correction for the number of tests. It includes the variation between passes, as T. Kalibera and R. Jones
 * recommend for repeated runs (Rigorous Benchmarking in Reasonable Time, ISMM 2013).
 *
 * @param {readonly Quad[]} quads
 * @param {object} options
 * @param {number} options.margin a change smaller than this share counts as no change, such as 0.03
 * @returns {InterleavedStage[]}
 */
export function compareQuads(quads, { margin }) {
  const names = quads[0]?.passes[0].stages.map(({ stage }) => stage) ?? [];
  const samples = names.flatMap((stage) => METRICS.map((metric) => sampleOf(quads, stage, metric)));
  const adjusted = adjustByHolm(samples.map(({ test }) => test));
  return names.map((name) => ({
    stage: name,
    metrics: samples.filter(({ stage }) => stage === name).map((sample) => decide(sample, margin, adjusted)),
    failedAttempts: { a: failuresOf(quads, name, 'a'), b: failuresOf(quads, name, 'b') },
  }));
}

/**
 * @typedef {object} Sample one metric of a stage over all quads
 * @property {string} stage
 * @property {string} metric
 * @property {number | null} before geometric mean of A; null without usable quads
 * @property {number | null} after geometric mean of B, likewise
 * @property {number[]} logRatios
 * @property {RatioTest | null} test by the t interval; null if there are too few quads
 */

/**
 * @param {readonly Quad[]} quads
 * @param {string} stage
 * @param {string} metric
 * @returns {Sample}
 */
function sampleOf(quads, stage, metric) {
  // Skips quads with a zero or missing figure, which has no logarithm.
  const known = quads
    .map((quad) => ({ a: logsOf(quad, stage, metric, 'a'), b: logsOf(quad, stage, metric, 'b') }))
    .filter(({ a, b }) => [...a, ...b].every(Number.isFinite));
  const logRatios = known.map(({ a, b }) => meanOf(b) - meanOf(a));
  return {
    stage,
    metric,
    before: geometricMean(known.flatMap(({ a }) => a)),
    after: geometricMean(known.flatMap(({ b }) => b)),
    logRatios,
    test: logRatios.length < MIN_QUADS ? null : testRatio(SAME, estimateOfLogs(logRatios)),
  };
}

/**
 * @param {Quad} quad
 * @param {string} stage
 * @param {string} metric
 * @param {Side} side
 * @returns {number[]} natural logarithms, one per pass; not finite for an unknown or zero figure
 */
function logsOf({ passes }, stage, metric, side) {
  return passes
    .filter((pass) => pass.side === side)
    .map(({ stages }) => Math.log(stages.find((each) => each.stage === stage)?.metrics[metric] ?? NaN));
}

/** @param {readonly number[]} logs */
function geometricMean(logs) {
  return logs.length === 0 ? null : Math.exp(meanOf(logs));
}

/**
 * @param {Sample} sample
 * @param {number} margin
 * @param {ReadonlyMap<RatioTest | null, number>} adjusted
 * @returns {InterleavedMetricComparison}
 */
function decide({ metric, before, after, logRatios, test }, margin, adjusted) {
  const reason = `only ${logRatios.length} usable quads (at least ${MIN_QUADS} are needed)`;
  const found = verdictOf({ metric, before, after, test, reason }, margin, adjusted);
  const isUnknown = found.verdict === 'cannot tell';
  return {
    metric,
    before,
    after,
    ratio: logRatios.length === 0 ? null : Math.exp(meanOf(logRatios)),
    low: test?.low ?? null,
    high: test?.high ?? null,
    ...found,
    logRatios,
    tTest: test?.p ?? null,
    moreQuads: isUnknown ? quadsNeeded(logRatios, ALPHA / adjusted.size, margin) : null,
  };
}

/**
 * Estimates how many more quads like these would give a verdict, whatever the outcome of the other tests.
 *
 * @param {readonly number[]} logRatios
 * @param {number} level of the t test
 * @param {number} margin of the interval
 * @returns {number | null} null if {@link MAX_QUADS} would not be enough
 */
function quadsNeeded(logRatios, level, margin) {
  const count = logRatios.length;
  if (count < MIN_QUADS) {
    return MIN_QUADS - count;
  }
  const mean = Math.abs(meanOf(logRatios));
  const deviation = standardErrorOf(logRatios) * Math.sqrt(count);
  for (let quads = count + 1; quads <= MAX_QUADS; quads += 1) {
    const error = deviation / Math.sqrt(quads);
    if (mean + studentT(quads - 1) * error <= Math.log1p(margin) || bothTails(mean / error, quads - 1) <= level) {
      return quads - count;
    }
  }
  return null;
}

/**
 * @param {readonly Quad[]} quads
 * @param {string} name of a stage
 * @param {Side} side
 */
function failuresOf(quads, name, side) {
  const passes = quads.flatMap((quad) => quad.passes.filter((pass) => pass.side === side));
  const stages = passes.flatMap((pass) => pass.stages.filter(({ stage }) => stage === name));
  return sumOf(stages.map(({ failedAttempts }) => failedAttempts));
}
