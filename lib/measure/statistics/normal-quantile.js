// Numerator and denominator of each rational approximation, constant term first.
const MIDDLE = /** @type {const} */ ([
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
]);
const NEAR_TAIL = /** @type {const} */ ([
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
]);
const FAR_TAIL = /** @type {const} */ ([
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 0.000018463183175100548,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
]);

const MIDDLE_END = 0.425;
const NEAR_TAIL_START = 1.6;
const FAR_TAIL_START = 5;

/**
 * The quantile of the standard normal distribution, within 1e-15 of its value: M. J. Wichura, Algorithm AS 241, Applied
 * Statistics 37 (1988).
 *
 * @param {number} probability between 0 and 1, exclusive
 * @returns {number} standard deviations from the mean
 */
export function normalQuantile(probability) {
  const fromMiddle = probability - 0.5;
  if (Math.abs(fromMiddle) <= MIDDLE_END) {
    return fromMiddle * ratio(MIDDLE, MIDDLE_END * MIDDLE_END - fromMiddle * fromMiddle);
  }
  const distance = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const [tail, start] = distance <= FAR_TAIL_START ? [NEAR_TAIL, NEAR_TAIL_START] : [FAR_TAIL, FAR_TAIL_START];
  return Math.sign(fromMiddle) * ratio(tail, distance - start);
}

/**
 * @param {readonly [readonly number[], readonly number[]]} polynomials
 * @param {number} x
 */
function ratio([numerator, denominator], x) {
  return valueOf(numerator, x) / valueOf(denominator, x);
}

/**
 * @param {readonly number[]} coefficients constant term first
 * @param {number} x
 */
function valueOf(coefficients, x) {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}
