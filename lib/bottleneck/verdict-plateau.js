/**
 * @import { Evidence, Search, SecondSize } from './verdict.js'
 * @import { Doubt, ShownCause } from './verdict-words.js'
 */

/** Up to here the client has room enough not to be what limits. */
const ROOMY_LOOP = 0.75;

/** Bytes a second at two sizes that are the same for a limit of bandwidth. */
const SAME_BYTES = 0.15;

/** How much the operations must gain from half the size for it. */
const BANDWIDTH_GAIN = 1.5;

/** A rate that changes more than this between a step and the hold was no plateau when the sizes were compared. */
const SAME_RATE = 0.15;

/** Operations a second at two sizes that are the same for a limit of operations. */
const SAME_OPERATIONS = 0.1;

/**
 * @param {Evidence} evidence
 * @param {Search} search
 * @returns {ShownCause | Doubt}
 */
export function judgePlateau({ eventLoopUtilization }, { movesBytes, secondSize }) {
  if (eventLoopUtilization > ROOMY_LOOP) {
    return 'client nearly busy';
  }
  if (!movesBytes) {
    return 'store';
  }
  return secondSize === null ? 'no second size' : judgeSizes(secondSize);
}

/**
 * @param {SecondSize} sizes
 * @returns {ShownCause | Doubt}
 */
function judgeSizes({ whole, half, held }) {
  if (held === null) {
    return 'not held';
  }
  if (Math.abs(whole.operationsPerSecond / held - 1) > SAME_RATE) {
    return 'unsteady';
  }
  const gain = half.operationsPerSecond / whole.operationsPerSecond;
  const gainOfBytes = (gain * half.size) / whole.size;
  if (gain >= BANDWIDTH_GAIN && Math.abs(gainOfBytes - 1) <= SAME_BYTES) {
    return 'bandwidth';
  }
  return Math.abs(gain - 1) <= SAME_OPERATIONS ? 'store' : 'between sizes';
}
