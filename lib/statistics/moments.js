/** @param {readonly number[]} values */
export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** @param {readonly number[]} values at least one */
export function meanOf(values) {
  return sumOf(values) / values.length;
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} estimates the variance of the population
 */
export function varianceOf(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} of the mean of independent values
 */
export function standardErrorOf(values) {
  return Math.sqrt(varianceOf(values) / values.length);
}
