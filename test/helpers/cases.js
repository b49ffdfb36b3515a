import fc from 'fast-check';

const FEW = process.env['PROPERTY_CASES'] === 'few';

/** What fast-check makes of a property that says nothing else. */
const DEFAULT = 100;

/**
 * @param {number} all a property's cases in CI, and if its file is run by itself
 * @returns {number} those to make now: `npm test` makes a tenth of them
 */
export function cases(all) {
  return FEW ? Math.max(5, Math.ceil(all / 10)) : all;
}

fc.configureGlobal({ numRuns: cases(DEFAULT) });
