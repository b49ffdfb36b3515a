/** @import { SecondCount, SecondResult, StageSum } from '../../../result/result.js' */

const SECOND = 1000;

/** A second with this many measured ms counts as whole: hosts that start together can be a few ms late. */
const MIN_WHOLE = 990;

/**
 * @typedef {{ operations: number, bytes: number }} Rate per second
 * @typedef {{ from: number, until: number }} Time epoch ms
 */

/**
 * Rates to draw, by epoch second. Drops incomplete seconds, because their low counts would look like drops in the rate.
 * A stage without whole seconds has its mean rate in its most complete second.
 *
 * @param {StageSum} stage
 * @returns {Map<number, Rate>}
 */
export function ratesOfStage(stage) {
  const { seconds, average = null, averageBytes } = stage;
  const times = measuredTimes(stage);
  const parts = seconds.map((second) => ({ second, part: partOf(second, times) }));
  const whole = parts.filter(({ part }) => part >= MIN_WHOLE);
  if (whole.length > 0) {
    return new Map(whole.map(({ second }) => [second.secondStart, second]));
  }
  const largest = parts.reduce((most, { part }) => Math.max(most, part), 0);
  const main = largest === 0 ? undefined : parts.find(({ part }) => part === largest);
  return main === undefined || average === null
    ? new Map()
    : new Map([[main.second.secondStart, { operations: average, bytes: averageBytes ?? 0 }]]);
}

/**
 * @param {SecondCount} second
 * @param {readonly Time[]} times
 * @returns {number} ms of the second that are within the times
 */
function partOf({ secondStart }, times) {
  const [start, end] = [secondStart * SECOND, (secondStart + 1) * SECOND];
  return times.reduce((sum, { from, until }) => sum + Math.max(Math.min(end, until) - Math.max(start, from), 0), 0);
}

/** The times at which any host was in the stage, without the final drain. @param {StageSum} stage */
function measuredTimes({ startedAt = null, endedAt = null, drain, merge }) {
  const measuredUntil = (endedAt ?? Infinity) - (drain ?? 0);
  const shares = (merge?.shares ?? [{ startedAt, endedAt }]).map((share) => ({
    from: share.startedAt ?? -Infinity,
    until: Math.min(share.endedAt ?? Infinity, measuredUntil),
  }));
  /** @type {Time[]} */
  const times = [];
  for (const { from, until } of shares.sort((one, other) => one.from - other.from)) {
    const last = times.at(-1);
    if (last !== undefined && from <= last.until) {
      last.until = Math.max(last.until, until);
    } else {
      times.push({ from, until });
    }
  }
  return times;
}

/**
 * The seconds of all stages on one time axis. Each gap gets one second without values, so that no line crosses it.
 *
 * @typedef {object} TimeTable
 * @property {number[]} seconds epoch seconds, ascending
 * @property {(SecondResult | null)[][]} stages by stage, then by index in `seconds`
 * @property {(Rate | null)[][]} rates likewise; null for a second that is not drawn
 *
 * @param {readonly StageSum[]} stages
 * @returns {TimeTable}
 */
export function timeTable(stages) {
  const starts = stages.flatMap((stage) =>
    stage.seconds.flatMap(({ secondStart }, index) => {
      const next = stage.seconds[index + 1]?.secondStart ?? secondStart + 1;
      return next > secondStart + 1 ? [secondStart, secondStart + 1] : [secondStart];
    }),
  );
  const seconds = [...new Set(starts)].sort((one, other) => one - other);
  return {
    seconds,
    stages: stages.map((stage) => {
      const bySecond = new Map(stage.seconds.map((second) => [second.secondStart, second]));
      return seconds.map((second) => bySecond.get(second) ?? null);
    }),
    rates: stages.map((stage) => {
      const rates = ratesOfStage(stage);
      return seconds.map((second) => rates.get(second) ?? null);
    }),
  };
}
