import { mixIndex, seedOf } from './mix.js';

/**
 * How large the objects of a run are: a pure function of run id and index, so that any host can check any object.
 *
 * @param {object} sizes
 * @param {string} sizes.runId
 * @param {number} sizes.min bytes
 * @param {number} sizes.max bytes; the sizes between the two are equally frequent
 * @returns {(index: number) => number} bytes of an object, by its index in the whole run
 */
export function objectSizes({ runId, min, max }) {
  if (min === max) {
    return () => max;
  }
  const seed = seedOf(`sizes of ${runId}`);
  return (index) => min + (mixIndex(index, seed) % (max - min + 1));
}
