/**
 * @param {readonly number[]} values at least one
 * @returns {number}
 */
export function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} the standard error of their mean, if each is independent of the others
 */
export function standardErrorOf(values) {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
