/**
 * A result as its page contains it: without the histograms of single seconds, and without figures that can be computed.
 *
 * @param {any} result
 */
export function resultInPage(result) {
  const stages = result.stages.map((/** @type {any} */ { figures, ...stage }) => ({
    ...stage,
    seconds: stage.seconds.map((/** @type {any} */ second) => ({ ...second, histogram: null })),
  }));
  return { ...result, stages };
}
