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

/**
 * The quantile of the standard normal distribution, within 0.00045 of its value: M. Abramowitz, I. A. Stegun, Handbook
 * of Mathematical Functions (1964), 26.2.23.
 *
 * @param {number} probability between 0 and 1, exclusive
 * @returns {number} standard deviations from the mean
 */
export function normalQuantile(probability) {
  const t = Math.sqrt(-2 * Math.log(Math.min(probability, 1 - probability)));
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328);
  const denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return Math.sign(probability - 0.5) * (t - numerator / denominator);
}
