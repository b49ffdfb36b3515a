/** @import { RunResult, StageResult } from '../model/result.js' */

/** Version of the report's shape. It is 2 since seconds are named `secondStart`. */
const FORMAT = 2;

/**
 * The whole result of a run as one JSON object; its shape is documented in the README.
 *
 * @param {RunResult} result
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
  const report = { format: FORMAT, ...facts, ...results };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** @param {StageResult} result */
function stageReport({ latencies, seconds, ...rest }) {
  return {
    ...rest,
    // The lines of the log are stamped with the end of their second: the name says that this is the beginning.
    seconds: seconds.map(({ second, ...figures }) => ({ secondStart: second, ...figures })),
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
