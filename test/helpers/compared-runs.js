/** @import { Comparison, MetricComparison } from '../../lib/result/comparison.js' */

const SECONDS = 60;

/**
 * A possible comparison of two runs, with each verdict once and an unknown ratio.
 *
 * @returns {{ comparison: Comparison }}
 */
export function comparedRuns() {
  /** @type {Comparison['stages']} */
  const stages = [
    {
      stage: 'Write',
      seconds: { before: SECONDS, after: SECONDS },
      metrics: [ratio('rate', 500, 650, 'faster'), ratio('p99', 40, 55, 'slower'), ratio('p50', 20, 20.2, 'the same')],
    },
    {
      stage: 'Read',
      seconds: { before: 12, after: SECONDS },
      metrics: [
        { ...ratio('rate', 900, 880, 'cannot tell'), low: null, high: null, reason: '12 whole seconds, expected 30' },
        {
          metric: /** @type {const} */ ('errorShare'),
          before: 0,
          after: 0.01,
          ratio: null,
          low: null,
          high: null,
          verdict: /** @type {const} */ ('cannot tell'),
          reason: 'nothing failed before',
        },
      ],
    },
  ];
  const side = (/** @type {string} */ name) => ({ name, run: name, hosts: 1, start: null });
  return {
    comparison: {
      before: side('before.json'),
      after: side('after.json'),
      differences: [{ what: 'threads', before: '20', after: '30' }],
      mismatches: [],
      stagesOfOne: { before: ['Stat'], after: [] },
      margin: 0.03,
      confidence: 0.95,
      stages,
    },
  };
}

/**
 * @param {string} metric
 * @param {number} before
 * @param {number} after
 * @param {MetricComparison['verdict']} verdict
 * @returns {MetricComparison}
 */
function ratio(metric, before, after, verdict) {
  const value = after / before;
  return { metric, before, after, ratio: value, low: value * 0.97, high: value * 1.03, verdict, reason: null };
}
