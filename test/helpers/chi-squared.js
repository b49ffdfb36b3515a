const PRECISION = 1e-14;

/** The number of terms is a few times the square root of the argument. */
const MAX_TERMS = 100_000;

/**
 * The probability that chance alone makes the counts deviate at least as much (K. Pearson, Philosophical Magazine 50 (1900)).
 *
 * @param {readonly number[]} counts
 * @param {readonly number[]} shares expected shares, which add up to 1
 * @returns {number} 0 to 1
 */
export function chiSquaredTest(counts, shares) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const statistic = counts.reduce((sum, count, place) => {
    const expected = all * shares[place];
    return sum + (count - expected) ** 2 / expected;
  }, 0);
  return chiSquaredTail(statistic, counts.length - 1);
}

/**
 * The upper tail of the chi-squared distribution: the regularized incomplete gamma function Q(ν/2, x/2), by its series below
 * the mean and by its continued fraction above it (NIST's Digital Library of Mathematical Functions, 8.11.4 and 8.9.2).
 *
 * @param {number} statistic 0 or more
 * @param {number} freedom degrees of freedom, above 0
 * @returns {number} the probability of at least that value
 */
function chiSquaredTail(statistic, freedom) {
  const [a, x] = [freedom / 2, statistic / 2];
  if (x <= 0) {
    return 1;
  }
  const factor = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - factor * series(a, x) : factor * continuedFraction(a, x);
}

/**
 * @param {number} a
 * @param {number} x
 */
function series(a, x) {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < MAX_TERMS && term > sum * PRECISION; n += 1) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/**
 * By Lentz's method (W. J. Lentz, Applied Optics 15 (1976)).
 *
 * @param {number} a
 * @param {number} x above a
 */
function continuedFraction(a, x) {
  let b = x + 1 - a;
  let numerator = Infinity;
  let denominator = 1 / b;
  let fraction = denominator;
  for (let n = 1, change = 0; n < MAX_TERMS && Math.abs(change - 1) > PRECISION; n += 1) {
    const coefficient = n * (a - n);
    b += 2;
    denominator = 1 / (b + coefficient * denominator);
    numerator = b + coefficient / numerator;
    change = denominator * numerator;
    fraction *= change;
  }
  return fraction;
}

/** Stirling's series is not precise enough for arguments below this. */
const MIN_FOR_SERIES = 10;

/**
 * The natural logarithm of Γ(x), by Stirling's series (NIST's Digital Library of Mathematical Functions, 5.11.1). Small
 * arguments are first raised with Γ(x + 1) = x Γ(x).
 *
 * @param {number} x above 0
 */
function logGamma(x) {
  let product = 1;
  let raised = x;
  while (raised < MIN_FOR_SERIES) {
    product *= raised;
    raised += 1;
  }
  const square = raised ** 2;
  const tail = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / raised;
  return (raised - 0.5) * Math.log(raised) - raised + Math.log(2 * Math.PI) / 2 + tail - Math.log(product);
}
