/**
 * @param {number} share
 * @returns {string} such as `43%`
 */
export function percent(share) {
  return `${Math.round(share * 100)}%`;
}

/**
 * @param {number} rate ops/s
 * @returns {string} such as `12,345`
 */
export function wholeRate(rate) {
  return Math.round(rate).toLocaleString('en-US');
}
