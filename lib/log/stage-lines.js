import { latencyRows, latencyText } from '../figures/latency-table.js';
import { counted, formatEvidence } from '../text/figures.js';
import { summaryLine } from './lines.js';

/** @import { LatencySummary, OpeningCosts, StageResult } from '../model/result.js' */

// Human-readable lines at the end of each stage and of the run. Programs read back only the summary line.

/** The lines after the last second of a stage. @param {StageResult} result */
export function stageLines(result) {
  const { stage, kinds = [], duration, load, paused = 0 } = result;
  return [
    summaryLine(stage, result),
    ...(paused === 0
      ? []
      : [`${stage} was suspended for ${Math.round(paused)}ms, excluded from rates and percentiles`]),
    ...integrityLines(result),
    ...versionLines(result),
    ...latencyLines(stage, result),
    ...cacheLines(stage, result),
    ...raceLines(result),
    connectionsLine(result),
    limitLine(result),
    ...kinds.flatMap((kind) => {
      const name = `${stage} ${kind.operation}`;
      const kindResult = { ...kind, stage: name, load };
      return [
        summaryLine(name, { ...kind, duration }),
        ...integrityLines(kindResult),
        ...latencyLines(name, kindResult),
        ...cacheLines(name, kindResult),
        limitLine(kindResult),
      ];
    }),
  ];
}

/** @param {Pick<StageResult, 'stage' | 'integrityErrors'>} result */
function integrityLines({ stage, integrityErrors }) {
  const errors = integrityErrors === 1 ? '1 integrity error' : `${integrityErrors} integrity errors`;
  return integrityErrors === 0 ? [] : [`${stage}: ${errors}`];
}

/** The lines after the steps of a search or a ramp. @param {StageResult} result */
export function limitLines(result) {
  return [...integrityLines(result), limitLine(result)];
}

/** @param {Pick<StageResult, 'stage' | 'bottleneck'>} result */
function limitLine({ stage, bottleneck }) {
  return `${stage} limited by: ${bottleneck.cause} (${formatEvidence(bottleneck)})`;
}

/**
 * @param {number} width characters, including the leading blank; a wider cell pushes the rest to the right
 * @param {string | number} cell
 */
export function column(width, cell) {
  return ` ${String(cell).padStart(width - 1)}`;
}

/** @param {number | null} ms */
export function percentile(ms) {
  return ms === null ? '-' : milliseconds(ms);
}

/** Returns no lines if every read got a correct version. @param {StageResult} result */
function versionLines({ stage, staleReads, foreignReads, tornReads }) {
  const isWrong = staleReads + foreignReads + tornReads > 0;
  return isWrong ? [`${stage} versions: ${staleReads} stale ${foreignReads} foreign ${tornReads} torn`] : [];
}

/**
 * Omits the attempts' line if it would repeat the operations' line.
 *
 * @param {string} name
 * @param {Pick<StageResult, 'operations' | 'steps' | 'attempts' | 'latency' | 'load'>} result
 */
function latencyLines(name, { operations, steps, attempts, latency, load }) {
  const isAllFirst = attempts === operations + steps && load.mode !== 'open loop';
  return latencyRows(name, latency).flatMap((row) =>
    isAllFirst && row.of === 'attempts'
      ? []
      : [`${name} ${row.what}${row.of === 'operations' ? ` (${load.mode})` : ''}: ${latencyText(row)}`],
  );
}

/**
 * @param {string} name
 * @param {Pick<StageResult, 'cache' | 'staleByCache'>} result
 */
function cacheLines(name, { staleByCache }) {
  return staleByCache > 0 ? [`${name} cache: ${counted(staleByCache, 'stale read')}`] : [];
}

/** The lines of a stage whose operations are races. @param {StageResult} result */
function raceLines({ stage, contenders = [], integrityErrors, undecidedRaces }) {
  const lines = contenders.map(
    ({ status, operations, latency }) => `${stage} ${status}: ${operations} writes ${percentiles(latency)}`,
  );
  return lines.length === 0
    ? []
    : [`${stage} races: ${integrityErrors} violations ${undecidedRaces} undecided`, ...lines];
}

/** @param {LatencySummary | null} latency */
function percentiles(latency) {
  const { p50 = null, p90 = null, p99 = null } = latency ?? {};
  return `p50 ${percentile(p50)} p90 ${percentile(p90)} p99 ${percentile(p99)}`;
}

/** @param {StageResult} result */
function connectionsLine({ stage, connections: { opened, reused, lookupTime, tcp, tls } }) {
  const name = lookupTime === null ? '' : ` name ${milliseconds(lookupTime)}`;
  return `${stage} connections: opened ${opened} reused ${reused}${name}${openingText('TCP', tcp)}${openingText('TLS', tls)}`;
}

/**
 * @param {string} protocol
 * @param {OpeningCosts['tcp']} cost null if no connection was opened
 */
function openingText(protocol, cost) {
  return cost === null ? '' : ` ${protocol} p50 ${milliseconds(cost.p50)} max ${milliseconds(cost.maximum)}`;
}

/** @param {number} ms */
function milliseconds(ms) {
  return `${ms.toFixed(2)}ms`;
}
