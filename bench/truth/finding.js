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
 * @property {(choice: Choice) => Promise<Finding[]>} check
 * @property {(findings: readonly Finding[]) => string} [format] where a table of what was expected and found does not do
 *
 * @typedef {object} Choice
 * @property {number | undefined} runs of each kind; undefined: as many as the part takes for enough
 * @property {string} [only] a part of the names of the set-ups that are wanted
 * @property {boolean} isBusy whether other processes take the CPUs of the host
 * @property {(progress: string) => void} say
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
