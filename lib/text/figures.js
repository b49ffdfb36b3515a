/** Such as `43%`. @param {number} share */
export function percent(share) {
  return `${Math.round(100 * share)}%`;
}

/** Such as `12,345`. @param {number} value */
export function rounded(value) {
  return decimal(Math.round(value), 0);
}

/** By number of decimals. Creating a format takes a hundred times as long as using it. @type {Intl.NumberFormat[]} */
const FORMATS = [];

/**
 * @param {number} value
 * @param {number} [decimals]
 * @returns {string} such as `12,345.6`
 */
export function decimal(value, decimals = 1) {
  FORMATS[decimals] ??= new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return FORMATS[decimals].format(value);
}

/**
 * @param {number} value
 * @param {string} noun in the singular
 * @returns {string} such as `12,345 threads`
 */
export function counted(value, noun) {
  const plural = noun.replace(/([^aeiou])y$/, '$1ie');
  return `${rounded(value)} ${value === 1 ? noun : `${plural}s`}`;
}

/** A suffix for the first of several similar findings: the others are only counted. @param {number} count of all */
export function andMore(count) {
  return count > 1 ? ` (and ${rounded(count - 1)} more like it)` : '';
}

/** @typedef {'proven' | 'likely' | 'unknown'} Certainty of what limited a stage */

/** @param {{ certainty?: Certainty, evidence: string | null, advice: string | null }} bottleneck */
export function formatEvidence({ certainty, evidence, advice }) {
  const shown = certainty === 'likely' ? `likely; ${evidence}` : (evidence ?? '');
  return advice === null ? shown : `${shown}; try ${advice}`;
}

/** Such as `store`, or `likely store`. @param {{ cause: string, certainty?: Certainty }} bottleneck */
export function shortLimit({ cause, certainty }) {
  return certainty === 'likely' ? `likely ${shownCause(cause)}` : shownCause(cause);
}

/** The name of a cause where the host that saw it is not the reader's. @param {string} cause of a bottleneck */
function shownCause(cause) {
  return cause === 'beyond this host' ? 'store or path' : cause;
}

/** Such as `one, two and three`. @param {readonly string[]} parts at least one */
export function listOf(parts) {
  return parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;
}
