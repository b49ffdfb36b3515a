import { logGamma } from './log-gamma.js';

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
