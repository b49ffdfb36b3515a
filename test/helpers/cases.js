import fc from 'fast-check';

const FEW = process.env['PROPERTY_CASES'] === 'few';

/** The number of cases that fast-check makes by default. */
const DEFAULT = 100;

/**
 * @param {number} all a property's cases in CI, and if its file runs alone
 * @returns {number} those to make now: `npm test` makes a tenth of them
 */
export function cases(all) {
  return FEW ? Math.max(5, Math.ceil(all / 10)) : all;
}

fc.configureGlobal({ numRuns: cases(DEFAULT) });
