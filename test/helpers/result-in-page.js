import { withFigures } from '../../lib/result/figures/catalogue.js';

/**
 * A result as its page contains it: with its figures, and without the histograms of single seconds.
 *
 * @param {any} result
 */
export function resultInPage(result) {
  const stages = result.stages.map((/** @type {any} */ stage) => ({
    ...stage,
    seconds: stage.seconds.map((/** @type {any} */ second) => ({ ...second, histogram: null })),
  }));
  return JSON.parse(JSON.stringify(withFigures({ ...result, stages })));
}
