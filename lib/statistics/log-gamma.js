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
