// R2's prices for standard storage: https://developers.cloudflare.com/r2/pricing/
const CLASS_A_DOLLARS = 4.5 / 1e6;
const CLASS_B_DOLLARS = 0.36 / 1e6;

const R2_HOST = /\.r2\.cloudflarestorage\.com$/i;

/** What each stage's requests are billed as; deleting is free. */
const CLASS_OF_STAGE = { write: 'A', read: 'B', stat: 'B' };

/**
 * What a run costs on R2, before it begins.
 *
 * @param {Pick<import('../run/run-config.js').RunConfig, 'objects' | 'stages' | 'store' | 'duration'>} config
 * @returns {string | null} one line, or null for a store that is not R2
 */
export function costLine({ objects, stages, store, duration }) {
  if (!R2_HOST.test(store.hostname)) {
    return null;
  }
  const classA = objects * countOf('A', stages);
  if (duration !== undefined) {
    const most = (classA * CLASS_A_DOLLARS).toFixed(4);
    return (
      `Cost at R2's list prices: at most $${most} for ${classA} Class A operations, and $0.36 for each million Class B ` +
      'operations, which go on for as long as the stages last; each month 1 million and 10 million are free'
    );
  }
  const classB = objects * countOf('B', stages);
  const dollars = classA * CLASS_A_DOLLARS + classB * CLASS_B_DOLLARS;
  return (
    `Cost at R2's list prices: $${dollars.toFixed(4)} for ${classA} Class A and ${classB} Class B operations, ` +
    'without retries, preflight and clean-up; each month 1 million and 10 million are free, and so are deletes and egress'
  );
}

/**
 * @param {string} billed
 * @param {readonly string[]} stages
 */
function countOf(billed, stages) {
  return Object.entries(CLASS_OF_STAGE).filter(([stage, name]) => name === billed && stages.includes(stage)).length;
}
