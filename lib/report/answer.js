import { counted, decimal, listOf, shortLimit } from '../text/figures.js';
import { plainText } from '../text/plain-text.js';
import { wayAnswer } from './ways.js';

/**
 * @import { WritableResult, WritableStage } from '../model/write-result.js'
 *
 * @typedef {{ rate: number | null, bound: 'exact' | 'at least' | 'at most' | 'peak' }} Answer ops/s
 */

const UNKNOWN = 'inconclusive';

/**
 * Summarizes a result: operations per second and the bottleneck.
 *
 * @param {WritableResult} result
 * @returns {string} a sentence on one line; untrusted text in it is not escaped for any format
 */
export function answerOf(result) {
  const { stages } = result;
  if (stages.length === 0) {
    return 'Nothing was measured.';
  }
  if (result.merge?.ways !== undefined) {
    return wayAnswer(result.merge.ways);
  }
  const isSearch = stages.some(({ search }) => search !== undefined);
  const hosts = new Set(result.hosts.map(({ merge, host }, index) => merge?.name ?? host ?? index)).size;
  const rates = listOf(stages.map((stage) => `${rateText(stage)} in ${stage.stage}`));
  const together = hosts > 1 ? ' together' : '';
  return `${hosts === 1 ? 'One host' : counted(hosts, 'host')}${together} ${isSearch ? 'can sustain' : 'completed'} ${rates}${limitText(stages)}.`;
}

/** @param {WritableStage} stage */
function rateText(stage) {
  const { rate, bound } = rateOf(stage);
  if (rate === null) {
    return 'an unknown rate';
  }
  const text = `${decimal(rate)} ops/s`;
  return bound === 'exact' ? text : bound === 'peak' ? `${text} in the peak second` : `${bound} ${text}`;
}

/**
 * @param {WritableStage} stage
 * @returns {Answer} the capacity or highest rate that a search found, else the mean, else the peak
 */
function rateOf({ search, merge, average, peak }) {
  if (search?.rate !== undefined) {
    const { operationsPerSecond, bound } = search.rate;
    return { rate: operationsPerSecond, bound: bound === 'none' ? 'exact' : bound };
  }
  const found = search ?? merge?.ramp;
  if (found !== undefined && found.capacity !== null) {
    return { rate: found.capacity.operationsPerSecond, bound: found.hasPlateau ? 'exact' : 'at least' };
  }
  return average === null || average === undefined
    ? { rate: peak ?? null, bound: 'peak' }
    : { rate: average, bound: search === undefined ? 'exact' : 'at least' };
}

/**
 * @param {Pick<WritableStage, 'search'>} stage
 * @returns {number | null} ops/s found by a search for the highest rate; null if the store sustained none
 */
export function searchedRate({ search }) {
  const { bound, operationsPerSecond } = search?.rate ?? {};
  return bound === 'exact' || bound === 'at least' ? (operationsPerSecond ?? null) : null;
}

/** @param {readonly WritableStage[]} stages */
function limitText(stages) {
  /** @type {Map<string, string[]>} */
  const byCause = new Map();
  for (const { stage, bottleneck, merge } of stages) {
    const cause = bottleneck
      ? shortLimit(bottleneck)
      : commonCause(merge?.shares.map(({ limitedBy }) => limitedBy) ?? []);
    byCause.set(cause, [...(byCause.get(cause) ?? []), stage]);
  }
  const unknown = byCause.get(UNKNOWN) ?? [];
  const known = [...byCause].filter(([cause]) => cause !== UNKNOWN);
  const limits = known.map(([cause, names]) => `by ${plainText(cause)} in ${listOf(names)}`);
  const limited = limits.length === 0 ? '' : `, limited ${listOf(limits)}`;
  if (unknown.length === 0) {
    return limited;
  }
  const where = unknown.length === stages.length ? '' : ` of ${listOf(unknown)}`;
  return `${limited}; the bottleneck${where} is not known`;
}

/** @param {readonly (string | null)[]} causes one per host */
function commonCause([first, ...others]) {
  return typeof first === 'string' && others.every((other) => other === first) ? first : UNKNOWN;
}
