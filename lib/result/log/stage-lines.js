import { latencyRows, latencyText } from '../figures/stage-table.js';
import { shownStep } from '../figures/shown-step.js';
import { HOLD_MS, agrees } from '../../measure/statistics/plateau.js';
import { counted, formatEvidence } from '../../text/figures.js';
import { kindsOfErrors } from '../completeness.js';
import { summaryLine } from './lines.js';

/**
 * @import { OpeningCosts, RampStep, RateSearchResult, SearchDimension, SearchResult, SearchStep, StageResult } from '../result.js'
 */

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
    ...latencyLines(stage, result),
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
        limitLine(kindResult),
      ];
    }),
  ];
}

/** @param {Pick<StageResult, 'stage' | 'integrityErrors' | 'staleReads' | 'foreignReads' | 'tornReads'>} result */
function integrityLines({ stage, integrityErrors, ...versions }) {
  return integrityErrors === 0
    ? []
    : [`${stage}: ${counted(integrityErrors, 'integrity error')}${kindsOfErrors(versions)}`];
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

/** The lines of a stage whose operations are races. @param {StageResult} result */
function raceLines({ stage, contenders = [], integrityErrors, undecidedRaces }) {
  const lines = contenders.map(({ status, operations, latency }) => {
    const [p50, p90, p99] = [latency?.p50, latency?.p90, latency?.p99].map((each) => percentile(each ?? null));
    return `${stage} ${status}: ${operations} writes p50 ${p50} p90 ${p90} p99 ${p99}`;
  });
  return lines.length === 0
    ? []
    : [`${stage} races: ${integrityErrors} violations ${undecidedRaces} undecided`, ...lines];
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

// Human-readable lines of a search or a ramp: one row per step, then the result. No program reads them back.

/** Column widths in characters. A row fits into 80 characters, whatever its verdict. */
const WIDTHS = [9, 10, 10, 11, 7, 7];

/**
 * @param {{ stage: string, objects: number, threads: number, buckets: number }} plan
 * @param {SearchDimension} [dimension] that a search varies; absent in a ramp
 */
export function stepsHeading({ stage, objects, threads, buckets }, dimension) {
  const wanted = dimension === 'rate' ? 'the highest rate' : 'its capacity';
  const most = `${counted(threads, 'thread')} and ${counted(buckets, 'bucket')}`;
  const columns = [dimension === 'rate' ? 'Rate' : 'Threads', 'Ops/s', 'p50', 'p99', 'Errors', 'Client'];
  const search = `${stage}: searching for ${wanted} with ${counted(objects, 'object')} and up to ${most}`;
  return [...(dimension === undefined ? [] : [search]), stepRow('Stage', columns, 'Step')];
}

/**
 * @param {string} stage
 * @param {RampStep | SearchStep} step
 * @param {SearchDimension} [dimension] threads by default
 */
export function stepLine(stage, step, dimension) {
  const { what, x, operationsPerSecond, p50, p99, errors, client } = shownStep(step, dimension);
  const varied = x === null ? '-' : dimension === 'rate' ? x.toFixed(1) : x;
  const busy = client === null ? '-' : `${Math.round(100 * client)}%`;
  return stepRow(stage, [varied, operationsPerSecond.toFixed(1), percentile(p50), percentile(p99), errors, busy], what);
}

/**
 * @param {string} stage
 * @param {readonly (string | number)[]} figures
 * @param {string} what
 */
function stepRow(stage, figures, what) {
  const cells = figures.map((figure, index) => column(WIDTHS[index], figure)).join('');
  return `${stage.padEnd('Remove'.length)}${cells}  ${what}`;
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 */
export function foundLine(result, search) {
  const { rate } = search;
  return rate === undefined ? capacityLine(result, search) : rateLine(result.stage, rate);
}

/**
 * @param {string} stage
 * @param {RateSearchResult} rate
 */
function rateLine(stage, { bound, operationsPerSecond, slo, interval, evidence }) {
  const limit = `within ${slo.toFixed(2)}ms p99`;
  if (bound === 'none' || operationsPerSecond === null) {
    return `${stage}: no rate is known to stay ${limit}; ${evidence}`;
  }
  const rate = `${bound === 'exact' ? '' : `${bound} `}${operationsPerSecond.toFixed(1)} ops/s`;
  return `${stage} sustains ${rate} ${limit}${interval === null ? '' : boundText(interval)}; ${evidence}`;
}

/** @param {NonNullable<RateSearchResult['interval']>} interval `high` failed if `confidence` is null */
function boundText({ low, high, confidence }) {
  return confidence === null ? ` (${high.toFixed(1)} was too high)` : intervalText({ low, high });
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 */
function capacityLine({ stage, end, threads, average }, { hasPlateau, capacity, best, operationsNeeded }) {
  const isContradicted = capacity !== null && !agrees(capacity.operationsPerSecond, best);
  const notes = [
    ...(isContradicted
      ? [`the best step reached ${best.toFixed(1)} ops/s, which the hold contradicts: run again`]
      : []),
    ...(end === 'complete' ? [] : [`the search ended early (${end})`]),
    ...(capacity !== null && 1000 * capacity.seconds < HOLD_MS
      ? [`held for only ${capacity.seconds.toFixed(1)}s`]
      : []),
    ...(capacity === null && end === 'complete' ? ['it was not held long enough'] : []),
    ...(operationsNeeded === null ? [] : [`try again with ${operationsNeeded} <objects>`]),
  ];
  const bound = (hasPlateau && capacity !== null) || isContradicted ? '' : 'at least ';
  const rate = `${(capacity?.operationsPerSecond ?? average).toFixed(1)} ops/s`;
  const interval = capacity === null ? '' : intervalText(capacity);
  const used = capacity?.threads ?? threads;
  const note = notes.map((each) => `; ${each}`).join('');
  return `${stage} capacity: ${bound}${rate}${interval} at ${counted(used, 'thread')}${note}`;
}

/** @param {{ low: number, high: number }} interval */
function intervalText({ low, high }) {
  return ` (95% CI ${low.toFixed(1)} to ${high.toFixed(1)})`;
}
