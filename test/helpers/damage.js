/** @import { TrueLine } from './host-lines.js' */

/**
 * Damage to a log, with correct truths: a missing line has none, and a repeated line has them once.
 *
 * @typedef {object} Damage
 * @property {number} [cut] number of lines to keep
 * @property {number} [double] every nth per-second line is written twice
 */

/**
 * @param {Iterable<TrueLine>} lines
 * @param {Damage} damage
 * @returns {Generator<TrueLine, void, undefined>}
 */
export function* damaged(lines, { cut = Infinity, double = Infinity }) {
  let kept = 0;
  let seconds = 0;
  for (const line of lines) {
    if (kept >= cut) {
      return;
    }
    yield line;
    kept += 1;
    if (line.tells?.some((tells) => 'rate' in tells)) {
      seconds += 1;
      if (seconds % double === 0) {
        yield { text: line.text };
      }
    }
  }
}
