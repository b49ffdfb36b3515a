/**
 * Raises the p-values of several tests so that the chance of any false alarm among them stays that of a single test: S.
 * Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
 *
 * @param {readonly number[]} probabilities of the tests, 0 to 1
 * @returns {number[]} in the same order, 0 to 1
 */
export function adjustByHolm(probabilities) {
  const order = probabilities.map((_, index) => index).sort((one, other) => probabilities[one] - probabilities[other]);
  /** @type {number[]} */
  const adjusted = [];
  let minimum = 0;
  for (const [rank, index] of order.entries()) {
    minimum = Math.max(minimum, Math.min((probabilities.length - rank) * probabilities[index], 1));
    adjusted[index] = minimum;
  }
  return adjusted;
}
