import { counted, decimal, listOf, percent } from '../../text/figures.js';
import { nameOfLimit } from '../../bottleneck/sentence.js';
import { searchedRate } from '../answer.js';
import { wayAnswer } from '../ways.js';

/** @import { BottleneckSum, Result, StageSum } from '../../model/result.js' */

/**
 * Summarizes a result: operations per second and the bottleneck.
 *
 * @param {Result} result
 * @returns {string} one sentence
 */
export function answerOf(result) {
  const { stages, merge } = result;
  if (stages.length === 0) {
    return 'Nothing was measured.';
  }
  if (merge?.ways !== undefined) {
    return wayAnswer(merge.ways);
  }
  const hosts = new Set(result.hosts.map((host) => host.merge?.name ?? host.host)).size;
  const who = merge !== undefined && hosts > 1 ? `${counted(hosts, 'host')} together` : 'One host';
  const capacities = stages.map(capacityText);
  const what = capacities.every((text) => text !== null)
    ? `The capacity is ${listOf(capacities.map(String))}`
    : `${who} completed ${listOf(stages.map((stage) => `${decimal(rateOf(stage) ?? 0)} ${stage.stage}`))} operations per second`;
  return `${what}; ${limitText(stages)}.`;
}

/**
 * @param {StageSum} stage
 * @returns {number | null} ops/s: the rate that a search found, else the capacity, else the rate while all hosts were in the stage,
 *   else the mean
 */
export function rateOf(stage) {
  const found = searchedRate(stage) ?? capacityOf(stage)?.operationsPerSecond;
  return found ?? stage.merge?.together?.operationsPerSecond ?? stage.average ?? null;
}

/** @param {StageSum} stage */
function capacityOf({ search, merge }) {
  return search?.capacity ?? merge?.ramp?.capacity ?? null;
}

/**
 * @param {StageSum} stage
 * @returns {string | null} null if no capacity was found
 */
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
  const from = hasPlateau
    ? `from ${counted(threads, 'thread')}`
    : `with ${counted(threads, 'thread')}, without a plateau`;
  return (
    `${hasPlateau ? '' : 'at least '}${decimal(operationsPerSecond)} ${stage.stage} operations per second ` +
    `(${percent(confidence)} interval ${decimal(low)} to ${decimal(high)}, ${from})`
  );
}

/** @param {readonly StageSum[]} stages */
function limitText(stages) {
  /** @type {Map<string | null, { names: string[], likely: string[] }>} */
  const byLimit = new Map();
  for (const { stage, bottleneck = null } of stages) {
    const limit = limitOf(bottleneck);
    const { names, likely } = byLimit.get(limit) ?? { names: [], likely: [] };
    const isLikely = bottleneck?.certainty === 'likely';
    byLimit.set(limit, { names: [...names, stage], likely: isLikely ? [...likely, stage] : likely });
  }
  const unproven = byLimit.get(null)?.names ?? [];
  if (unproven.length === stages.length) {
    return 'the bottleneck is not known';
  }
  if (byLimit.size === 1) {
    const [[limit, group]] = byLimit;
    return limitedBy(limit, group);
  }
  const known = [...byLimit].flatMap(([limit, group]) =>
    limit === null
      ? []
      : [`${listOf(group.names)} ${group.names.length === 1 ? 'was' : 'were'} ${limitedBy(limit, group)}`],
  );
  const rest = unproven.length === 0 ? [] : [`the bottleneck of ${listOf(unproven)} is not known`];
  return [...known, ...rest].join(', ');
}

/**
 * @param {string | null} limit
 * @param {{ names: string[], likely: string[] }} stages that have it, and those for which it is only likely
 */
function limitedBy(limit, { names, likely }) {
  if (likely.length === names.length) {
    return `likely limited by ${limit}`;
  }
  return `limited by ${limit}${likely.length === 0 ? '' : ` (likely for ${listOf(likely)})`}`;
}

/**
 * @param {BottleneckSum | null} bottleneck
 * @returns {string | null} null if unknown
 */
export function limitOf(bottleneck) {
  if (bottleneck === null || bottleneck.cause === 'inconclusive') {
    return null;
  }
  return nameOfLimit(bottleneck.cause);
}
