import { SecondSeries } from '../second-series.js';
import { RunFindings } from './run-findings.js';

/**
 * @import { Result, SecondResult } from '../result.js'
 * @import { ReadRun } from './read-log.js'
 */

/**
 * @param {string} file
 * @param {Result} result
 * @param {{ keepsDetails: boolean }} options whether to keep latencies and failures per second
 * @returns {ReadRun} in the form of a run read from a log
 */
export function runOfResult(file, result, { keepsDetails }) {
  const findings = new RunFindings(file, null);
  const stages = result.stages.map((stage) => {
    const series = new SecondSeries();
    for (const { secondStart, operations, bytes, ...details } of stage.seconds) {
      const kept = keepsDetails && (operations > 0 || (details.failedAttempts ?? 0) > 0) ? details : {};
      addSecond(series, { secondStart, operations, bytes, ...kept });
    }
    return { ...stage, seconds: series };
  });
  const read = { ...result, stages };
  const log = { hasEnd: true, hasMachineLines: true };
  const found = result.hosts.length === 1 ? findings.warnings(read, log) : [];
  return { result: read, file, line: null, warnings: [...(result.merge?.warnings ?? found)] };
}

/**
 * @param {SecondSeries} series
 * @param {Partial<SecondResult> & Pick<SecondResult, 'secondStart' | 'operations' | 'bytes'>} second
 */
export function addSecond(series, { secondStart, operations, bytes, ...details }) {
  const problem = series.add(secondStart, operations, true);
  if (problem !== 'impossible' && problem !== 'doubled') {
    series.setBytes(secondStart, bytes);
    if (Object.keys(details).length > 0) {
      series.setDetails(secondStart, details);
    }
  }
}
