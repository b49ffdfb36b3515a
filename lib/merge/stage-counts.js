import { COUNT_NAMES } from './machine-facts.js';

/**
 * @import { CountName } from './machine-facts.js'
 * @import { StageView } from './stage-views.js'
 *
 * @typedef {object} StageCounts what the hosts counted in a stage, added up
 * @property {Record<CountName, number>} counts
 * @property {Record<string, number>} errors failed attempts by kind, the most frequent first
 * @property {boolean} isAtLeast whether a log is cut short, so that there was more
 */

/** Logs without machine lines tell how many attempts failed, but not how. */
const UNKNOWN_KIND = 'unknown kind';

/**
 * @param {readonly StageView[]} views
 * @returns {StageCounts}
 */
export function addCounts(views) {
  const counts = /** @type {Record<CountName, number>} */ (Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])));
  /** @type {Map<string, number>} */
  const errors = new Map();
  for (const view of views) {
    const { counts: added, errors: kinds } = view.log.facts ?? countsWithoutFacts(view);
    COUNT_NAMES.forEach((name) => (counts[name] += added[name] ?? 0));
    kinds.forEach(([kind, count]) => errors.set(kind, (errors.get(kind) ?? 0) + count));
  }
  const sorted = [...errors].filter(([, count]) => count > 0).sort((one, other) => other[1] - one[1]);
  return { counts, errors: Object.fromEntries(sorted), isAtLeast: views.some(({ log }) => log.isCut) };
}

/**
 * @param {StageView} view
 * @returns {{ counts: Partial<Record<CountName, number>>, errors: [string, number][] }}
 */
function countsWithoutFacts({ log, operations, bytes }) {
  const retries = log.summary?.recoverableErrors ?? log.retries;
  return { counts: { operations, bytes, attempts: operations + retries, retries }, errors: [[UNKNOWN_KIND, retries]] };
}
