import { meanOf, standardErrorOf, sumOf } from '../statistics/moments.js';
import { signFlipTest } from '../statistics/sign-flip.js';
import { bothTails, studentT } from '../statistics/student-t.js';
import { adjustByHolm } from './holm.js';
import { CONFIDENCE, verdictOf } from './verdict.js';

/**
 * @import { InterleavedMetric, InterleavedMetricComparison, InterleavedStage, Quad, Side } from '../model/interleaved.js'
 * @import { RatioTest } from './log-ratio.js'
 */

/** With fewer, the sign-flip test could not be below 5%, whatever the quads are. */
export const MIN_QUADS = 6;

/** Its time and memory grow with the square root of 2 to the power of quads. */
export const MAX_QUADS = 40;

const ALPHA = 1 - CONFIDENCE;

/** How many more quads would bring the tests together depends on which quads they are. */
const DISAGREEMENT =
  'the t interval shows a difference, and the exact sign-flip test does not, as where single quads are unlike the others';

/** @type {readonly InterleavedMetric[]} */
const METRICS = ['rate', 'p50', 'p99', 'cpu'];

/**
 * Decides for each stage and metric what the quads show. A quad's log ratio is the mean of its two logarithms of B minus
 * that of its two of A: what changed linearly over the four passes is in both. The log ratios of the quads decide, by their
 * t interval, which takes the variation from pass to pass as it is (T. Kalibera and R. Jones, Rigorous Benchmarking in
 * Reasonable Time, ISMM 2013, want the same of repeated runs), with Holm's correction for the number of tests.
 *
 * Whether both are the same within the margin is asked first: a difference that is known and too small to matter is none.
 *
 * @param {readonly Quad[]} quads
 * @param {object} options
 * @param {number} options.margin share of a change that counts as none, such as 0.03
 * @returns {InterleavedStage[]} the stages that the quads have, in their order
 */
export function compareQuads(quads, { margin }) {
  const names = quads[0]?.passes[0].stages.map(({ stage }) => stage) ?? [];
  const samples = names.flatMap((stage) => METRICS.map((metric) => sampleOf(quads, stage, metric)));
  const tested = samples.filter(({ test }) => test !== null);
  const adjusted = adjustByHolm(tested.map(({ test }) => Number(test?.p)));
  return names.map((name) => ({
    stage: name,
    metrics: samples
      .filter(({ stage }) => stage === name)
      .map((sample) => decide(sample, { margin, p: adjusted[tested.indexOf(sample)] ?? 1, tests: tested.length })),
    failedAttempts: { a: failuresOf(quads, name, 'a'), b: failuresOf(quads, name, 'b') },
  }));
}

/**
 * What the quads have of one metric of a stage.
 *
 * @typedef {object} Sample
 * @property {string} stage
 * @property {InterleavedMetric} metric
 * @property {number | null} before geometric mean of A
 * @property {number | null} after that of B
 * @property {number[]} logRatios
 * @property {RatioTest | null} test by their t interval; null where they are too few
 * @property {number | null} signFlip likewise
 */

/**
 * @param {readonly Quad[]} quads
 * @param {string} stage
 * @param {InterleavedMetric} metric
 * @returns {Sample}
 */
function sampleOf(quads, stage, metric) {
  // Of what took no measurable time, or did not happen, there is no logarithm.
  const known = quads
    .map((quad) => ({ a: logsOf(quad, stage, metric, 'a'), b: logsOf(quad, stage, metric, 'b') }))
    .filter(({ a, b }) => [...a, ...b].every(Number.isFinite));
  const logRatios = known.map(({ a, b }) => meanOf(b) - meanOf(a));
  const isEnough = logRatios.length >= MIN_QUADS;
  return {
    stage,
    metric,
    before: geometricMean(known.flatMap(({ a }) => a)),
    after: geometricMean(known.flatMap(({ b }) => b)),
    logRatios,
    test: isEnough ? testQuads(logRatios) : null,
    signFlip: isEnough ? signFlipTest(logRatios) : null,
  };
}

/**
 * @param {Quad} quad
 * @param {string} stage
 * @param {InterleavedMetric} metric
 * @param {Side} side
 * @returns {number[]} the natural logarithms of its passes; not finite where they are not known
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
 * @param {readonly number[]} logRatios at least two
 * @returns {RatioTest}
 */
function testQuads(logRatios) {
  const mean = meanOf(logRatios);
  const error = standardErrorOf(logRatios);
  const reach = studentT(logRatios.length - 1) * error;
  return { low: Math.exp(mean - reach), high: Math.exp(mean + reach), p: chanceOf(mean, error, logRatios.length) };
}

/**
 * @param {number} mean
 * @param {number} error its standard error
 * @param {number} count of values
 * @returns {number} how often chance alone brings a mean that is as far from 0
 */
function chanceOf(mean, error, count) {
  return mean === 0 ? 1 : bothTails(mean / error, count - 1);
}

/**
 * @param {Sample} sample
 * @param {{ margin: number, p: number, tests: number }} context `p` is adjusted for so many tests
 * @returns {InterleavedMetricComparison}
 */
function decide({ metric, before, after, logRatios, test, signFlip }, { margin, p, tests }) {
  const tooFew = `${logRatios.length} quads, expected ${MIN_QUADS} or more`;
  const found = verdictOf({ metric, before, after, test, reason: tooFew }, { margin, p, tests });
  const isDifferent = found.verdict !== 'the same' && found.verdict !== 'cannot tell';
  const disagrees = isDifferent && signFlip !== null && signFlip > ALPHA;
  const decided = disagrees ? { verdict: /** @type {const} */ ('cannot tell'), reason: DISAGREEMENT } : found;
  return {
    metric,
    before,
    after,
    ratio: logRatios.length === 0 ? null : Math.exp(meanOf(logRatios)),
    low: test?.low ?? null,
    high: test?.high ?? null,
    ...decided,
    logRatios,
    tTest: test?.p ?? null,
    signFlip,
    moreQuads:
      decided.verdict === 'cannot tell' && !disagrees ? quadsNeeded(logRatios, { level: ALPHA / tests, margin }) : null,
  };
}

/**
 * How many quads in addition it would take if further ones were like these, whatever the other tests show.
 *
 * @param {readonly number[]} logRatios
 * @param {{ level: number, margin: number }} asked of the t test, and of the interval
 * @returns {number | null} null where no comparison has as many
 */
function quadsNeeded(logRatios, { level, margin }) {
  const count = logRatios.length;
  if (count < MIN_QUADS) {
    return MIN_QUADS - count;
  }
  const mean = Math.abs(meanOf(logRatios));
  const deviation = standardErrorOf(logRatios) * Math.sqrt(count);
  const wouldTell = (/** @type {number} */ quads) => {
    const error = deviation / Math.sqrt(quads);
    return mean + studentT(quads - 1) * error <= Math.log1p(margin) || chanceOf(mean, error, quads) <= level;
  };
  // More quads never tell less: what is looked for lies between one that would not tell and one that would.
  let [low, high] = [count, MAX_QUADS];
  if (low >= high || !wouldTell(high)) {
    return null;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = wouldTell(middle) ? [low, middle] : [middle, high];
  }
  return high - count;
}

/**
 * @param {readonly Quad[]} quads
 * @param {string} name of a stage
 * @param {Side} side
 * @returns {number} attempts that failed
 */
function failuresOf(quads, name, side) {
  const passes = quads.flatMap((quad) => quad.passes.filter((pass) => pass.side === side));
  const stages = passes.flatMap((pass) => pass.stages.filter(({ stage }) => stage === name));
  return sumOf(stages.map(({ failedAttempts }) => failedAttempts));
}
