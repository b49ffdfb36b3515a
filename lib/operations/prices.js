/** What a million operations cost in dollars, by R2's list prices: https://developers.cloudflare.com/r2/pricing/ */
export const DOLLARS_A_MILLION = Object.freeze({ A: 4.5, B: 0.36 });

/** What each stage's requests are billed as; deleting is free. @type {ReadonlyMap<string, 'A' | 'B'>} */
const CLASS_OF_STAGE = new Map([
  ['write', 'A'],
  ['read', 'B'],
  ['stat', 'B'],
]);

/**
 * @param {string} stage its name in lower case
 * @returns {number} dollars for one operation
 */
export function priceOf(stage) {
  const billed = CLASS_OF_STAGE.get(stage);
  return billed === undefined ? 0 : DOLLARS_A_MILLION[billed] / 1e6;
}

/**
 * @param {'A' | 'B'} billed
 * @param {readonly string[]} stages in lower case
 * @returns {number} how many of the stages are billed so
 */
export function stagesBilledAs(billed, stages) {
  return stages.filter((stage) => CLASS_OF_STAGE.get(stage) === billed).length;
}
