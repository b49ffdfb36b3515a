import { incompleteBeta } from './incomplete-beta.js';

/** After this many halvings, there is no double between the bounds. */
const MAX_HALVINGS = 200;

/** Larger than any quantile, even with the fewest degrees of freedom in use. */
const MAX_T = 1e6;

/**
 * Half the width of the two-sided 95% confidence interval of a mean, in standard errors.
 *
 * @param {number} freedom degrees of freedom, above 0, not necessarily whole (as by Welch and Satterthwaite)
 * @returns {number} the 0.975 quantile of Student's t distribution
 * @throws {RangeError} if there are no degrees of freedom
 */
export function studentT(freedom) {
  if (!(freedom > 0)) {
    throw new RangeError(`expected degrees of freedom above 0, got ${freedom}`);
  }
  let [low, high] = [0, MAX_T];
  for (let halving = 0; halving < MAX_HALVINGS && high - low > Number.EPSILON * high; halving += 1) {
    const middle = (low + high) / 2;
    [low, high] = bothTails(middle, freedom) > 0.05 ? [middle, high] : [low, middle];
  }
  return (low + high) / 2;
}

/**
 * @param {number} t distance in standard errors, of either sign
 * @param {number} freedom degrees of freedom, above 0
 * @returns {number} probability that chance alone gives at least this |t|, 0 to 1: I_x(ν/2, 1/2) with x = ν ÷ (ν + t²)
 */
export function bothTails(t, freedom) {
  return incompleteBeta(freedom / (freedom + t ** 2), freedom / 2, 1 / 2);
}
