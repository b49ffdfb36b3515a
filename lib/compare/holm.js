/**
 * The probabilities of several tests, so raised that the chance of one false alarm among all of them stays what it is for
 * one test: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
 *
 * @param {readonly number[]} probabilities of the tests, 0 to 1
 * @returns {number[]} in the same order, 0 to 1
 */
export function adjustByHolm(probabilities) {
  const places = probabilities.map((_, place) => place).sort((one, other) => probabilities[one] - probabilities[other]);
  /** @type {number[]} */
  const adjusted = [];
  let least = 0;
  for (const [rank, place] of places.entries()) {
    least = Math.max(least, Math.min((probabilities.length - rank) * probabilities[place], 1));
    adjusted[place] = least;
  }
  return adjusted;
}
