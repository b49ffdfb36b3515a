/**
 * One line of what was checked.
 *
 * @typedef {object} Finding
 * @property {string} what
 * @property {string} expected
 * @property {string} found
 * @property {boolean} isRight
 */

/**
 * What can be checked by itself.
 *
 * @typedef {object} Part
 * @property {string} title
 * @property {(choice: { runs: number | undefined, say: (progress: string) => void }) => Promise<Finding[]>} check with so
 *   many runs of each kind; without a number, with as many as the part takes for enough
 */

/**
 * @param {string} what
 * @param {{ expected: number, found: number, tolerance: number }} values all in the same unit
 * @param {(value: number) => string} format
 * @returns {Finding}
 */
export function closeTo(what, { expected, found, tolerance }, format) {
  return {
    what,
    expected: `${format(expected)} ± ${format(tolerance)}`,
    found: format(found),
    isRight: Math.abs(found - expected) <= tolerance,
  };
}

/** @param {number} value ms */
export function milliseconds(value) {
  return `${value.toFixed(2)} ms`;
}
