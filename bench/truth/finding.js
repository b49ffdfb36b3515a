/**
 * @typedef {object} Finding one line of the report
 * @property {string} what
 * @property {string} expected
 * @property {string} found
 * @property {boolean} isRight
 */

/**
 * @typedef {object} Part a check that can run alone
 * @property {string} title
 * @property {(choice: Choice) => Promise<Finding[]>} check
 * @property {(findings: readonly Finding[]) => string} [format] replaces the table of expected and found values
 *
 * @typedef {object} Choice
 * @property {number | undefined} runs of each kind; the default depends on the part
 * @property {string} [only] selects the set-ups whose names contain it
 * @property {boolean} isBusy whether other processes use the host's CPUs
 * @property {(progress: string) => void} report
 */

/**
 * @param {string} what
 * @param {{ expected: number, found: number, tolerance: number }} values in the same unit
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
