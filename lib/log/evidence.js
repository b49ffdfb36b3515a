/**
 * What shows a bottleneck, and what would tell more: as one text of a line of the log.
 *
 * @param {{ evidence: string, advice: string | null }} parts
 * @returns {string}
 */
export function formatEvidence({ evidence, advice }) {
  return advice === null ? evidence : `${evidence}; ${advice} would tell more`;
}

/**
 * @param {string} text as {@link formatEvidence} makes it
 * @returns {{ evidence: string, advice: string | null }}
 */
export function parseEvidence(text) {
  const parts = /^(.+); (.+) would tell more$/s.exec(text);
  return parts === null ? { evidence: text, advice: null } : { evidence: parts[1], advice: parts[2] };
}
