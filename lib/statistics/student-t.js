import { incompleteBeta } from './incomplete-beta.js';

/** Halvings after which no double is between the ends. */
const MAX_HALVINGS = 200;

/** Beyond it there is nothing to be found in the distribution with the fewest degrees of freedom that anybody asks for. */
const MAX_T = 1e6;

/**
 * How many standard errors a mean may be away from the true one, with 95% confidence on both sides.
 *
 * @param {number} freedom degrees of freedom, above 0; of an estimate of the variance by Welch and Satterthwaite they are no
 *   whole number
 * @returns {number} the 0.975 quantile of Student's t distribution
 * @throws {RangeError} where there are no degrees of freedom
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
 * @param {number} t standard errors between two values, of either sign
 * @param {number} freedom degrees of freedom, above 0
 * @returns {number} how often chance alone brings that many or more, 0 to 1: I_x(ν/2, 1/2) with x = ν ÷ (ν + t²)
 */
export function bothTails(t, freedom) {
  return incompleteBeta(freedom / (freedom + t ** 2), freedom / 2, 1 / 2);
}
