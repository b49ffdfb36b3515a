import { FORMAT_VERSION } from './machine-lines.js';

/**
 * The whole result of a run as one JSON object; its shape is documented in the README.
 *
 * @param {import('../run/benchmark-run.js').RunResult} result
 * @param {number} exitStatus
 * @returns {string}
 */
export function jsonReport({ facts, problems, stages, cleanup, requests, crash }, exitStatus) {
  const crashes = crash === null ? [] : [`unexpected: ${crash instanceof Error ? crash.message : crash}`];
  const results = {
    exitStatus,
    problems: [...problems, ...crashes],
    stages: stages.map(stageReport),
    cleanup,
    requests,
  };
  const report = { format: FORMAT_VERSION, ...facts, ...results };
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
      firstByte: latencies.firstByte.summary(),
      startDelay: latencies.startDelay.summary(),
      histogram: { encoding: 'HdrHistogram V2, compressed, base64', unit: 'us', data: latencies.operations.encode() },
    },
  };
}
