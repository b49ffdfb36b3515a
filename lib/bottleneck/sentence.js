import { listOf } from '../text/figures.js';
import { plainLine, plainText } from '../text/plain-text.js';

/** @import { BottleneckSum } from '../model/result.js' */

/** Names of limits, to be used in a sentence. @type {Readonly<Record<string, string>>} */
const LIMITS = Object.freeze({
  'client CPU': "the client's CPU",
  'host CPU': 'the CPU of the host',
  'network link': 'the network link of the host',
  'store throttling': 'the store, which refused requests',
  concurrency: 'the number of threads',
  store: 'the store',
  bandwidth: 'bandwidth',
  'requested rate': 'the requested rate',
  'beyond this host': 'something beyond this host (store or path)',
});

/**
 * @param {string | readonly string[]} stages one stage, or several with the same limit
 * @param {Pick<BottleneckSum, 'cause' | 'certainty'>} bottleneck
 * @returns {string} the start of a sentence about their limit
 */
export function describeLimit(stages, { cause, certainty }) {
  const names = [stages].flat();
  const listed = listOf(names);
  if (cause === 'inconclusive') {
    return `The limit of ${listed} is unknown`;
  }
  const verb = names.length === 1 ? 'was' : 'were';
  return `${listed} ${verb} ${certainty === 'likely' ? 'likely ' : ''}limited by ${nameOfLimit(cause)}`;
}

/** @param {string} cause */
export function nameOfLimit(cause) {
  return Object.hasOwn(LIMITS, cause) ? LIMITS[cause] : plainText(cause);
}

/**
 * Describes the limit of one or more stages in a sentence.
 *
 * @param {string | readonly string[]} stages one stage, or several with the same limit
 * @param {Readonly<BottleneckSum>} bottleneck
 * @returns {string} one line of any length
 */
export function bottleneckSentence(stages, { evidence, advice, ...limit }) {
  const figures = evidence === null ? '' : `: ${plainLine(evidence)}`;
  const next = advice === null ? '' : `; try ${plainLine(advice)}`;
  return `${describeLimit(stages, limit)}${figures}${next}.`;
}
