import { formatEvidence, shortLimit } from '../text/figures.js';
import { MEGABYTE } from '../text/units.js';
import { summaryLine } from './lines.js';
import { bestStepOf } from './shown-step.js';

/** @import { KindResult, LatencySummary, OpeningCosts, StageResult } from '../model/result.js' */

// Human-readable lines at the end of each stage and of the run. Programs read back only the summary line.

const LATENCY_NAMES = /** @type {const} */ ({
  operations: 'latency',
  startDelay: 'start delay',
  parts: 'part latency',
  attempts: 'attempt latency',
  firstByte: 'time to first byte',
  binding: 'binding latency',
  bindingFirstByte: 'binding time to first byte',
});

const TABLE_HEADING =
  'Stage         Ops      Ops/s     Peak/s      MiB/s Peak MiB/s        p50        p99    Errors  Limited by';

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

/** At the end of a run: a row per stage and, in a mix, per operation. @param {readonly StageResult[]} results */
export function stageTable(results) {
  return [
    TABLE_HEADING,
    ...results.flatMap((result) => [
      `${result.stage.padEnd('Remove'.length)}${column(11, result.operations)}${figures({ ...result, ...ofBestStep(result) })}`,
      ...(result.kinds === undefined ? partRows([...(result.cache ?? []), ...(result.contenders ?? [])]) : []),
      ...(result.kinds ?? []).flatMap((kind) => [
        `  ${kind.operation.padEnd('remove'.length)}${column(9, kind.operations)}${figures(kind)}`,
        ...partRows(kind.cache ?? []),
      ]),
    ]),
  ];
}

/** A row for each status of a cache, or outcome of a race. @param {NonNullable<StageResult['cache']>} parts */
function partRows(parts) {
  return parts.map(({ status, operations, average, bytes, averageBytes, latency }) => {
    const throughput = bytes === 0 ? '-' : ((averageBytes ?? 0) / MEGABYTE).toFixed(1);
    const cells = [
      average?.toFixed(1),
      '',
      throughput,
      '',
      percentile(latency?.p50 ?? null),
      percentile(latency?.p99 ?? null),
    ];
    const name = `  ${status}`.padEnd('  REVALIDATED'.length);
    return `${name}${column(4, operations)}${cells.map((cell) => column(11, cell ?? '-')).join('')}`.trimEnd();
  });
}

/**
 * A mean over all steps of a ramp would be meaningless.
 *
 * @param {StageResult} result
 */
function ofBestStep({ ramp, latency }) {
  const best = ramp && bestStepOf(ramp);
  return best ? { average: best.rate, latency: { ...latency, operations: best.step.latency } } : {};
}

/** @param {StageResult | KindResult} result */
function figures({ average, peak, bytes, averageBytes, peakBytes, latency, failedAttempts, bottleneck }) {
  const throughput = [averageBytes, peakBytes].map((rate) => (bytes === 0 ? '-' : (rate / MEGABYTE).toFixed(1)));
  const { p50 = null, p99 = null } = latency.operations ?? {};
  const cells = [average.toFixed(1), peak.toFixed(1), ...throughput, percentile(p50), percentile(p99)];
  const columns = cells.map((cell) => column(11, cell)).join('');
  return `${columns}${column(10, failedAttempts)}  ${shortLimit(bottleneck)}`;
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
  return /** @type {(keyof typeof LATENCY_NAMES)[]} */ (Object.keys(LATENCY_NAMES)).flatMap((of) => {
    const summary = of === 'attempts' && isAllFirst ? null : (latency[of] ?? null);
    const loop = of === 'operations' ? ` (${load.mode})` : '';
    return summary === null ? [] : [`${name} ${LATENCY_NAMES[of]}${loop}: ${latencyText(summary)}`];
  });
}

/** @param {LatencySummary} summary */
function latencyText({ minimum, mean, p50, p90, p95, p99, p999, maximum }) {
  const figuresByName = { min: minimum, mean, p50, p90, p95, p99, 'p99.9': p999, max: maximum };
  return Object.entries(figuresByName)
    .map(([name, ms]) => `${name} ${milliseconds(ms)}`)
    .join(' ');
}

/**
 * @param {string} name
 * @param {Pick<StageResult, 'cache' | 'staleByCache'>} result
 */
function cacheLines(name, { cache = [], staleByCache }) {
  const lines = cache.map(({ status, operations, average, latency, maxAge }) => {
    const age = maxAge === null ? '' : ` age up to ${maxAge}s`;
    return `${name} cache ${status}: ${operations} operations ${average?.toFixed(1)}/s ${percentiles(latency)}${age}`;
  });
  return staleByCache > 0 ? [...lines, `${name} cache: ${staleByCache} stale reads`] : lines;
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
