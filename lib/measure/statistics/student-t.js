/** After this many halvings, there is no double between the bounds. */
const MAX_HALVINGS = 200;

/** Larger than any quantile, even with the fewest degrees of freedom in use. */
const MAX_T = 1e6;

/** With more degrees of freedom, Student's t distribution is normal to within 0.2% of its quantiles. */
const MAX_FREEDOM = 1000;

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
 * Between whole degrees of freedom, the probability is about linear in their reciprocal.
 *
 * @param {number} t distance in standard errors, of either sign
 * @param {number} freedom degrees of freedom; fewer than 1 count as 1
 * @returns {number} probability that chance alone gives at least this |t|, 0 to 1
 */
export function bothTails(t, freedom) {
  const known = Math.min(Math.max(freedom, 1), MAX_FREEDOM);
  const [fewer, more] = [Math.floor(known), Math.ceil(known)];
  const share = fewer === more ? 1 : (1 / known - 1 / more) / (1 / fewer - 1 / more);
  return share * tailsOf(t, fewer) + (1 - share) * tailsOf(t, more);
}

/**
 * See M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
 *
 * @param {number} t
 * @param {number} freedom whole
 */
function tailsOf(t, freedom) {
  const isOdd = freedom % 2 === 1;
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  let [sum, term] = [0, isOdd ? cosine : 1];
  for (let power = freedom % 2; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (cosine ** 2 * (power + 1)) / (power + 2);
  }
  const within = Math.sin(angle) * sum;
  return Math.max(1 - (isOdd ? (2 / Math.PI) * (angle + within) : within), 0);
}
