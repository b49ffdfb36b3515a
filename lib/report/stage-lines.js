import { MEGABYTE } from '../log/units.js';

/**
 * @import { LogRecord } from '../log/log-line.js'
 * @import { StageResult } from '../model/result.js'
 */

/**
 * The lines that stand behind the last second of a stage.
 *
 * @param {StageResult} result
 * @returns {LogRecord[]}
 */
export function stageLines(result) {
  const { stage, integrityErrors } = result;
  return [
    {
      kind: 'summary',
      stage,
      milliseconds: Math.round(result.duration),
      peakOperationsPerSecond: result.peak,
      averageOperationsPerSecond: result.average,
      megabytes: result.bytes / MEGABYTE,
      recoverableErrors: result.retries,
    },
    ...(integrityErrors === 0 ? [] : [/** @type {LogRecord} */ ({ kind: 'integrity', stage, count: integrityErrors })]),
    ...latencyLines(result),
    connectionsLine(result),
    limitLine(result),
  ];
}

/**
 * The attempts' line is left out where it would say the same as the operations', and those of what did not take place.
 *
 * @param {StageResult} result
 * @returns {LogRecord[]}
 */
function latencyLines({ stage, operations, attempts, latencies, load }) {
  const isOpenLoop = load.mode === 'open loop';
  return /** @type {const} */ (['operations', 'startDelay', 'attempts', 'firstByte']).flatMap((of) => {
    const summary = of === 'attempts' && attempts === operations && !isOpenLoop ? null : latencies[of].summary();
    const loop = of === 'operations' ? load.mode : null;
    return summary === null ? [] : [/** @type {LogRecord} */ ({ kind: 'latency', stage, of, loop, ...summary })];
  });
}

/**
 * @param {StageResult} result
 * @returns {LogRecord}
 */
export function limitLine({ stage, verdict: { cause, evidence, advice } }) {
  const next = advice === null ? '' : `; ${advice} would tell more`;
  return { kind: 'limit', stage, cause, evidence: `${evidence}${next}` };
}

/**
 * @param {StageResult} result
 * @returns {LogRecord}
 */
function connectionsLine({ stage, connections: { opened, reused, lookupTime, tcp, tls } }) {
  return { kind: 'connections', stage, opened, reused, name: lookupTime, tcp, tls };
}

/**
 * The table at the end of a run: one row a stage.
 *
 * @param {readonly StageResult[]} results
 * @returns {LogRecord[]}
 */
export function stageTable(results) {
  return [{ kind: 'table-header', peakMegabytes: 'shown' }, ...results.map(tableRow)];
}

/**
 * @param {StageResult} result
 * @returns {LogRecord}
 */
function tableRow(result) {
  const latency = result.latencies.operations.summary();
  return {
    kind: 'table-row',
    stage: result.stage,
    objects: result.operations,
    operationsPerSecond: result.average,
    peakOperationsPerSecond: result.peak,
    megabytesPerSecond: result.averageBytes / MEGABYTE,
    peakMegabytesPerSecond: result.peakBytes / MEGABYTE,
    p50: latency?.p50 ?? null,
    p99: latency?.p99 ?? null,
    errors: result.failedAttempts,
    limitedBy: result.verdict.cause,
  };
}
