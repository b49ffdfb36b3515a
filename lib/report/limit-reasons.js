import { formatEvidence } from '../text/figures.js';
import { shorten } from './names.js';

/** @import { StageMerge } from '../model/result.js' */

const MAX_NAME_LENGTH = 32;

/** A result from another version, or a forged one, might contain any number of causes. */
const MAX_REASONS = 10;

/**
 * The evidence for each bottleneck, from the first host that has it: other hosts differ only in figures.
 *
 * @param {Pick<StageMerge, 'shares' | 'hosts'>} merge
 * @returns {string[]} each with its host's name if there are several hosts; untrusted text, not escaped for any format
 */
export function limitReasons({ shares, hosts }) {
  /** @type {Map<string, string>} */
  const byCause = new Map();
  for (const { host, limitedBy, certainty, evidence = null, advice = null } of shares) {
    if (limitedBy !== null && evidence !== null && !byCause.has(limitedBy)) {
      // Advice about hosts, such as a second one, is for a run of one host.
      const isMeant = hosts === 1 || !advice?.includes('host');
      const reason = formatEvidence({ certainty, evidence, advice: isMeant ? advice : null });
      byCause.set(
        limitedBy,
        hosts === 1 ? reason : `${shorten(host, MAX_NAME_LENGTH)}: ${reason.replaceAll('this host', 'the host')}`,
      );
    }
  }
  return [...byCause.values()].slice(0, MAX_REASONS);
}
