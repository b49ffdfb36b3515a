import fc from 'fast-check';

const FEW = process.env['PROPERTY_CASES'] === 'few';

/** The number of cases that fast-check runs by default. */
const DEFAULT = 100;

/**
 * @param {number} all cases of a property in CI, or if its file runs alone
 * @returns {number} cases to run now; `npm test` runs a tenth of them
 */
export function cases(all) {
  return FEW ? Math.max(5, Math.ceil(all / 10)) : all;
}

fc.configureGlobal({ numRuns: cases(DEFAULT) });
