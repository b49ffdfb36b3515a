/**
 * @typedef {{ threads: number, rate: number, error: number }} StepRate rate in ops/s, and its standard error
 * @typedef {StepRate & { refused: number }} TestedStep `refused`: share of the attempts that the store refused with a
 *   request to slow down
 */

/** Length of a hold in ms, excluding the time to settle. */
export const HOLD_MS = 10_000;

/** An increase of the rate by less than this share counts as no gain. */
const MIN_GROWTH = 0.03;

/** A rate of at least this share of the best, within the error, counts as equally good. */
const KNEE_SHARE = 0.99;

const TOLERANCE = 1.5;

/** A knee is confirmed if this many times its threads do not raise the rate. */
const CONFIRMED_AT = 2;

/** The hold uses this many times the knee's threads or more, if they reach the same rate, to keep the store busy. */
const HELD_AT = 1.25;

/** A smaller factor is enough to confirm a knee if the maximum number of threads was tested. */
const CONFIRMED_AT_LEAST = 4 / 3;

/** At this share of proportional growth or more, the next ramp step is a large one. */
const IN_PROPORTION = 0.8;

/** At this share of proportional growth or more, fewer threads cannot have reached the same rate, even allowing for
 * error. */
const STILL_GROWN = 0.9;

/** A hold that exceeds the best step by more than this factor does not agree with it. */
const MAX_HOLD_RATIO = 1.1;

/** A hold below this share of the best step does not confirm it. */
const MIN_HOLD_RATIO = 0.9;

/** A step below this share of the best earlier one proves nothing until it is repeated. */
const COLLAPSE = 0.9;

/** Operations per second that the first step should reach, so that its counts are not too small. */
const FIRST_RATE = 100;

const MIN_FIRST_THREADS = 4;
const MAX_FIRST_THREADS = 64;

/** The knee is located if two numbers of threads around it are at most this factor apart. */
const FINE_ENOUGH = 1.25;

/**
 * Whether a hold agrees with the best step of its search, so that each confirms the other.
 *
 * @param {number} held ops/s
 * @param {number} best ops/s
 */
export function agrees(held, best) {
  return held <= MAX_HOLD_RATIO * best && held >= MIN_HOLD_RATIO * best;
}

/**
 * @param {readonly TestedStep[]} ramp with increasing threads
 * @param {readonly TestedStep[]} refinements
 * @param {number} repeated threads of the ramp step that was repeated last
 * @param {number} maxThreads
 */
export function shapeOf(ramp, refinements, repeated, maxThreads) {
  const all = [...ramp, ...refinements];
  const rates = all.map(({ rate }) => rate);
  const [before, last] = ramp.slice(-2);
  const highest = ramp.at(-1);
  const knee = highest === undefined ? null : kneeOf(all);
  // A step slower than the previous one may be a hiccup of the store.
  const hasFallen = last !== undefined && last.rate < before.rate && last.threads !== repeated;
  const isUnconfirmed = hasFallen && last.rate < COLLAPSE * Math.max(...ramp.map(({ rate }) => rate));
  const isAtMost = highest?.threads === maxThreads;
  const isKneeConfirmed = knee !== null && highest !== undefined && isConfirmed(knee, highest.threads, maxThreads);
  // A lower number of threads, which the ramp skipped, may reach the maximum's rate.
  const hasLevelledOff = (hasLevelled(ramp) || (isAtMost && isKneeConfirmed)) && !isUnconfirmed;
  const showsPlateau = hasLevelledOff && isKneeConfirmed;
  return {
    all,
    highest,
    knee,
    /** Operations per second of the best step; 0 before the first step. */
    best: Math.max(0, ...rates),
    hasFallen,
    hasLevelled: hasLevelledOff,
    /** Whether enough threads above the knee were tested, and they did not raise the rate. */
    showsPlateau,
    /** Whether it would take more threads than allowed to show a plateau. */
    needsMoreThreads: isAtMost && !showsPlateau && !isUnconfirmed,
  };
}

/** Lowest tested number of threads whose rate is as good as any. @param {readonly StepRate[]} steps at least one */
export function kneeOf(steps) {
  return stepsAsGood(steps)[0].threads;
}

/**
 * @template {StepRate} Step
 * @param {readonly Step[]} steps at least one
 * @returns {Step[]} the steps whose rate is as good as any, in order of threads
 */
export function stepsAsGood(steps) {
  const level = Math.max(...steps.map(({ rate, error }) => rate - TOLERANCE * error));
  return steps
    .filter(({ rate, error }) => rate + TOLERANCE * error >= KNEE_SHARE * level)
    .sort((one, other) => one.threads - other.threads);
}

/**
 * Whether the last step gained almost nothing.
 *
 * @param {readonly StepRate[]} ramp steps in order of increasing threads
 */
export function hasLevelled(ramp) {
  const [before, last] = ramp.slice(-2);
  return last !== undefined && last.rate < (1 + MIN_GROWTH) * before.rate;
}

/**
 * @param {number} knee threads
 * @param {number} highest tested number of threads
 * @param {number} maxThreads
 * @returns {boolean} whether enough threads above the knee were tested
 */
export function isConfirmed(knee, highest, maxThreads) {
  return highest >= (highest === maxThreads ? CONFIRMED_AT_LEAST : CONFIRMED_AT) * knee;
}

/**
 * @param {readonly StepRate[]} ramp at least one step, in order of increasing threads; the last with the maximum
 * @param {number} unloadedLatency ms of an operation with one thread
 * @returns {number | null} the highest number of threads that would show a plateau if it reached the maximum's rate;
 *   null if the rate grew about in proportion, so that fewer threads cannot have reached it
 */
export function belowMaximum(ramp, unloadedLatency) {
  const { threads } = ramp[ramp.length - 1];
  const fewer = Math.floor(threads / CONFIRMED_AT_LEAST);
  const hasGrown = shareOfProportion(ramp, unloadedLatency) >= STILL_GROWN;
  return fewer > (ramp.at(-2)?.threads ?? 0) && !hasGrown ? fewer : null;
}

/**
 * @param {readonly StepRate[]} ramp steps in order of increasing threads
 * @param {number} unloadedLatency ms of an operation with one thread
 * @returns {number} threads of the next step
 */
export function nextOfRamp(ramp, unloadedLatency) {
  if (ramp.length === 0) {
    const threads = Math.ceil((FIRST_RATE * unloadedLatency) / 1000);
    return Math.min(Math.max(threads, MIN_FIRST_THREADS), MAX_FIRST_THREADS);
  }
  return ramp[ramp.length - 1].threads * (shareOfProportion(ramp, unloadedLatency) >= IN_PROPORTION ? 4 : 2);
}

/**
 * @param {readonly StepRate[]} ramp at least one step, in order of increasing threads
 * @param {number} unloadedLatency ms of an operation with one thread
 * @returns {number} the last step's rate ÷ its rate if it had grown in proportion to the number of threads
 */
function shareOfProportion(ramp, unloadedLatency) {
  const last = ramp[ramp.length - 1];
  const before = ramp.at(-2) ?? { threads: 1, rate: 1000 / unloadedLatency };
  return last.rate / ((before.rate * last.threads) / before.threads);
}

/**
 * @param {readonly StepRate[]} steps
 * @param {number} knee threads, as known so far
 * @returns {number | null} threads between the knee and the next lower tested number; null if the knee is found
 */
export function nextOfRefinement(steps, knee) {
  const below = Math.max(0, ...steps.map(({ threads }) => threads).filter((threads) => threads < knee));
  if (below === 0) {
    return knee > 1 ? Math.floor(knee / 2) : null;
  }
  const between = Math.round(Math.sqrt(below * knee));
  return knee / below <= FINE_ENOUGH || between === below || between === knee ? null : between;
}

/** Shares of refused attempts that differ by less than this count as equal: a few refusals can be due to chance. */
const SAME_REFUSALS = 0.01;

/**
 * A tested number of threads whose rate is as good as any other, and at which the store refused the fewest requests.
 * Right at the knee, a store is sometimes idle; with a few more threads, it always has an operation waiting.
 *
 * @param {readonly TestedStep[]} steps at least one
 */
export function threadsToHold(steps) {
  const good = stepsAsGood(steps);
  const fewest = Math.min(...good.map(({ refused }) => refused));
  const threads = good.filter(({ refused }) => refused < fewest + SAME_REFUSALS).map((step) => step.threads);
  return threads.find((each) => each >= HELD_AT * good[0].threads) ?? threads[threads.length - 1];
}
