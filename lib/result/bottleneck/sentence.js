import { listOf } from '../../text/figures.js';
import { plainLine, plainText } from '../../text/plain-text.js';

/** @import { BottleneckSum } from '../result.js' */

/** What limits are called in a sentence. */
const LIMITS = Object.freeze({
  'client CPU': "the client's CPU",
  'client sockets': 'the sockets of the client',
  'host CPU': 'the CPU of the host',
  'network link': 'the network link of the host',
  'store throttling': 'the store, which refused requests',
  concurrency: 'the number of threads',
  store: 'the store',
  bandwidth: 'bandwidth',
  'requested rate': 'the requested rate',
  'beyond this host': 'the store or the path to it',
});

/** @typedef {keyof typeof LIMITS | 'overloaded' | 'inconclusive'} BottleneckCause */

/**
 * @param {Pick<BottleneckSum, 'cause' | 'certainty'>} bottleneck other than `inconclusive`
 * @returns {string} such as `likely limited by the store`
 */
export function predicateOf({ cause, certainty }) {
  const limit = Object.hasOwn(LIMITS, cause) ? LIMITS[/** @type {keyof typeof LIMITS} */ (cause)] : plainText(cause);
  return `${certainty === 'likely' ? 'likely ' : ''}${cause === 'overloaded' ? cause : `limited by ${limit}`}`;
}

/**
 * @param {string | readonly string[]} stages one stage, or several with the same limit
 * @param {Pick<BottleneckSum, 'cause' | 'certainty'> | null} bottleneck null if unknown
 * @returns {string} the start of a sentence about their limit
 */
function describeLimit(stages, bottleneck) {
  const names = [stages].flat();
  return bottleneck === null || bottleneck.cause === 'inconclusive'
    ? `The limit of ${listOf(names)} is unknown`
    : `${listOf(names)} ${names.length === 1 ? 'was' : 'were'} ${predicateOf(bottleneck)}`;
}

/**
 * Describes the limit of one or more stages in a sentence.
 *
 * @param {string | readonly string[]} stages one stage, or several with the same limit
 * @param {Readonly<BottleneckSum> | null} bottleneck null if unknown
 * @returns {string} one line of any length
 */
export function bottleneckSentence(stages, bottleneck) {
  const { evidence = null, advice = null } = bottleneck ?? {};
  const figures = evidence === null ? '' : `: ${plainLine(evidence)}`;
  const next = advice === null ? '' : `; try ${plainLine(advice)}`;
  return `${describeLimit(stages, bottleneck)}${figures}${next}.`;
}
