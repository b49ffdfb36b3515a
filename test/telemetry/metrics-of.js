/** @import { Metric, Origin, Point } from '../../lib/telemetry/metric.js' */

/** @type {Origin} */
export const ORIGIN = {
  version: '1.2.3',
  attributes: { 'service.name': 'r2-benchmark', 'r2_benchmark.object.size': 1024 },
};

/**
 * @param {Partial<Metric> & { value: Point['value'] }} metric with one point
 * @returns {Metric}
 */
export function metricOf({ value, ...metric }) {
  return {
    name: 'r2_benchmark.operations',
    type: 'counter',
    unit: '{operation}',
    description: 'Operations that succeeded.',
    isWhole: true,
    points: [
      { attributes: { 'r2_benchmark.stage': 'Read', 'server.port': 443 }, startedAt: 1_700_000_000_000.25, value },
    ],
    ...metric,
  };
}
