import { formatTimeOfDay } from '../log/units.js';

/**
 * @param {number} second epoch second
 * @returns {string} `2026-01-31 `
 */
function dateOf(second) {
  return `${new Date(second * 1000).toISOString().slice(0, '2026-01-31'.length)} `;
}

/**
 * A stretch of whole seconds, with its date where there is one: `2026-01-31 12:00:06 to 12:00:07 UTC`.
 *
 * @param {number} from the first second
 * @param {number} seconds how many
 * @param {boolean} isDated
 */
export function formatStretch(from, seconds, isDated) {
  return `${isDated ? dateOf(from) : ''}${formatTimeOfDay(from)} to ${formatTimeOfDay(from + seconds)} UTC`;
}

/**
 * @param {number} ms since 1970, or since midnight
 * @returns {string} `12:00:06.123`
 */
export function formatMoment(ms) {
  const rounded = Math.round(ms);
  const second = Math.floor(rounded / 1000);
  return `${formatTimeOfDay(second)}.${String(rounded - second * 1000).padStart(3, '0')}`;
}

/**
 * @param {number} second
 * @param {boolean} isDated
 * @returns {string} `2026-01-31T12:00:06Z`, or `12:00:06` where no date is known
 */
export function formatIsoSecond(second, isDated) {
  return isDated ? `${new Date(second * 1000).toISOString().slice(0, -'.000Z'.length)}Z` : formatTimeOfDay(second);
}
