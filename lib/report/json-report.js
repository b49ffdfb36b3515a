import { FORMAT_VERSION } from './machine-lines.js';

/**
 * The whole result of a run as one JSON object; its shape is documented in the README.
 *
 * @param {object} parts
 * @param {import('../run/run-facts.js').RunFacts} parts.facts
 * @param {import('../run/benchmark-run.js').RunResult} parts.result
 * @param {number} parts.exitStatus
 * @returns {string}
 */
export function jsonReport({ facts, result, exitStatus }) {
  const { problems, stages, cleanup } = result;
  const report = { format: FORMAT_VERSION, ...facts, exitStatus, problems, stages: stages.map(stageReport), cleanup };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** @param {import('../run/stage-result.js').StageResult} result */
function stageReport({ latencies, ...rest }) {
  return {
    ...rest,
    latency: {
      unit: 'ms',
      operations: latencies.operations.summary(),
      attempts: latencies.attempts.summary(),
      histogram: { encoding: 'HdrHistogram V2, compressed, base64', unit: 'us', data: latencies.operations.encode() },
    },
  };
}
