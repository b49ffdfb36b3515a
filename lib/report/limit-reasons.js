import { formatEvidence } from '../text/figures.js';
import { shorten } from './names.js';

/** @import { StageMerge } from '../model/result.js' */

const MAX_NAME_LENGTH = 32;

/** Causes that a result of another version, or one that was made up, may name. */
const MAX_REASONS = 10;

/**
 * What shows that hosts were limited by what they say: for each cause, the figures of the first host that names it. Those of
 * the others differ in the figures alone.
 *
 * @param {Pick<StageMerge, 'shares' | 'hosts'>} merge
 * @returns {string[]} with the name of the host where there are several; from logs, and not escaped for any form
 */
export function limitReasons({ shares, hosts }) {
  /** @type {Map<string, string>} */
  const byCause = new Map();
  for (const { host, limitedBy, certainty, evidence = null, advice = null } of shares) {
    if (limitedBy !== null && evidence !== null && !byCause.has(limitedBy)) {
      const reason = formatEvidence({ certainty, evidence, advice });
      byCause.set(limitedBy, hosts === 1 ? reason : `${shorten(host, MAX_NAME_LENGTH)}: ${reason}`);
    }
  }
  return [...byCause.values()].slice(0, MAX_REASONS);
}
