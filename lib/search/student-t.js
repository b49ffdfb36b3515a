/**
 * The 0.975 quantile of Student's t distribution for 1, 2, 3 … degrees of freedom: NIST/SEMATECH e-Handbook of Statistical
 * Methods, section 1.3.6.7.2. A package that works it out would weigh more than all of its uses here.
 */
const QUANTILES = Object.freeze([
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045,
]);

/** Samples of more values than this are not asked for. */
export const LARGEST_SAMPLE = QUANTILES.length + 1;

/**
 * How many standard errors the mean of a sample may be away from the true one, with 95% confidence on both sides.
 *
 * @param {number} freedom degrees of freedom: values of the sample − 1, from 1 to {@link LARGEST_SAMPLE} − 1
 * @returns {number}
 * @throws {RangeError}
 */
export function studentT(freedom) {
  const quantile = QUANTILES[freedom - 1];
  if (quantile === undefined) {
    throw new RangeError(`expected 1 to ${QUANTILES.length} degrees of freedom, got ${freedom}`);
  }
  return quantile;
}
