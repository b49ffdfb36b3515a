import { describeLimit } from '../bottleneck/sentence.js';
import { bestStepOf } from '../log/shown-step.js';
import { agrees } from '../search/plateau.js';
import { counted, decimal, listOf, percent, shortLimit } from '../text/figures.js';

/**
 * @import { WritableResult, WritableStage } from '../model/write-result.js'
 */

/**
 * Summarizes a result in one sentence: operations per second and the bottleneck. Untrusted text in it is not escaped.
 *
 * @param {WritableResult} result
 */
export function answerOf({ stages, hosts }) {
  if (stages.length === 0) {
    return 'Nothing was measured.';
  }
  const names = new Set(hosts.map((each, index) => each.merge?.name ?? each.host ?? index));
  const who = names.size > 1 ? `${counted(names.size, 'host')} together` : 'One host';
  const capacities = stages.map(capacityText);
  const what = capacities.every((text) => text !== null)
    ? `The capacity is ${listOf(capacities.map(String))}`
    : `${who} completed ${listOf(stages.map(countText))} operations per second`;
  return `${what}. ${limitText(stages)}.`;
}

/** @param {WritableStage} stage */
function countText(stage) {
  const rate = rateOf(stage);
  if (rate !== null) {
    return `${decimal(rate)} ${stage.stage}`;
  }
  const peak = stage.peak ?? null;
  return peak === null ? `an unknown number of ${stage.stage}` : `${decimal(peak)} ${stage.stage} (in the peak second)`;
}

/**
 * @typedef {Pick<WritableStage, 'search' | 'merge' | 'average'>} RatedStage
 *
 * @param {RatedStage} stage
 * @returns {number | null} ops/s: the first known of the rate that a search found, the capacity, the rate while all
 *   hosts were in the stage (if there are several), and the mean
 */
export function rateOf(stage) {
  const { merge, average = null } = stage;
  const together = merge !== undefined && (merge.hosts > 1 || average === null) ? merge.together : null;
  const found = searchedRate(stage) ?? capacityOf(stage)?.operationsPerSecond;
  return found ?? together?.operationsPerSecond ?? average;
}

/**
 * The rate in ops/s that a search found; null if the store sustained none.
 *
 * @param {Pick<WritableStage, 'search'>} stage
 */
function searchedRate({ search }) {
  const { bound, operationsPerSecond } = search?.rate ?? {};
  return bound === 'exact' || bound === 'at least' ? (operationsPerSecond ?? null) : null;
}

/**
 * What replaces a stage's figures in a table if a search found a rate, or if the stage ran as a ramp. The search's last
 * step, the hold, ran below that rate, so its figures would appear to contradict it; and a mean over all steps of a ramp
 * would be meaningless.
 *
 * @param {Pick<WritableStage, 'search' | 'ramp' | 'merge'>} stage
 */
export function searchedFigures(stage) {
  const best = stage.ramp && !stage.merge ? bestStepOf(stage.ramp) : null;
  if (best) {
    return { average: best.rate, averageBytes: null, latency: { operations: best.step.latency } };
  }
  const average = searchedRate(stage);
  return average === null ? {} : { average, peak: null, averageBytes: null, latency: { operations: null } };
}

/** @param {RatedStage} stage */
function capacityOf({ search, merge }) {
  return search?.capacity ?? merge?.ramp?.capacity ?? null;
}

/** Null if no capacity was found. @param {WritableStage} stage */
function capacityText(stage) {
  const { rate } = stage.search ?? {};
  if (rate !== undefined && rate.operationsPerSecond !== null) {
    const bound = rate.bound === 'exact' ? '' : `${rate.bound} `;
    return `${bound}${decimal(rate.operationsPerSecond)} ${stage.stage} operations per second at a p99 of up to ${decimal(rate.slo)} ms`;
  }
  const capacity = capacityOf(stage);
  if (capacity === null) {
    return null;
  }
  const { operationsPerSecond, low, high, confidence, threads } = capacity;
  const hasPlateau = stage.search?.hasPlateau ?? stage.merge?.ramp?.hasPlateau;
  const best = stage.search?.best ?? operationsPerSecond;
  const isContradicted = !agrees(operationsPerSecond, best);
  const doubt = isContradicted ? `which contradicts the best step of ${decimal(best)}` : 'without a plateau';
  const from = hasPlateau ? `from ${counted(threads, 'thread')}` : `with ${counted(threads, 'thread')}, ${doubt}`;
  return (
    `${hasPlateau || isContradicted ? '' : 'at least '}${decimal(operationsPerSecond)} ${stage.stage} operations per second ` +
    `(${percent(confidence)} interval ${decimal(low)} to ${decimal(high)}, ${from})`
  );
}

/** Groups the stages by their limit. @param {readonly WritableStage[]} stages */
function limitText(stages) {
  /** @type {Map<string, WritableStage[]>} */
  const byLimit = new Map();
  for (const stage of stages) {
    const limit = stage.bottleneck ? shortLimit(stage.bottleneck) : 'inconclusive';
    byLimit.set(limit, [...(byLimit.get(limit) ?? []), stage]);
  }
  return [...byLimit.values()]
    .map((same) =>
      describeLimit(
        same.map(({ stage }) => stage),
        same[0].bottleneck ?? null,
      ),
    )
    .join('. ');
}
