/** @import { CommonOptions, SecondResult, StageSum } from '../model/result.js' */

/** ms that are left out at each end where nothing says at which moment the stage began and ended. */
const UNKNOWN_EDGE = 1000;

/**
 * The whole seconds of a stage in which its load was what it was meant to be: without the partial ones at either end,
 * without warm-up and drain, without those next to a pause, and with all hosts in the stage.
 *
 * @param {StageSum} stage
 * @param {CommonOptions | null} options of its run
 * @returns {SecondResult[]} in their order
 */
export function steadySeconds(stage, options) {
  const { from, until } = (stage.merge?.hosts ?? 1) > 1 ? timeOfAll(stage, options) : timeOfOne(stage);
  const seconds = stage.seconds
    .filter(({ secondStart }) => 1000 * secondStart >= from && 1000 * (secondStart + 1) <= until)
    .sort((one, other) => one.secondStart - other.secondStart);
  return stage.paused ? seconds.filter((_, place) => !isNextToPause(seconds, place)) : seconds;
}

/**
 * @param {readonly SecondResult[]} seconds
 * @param {number} place of one that the process may have been suspended for a part of
 */
function isNextToPause(seconds, place) {
  const { secondStart } = seconds[place];
  const [before, after] = [seconds[place - 1], seconds[place + 1]];
  return before?.secondStart < secondStart - 1 || after?.secondStart > secondStart + 1;
}

/**
 * @typedef {{ from: number, until: number }} Time epoch ms; a time that is not known has no second in it
 *
 * @param {StageSum} stage of one host
 * @returns {Time}
 */
function timeOfOne({ startedAt, endedAt, warmup, drain }) {
  return {
    from: (startedAt ?? Infinity) + (warmup ?? UNKNOWN_EDGE),
    until: (endedAt ?? -Infinity) - (drain ?? UNKNOWN_EDGE),
  };
}

/**
 * The warm-up and the time are those of each host, and begin with it: the last host's warm-up and the first host's time are
 * what counts.
 *
 * @param {StageSum} stage of several hosts
 * @param {CommonOptions | null} options that they have in common
 * @returns {Time}
 */
function timeOfAll({ startedAt, endedAt, warmup, drain, merge }, options) {
  const { from: lastStart, to: firstEnd } = merge?.overlap ?? {};
  return {
    from: (lastStart ?? Infinity) + (options?.warmup ?? warmup ?? UNKNOWN_EDGE),
    until: Math.min(
      firstEnd ?? -Infinity,
      (endedAt ?? -Infinity) - (drain ?? UNKNOWN_EDGE),
      (startedAt ?? -Infinity) + (options?.duration ?? Infinity),
    ),
  };
}
