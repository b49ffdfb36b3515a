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
 * @returns {number} unbiased estimate of the population's variance
 */
export function varianceOf(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} standard error of the mean, if the values are independent
 */
export function standardErrorOf(values) {
  return Math.sqrt(varianceOf(values) / values.length);
}
