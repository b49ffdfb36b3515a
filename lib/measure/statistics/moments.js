/** @param {readonly number[]} values */
export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** @param {readonly number[]} values at least one */
export function meanOf(values) {
  return sumOf(values) / values.length;
}

/** Unbiased estimate of the population's variance. @param {readonly number[]} values at least two */
export function varianceOf(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/** Standard error of the mean, if the values are independent. @param {readonly number[]} values at least two */
export function standardErrorOf(values) {
  return Math.sqrt(varianceOf(values) / values.length);
}
