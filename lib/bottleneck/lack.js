/**
 * What a search had too little of to tell more: threads that it may use, time, objects or dollars; leftovers are objects
 * that Write has left.
 *
 * @typedef {'threads' | 'time' | 'objects' | 'leftovers' | 'dollars'} Lack
 */

/** @type {Record<Lack, string | null>} */
const ADVICE = {
  threads: 'more <threads> and <objects>',
  time: null,
  objects: 'more <objects>',
  leftovers: 'more objects that Write leaves',
  dollars: 'a higher --max-cost',
};

/**
 * @param {Lack | null} lack
 * @returns {string | null} what would tell more; null where nothing can be given
 */
export function adviceFor(lack) {
  return lack === null ? 'another try' : ADVICE[lack];
}
