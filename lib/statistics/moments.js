/**
 * @param {readonly number[]} values
 * @returns {number} 0 where there are none
 */
export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** @param {readonly number[]} values at least one */
export function meanOf(values) {
  return sumOf(values) / values.length;
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} of the population that they are a sample of
 */
export function varianceOf(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} the standard error of their mean, if each is independent of the others
 */
export function standardErrorOf(values) {
  return Math.sqrt(varianceOf(values) / values.length);
}
