import { plainLine, plainText } from '../text/plain-text.js';

/** @import { BottleneckSum } from '../model/result.js' */

/** What a stage was limited by, as a sentence says it. @type {Readonly<Record<string, string>>} */
const LIMITS = Object.freeze({
  'client CPU': "the client's CPU",
  'host CPU': 'the CPU of the host',
  'network link': 'the network link of the host',
  'store throttling': 'the store, which refused requests',
  concurrency: 'the number of threads',
  store: 'the store',
  bandwidth: 'bandwidth',
  'beyond this host': 'something beyond the host',
});

/**
 * @param {string} stage
 * @param {string} cause
 * @returns {string} the beginning of a sentence that says what limited the stage
 */
export function describeLimit(stage, cause) {
  const limit = Object.hasOwn(LIMITS, cause) ? LIMITS[cause] : plainText(cause);
  return cause === 'inconclusive' ? `What limited ${stage} is not proven` : `${stage} was limited by ${limit}`;
}

/**
 * What limited a stage, as one sentence for people.
 *
 * @param {string} stage
 * @param {Readonly<BottleneckSum>} bottleneck
 * @returns {string} of any length, on one line
 */
export function bottleneckSentence(stage, { cause, evidence, advice }) {
  const figures = evidence === null ? '' : `: ${plainLine(evidence)}`;
  const next = advice === null ? '' : `; ${plainLine(advice)} would tell more`;
  return `${describeLimit(stage, cause)}${figures}${next}.`;
}
