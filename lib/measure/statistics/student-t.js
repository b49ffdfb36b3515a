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

/** Relative precision, finer than that of any printed figure. */
const PRECISION = 1e-14;

/** Replaces 0 in the denominators of the continued fraction. */
const TINY = 1e-300;

/** The fraction takes about √max(a, b) iterations, so this is enough for counts of a billion. */
const MAX_ITERATIONS = 100_000;

/**
 * The regularized incomplete beta function I_x(a, b), which expresses Student's t distribution and the binomial
 * distribution: the continued fraction of NIST's Digital Library of Mathematical Functions, 8.17.22, evaluated by
 * Lentz's method (W. J. Lentz, Applied Optics 15 (1976)).
 *
 * @param {number} x 0 to 1
 * @param {number} a above 0
 * @param {number} b above 0
 * @returns {number} 0 to 1
 */
export function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  // The fraction converges fast only below this point; the symmetry in 8.17.4 covers the rest.
  if (x > (a + 1) / (a + b + 2)) {
    return 1 - incompleteBeta(1 - x, b, a);
  }
  const logFactor = a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b);
  return Math.min((Math.exp(logFactor) / a) * continuedFraction(x, a, b), 1);
}

/**
 * @param {number} x
 * @param {number} a
 * @param {number} b
 */
function continuedFraction(x, a, b) {
  let numerator = 1;
  let denominator = 1 / notZero(1 - ((a + b) * x) / (a + 1));
  let fraction = denominator;
  for (let m = 1; m <= MAX_ITERATIONS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      denominator = 1 / notZero(1 + term * denominator);
      numerator = notZero(1 + term / numerator);
      change = denominator * numerator;
      fraction *= change;
    }
    if (Math.abs(change - 1) < PRECISION) {
      break;
    }
  }
  return fraction;
}

/** @param {number} value */
function notZero(value) {
  return Math.abs(value) < TINY ? TINY : value;
}

/**
 * @param {number} a
 * @param {number} b
 */
function logBeta(a, b) {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series is not precise enough for arguments below this. */
const MIN_FOR_SERIES = 10;

/**
 * The natural logarithm of Γ(x), by Stirling's series (NIST's Digital Library of Mathematical Functions, 5.11.1). Small
 * arguments are first raised with Γ(x + 1) = x Γ(x).
 *
 * @param {number} x above 0
 */
export function logGamma(x) {
  let product = 1;
  let raised = x;
  while (raised < MIN_FOR_SERIES) {
    product *= raised;
    raised += 1;
  }
  const square = raised ** 2;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / raised;
  return (raised - 0.5) * Math.log(raised) - raised + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}
