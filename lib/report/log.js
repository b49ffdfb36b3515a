import { formatEvidence } from '../log/evidence.js';
import { formatLine } from '../log/log-line.js';
import { MEGABYTE, formatTimeOfDay } from '../log/units.js';
import { rampMachineLines, runLine, stageMachineLines } from './machine-lines.js';
import { HOLD_MS } from '../search/search-plan.js';

/**
 * @import { LogRecord, RetryingRecord, StageName } from '../log/log-line.js'
 * @import { BucketSearchResult, RateSearchResult } from '../model/result.js'
 * @import { KindResult, RampKind, RampStep, RunFacts, SearchResult, SearchStep, StageResult } from '../model/result.js'
 * @import { ReportedSecond, StagePlan } from '../model/run-events.js'
 * @import { Listener, ListeningReporter, ReporterContext } from './reporter.js'
 */

/**
 * The log of a run: its record, line by line, as the run goes on.
 *
 * @implements {Listener}
 */
export class RunLog {
  #writeLine;
  #writeMachineLine;
  #isSearch = false;
  /** See StagePlan. */
  #nominalBytes = 0;
  #retries = new RetryLines((record) => this.#write(record));

  /**
   * @param {object} options
   * @param {(line: string, kind: LogRecord['kind']) => void} options.writeLine
   * @param {((line: string) => void) | null} options.writeMachineLine null where no program is going to read the log
   */
  constructor({ writeLine, writeMachineLine }) {
    this.#writeLine = writeLine;
    this.#writeMachineLine = writeMachineLine;
  }

  /** @param {RunFacts} facts */
  runStarts(facts) {
    this.#writeForMachines(() => [runLine(facts)]);
  }

  /** @param {Omit<StagePlan, 'objectSize' | 'duration'>} plan */
  stageStarts({ isSearch = false, dimension, nominalBytes = 0, ...plan }) {
    this.#isSearch = isSearch;
    this.#nominalBytes = nominalBytes;
    this.#write({ kind: isSearch ? 'search' : 'schedule', ...plan });
    if (isSearch) {
      this.#write({ kind: dimension === 'rate' ? 'rate-header' : 'step-header' });
    }
  }

  /**
   * @param {StageName} stage
   * @param {SearchStep} step
   */
  stepEnds(stage, step) {
    this.#write(stepRow(stage, step));
    this.#writeForMachines(() => [stepMachineLine(stage, step)]);
  }

  /**
   * A log that is cut off after it has the step all the same.
   *
   * @param {StageName} stage
   * @param {RampKind} of
   * @param {RampStep} step
   */
  slotEnds(stage, of, step) {
    this.#writeForMachines(() => rampMachineLines(stage, of, step));
  }

  /**
   * @param {StageName} stage
   * @param {ReportedSecond} count
   */
  second(stage, { secondStart, kinds = [], ...count }) {
    this.#retries.flush();
    const time = formatTimeOfDay(secondStart + 1);
    this.#write({ kind: 'second', time, stage, ...ratesOf(this.#withNominalBytes(count)) });
    kinds.forEach(({ operation, ...ofKind }) =>
      this.#write({ kind: 'kind-second', time, stage, operation, ...ratesOf(ofKind) }),
    );
  }

  /** The table of a search counts what failed. */
  retrying() {
    if (!this.#isSearch) {
      this.#retries.retrying();
    }
  }

  /** @param {StageResult} result */
  stageEnds(result) {
    this.#retries.flush();
    const { search } = result;
    const lines = search === undefined ? stageLines(this.#withNominalBytes(result)) : searchLines(result, search);
    lines.forEach((record) => this.#write(record));
    this.#writeForMachines(() =>
      search === undefined ? stageMachineLines(result) : [searchMachineLine(result, search)],
    );
  }

  /** @param {readonly StageResult[]} results */
  stagesEnd(results) {
    if (results.length > 0) {
      stageTable(results).forEach((record) => this.#write(record));
    }
  }

  /**
   * @template {{ operations: number, bytes: number }} Count
   * @param {Count} count
   * @returns {Count}
   */
  #withNominalBytes(count) {
    return { ...count, bytes: count.bytes + count.operations * this.#nominalBytes };
  }

  /** @param {LogRecord} record */
  #write(record) {
    this.#writeLine(formatLine(record), record.kind);
  }

  /** @param {() => LogRecord[]} makeRecords */
  #writeForMachines(makeRecords) {
    const write = this.#writeMachineLine;
    if (write !== null) {
      makeRecords().forEach((record) => write(formatLine(record)));
    }
  }
}

/** What the live view shows all the time, and the table that it ends with: on the screen, these lines would say it again. */
const SHOWN_BY_VIEW = Object.freeze([
  ...['second', 'kind-second', 'retrying'],
  ...['table-header', 'table-row', 'kind-row'],
]);

/**
 * The lines for programs go to one place: the file, or else a stdout that nobody reads as it is written.
 *
 * @param {ReporterContext} context
 * @returns {ConstructorParameters<typeof RunLog>[0]}
 */
function logWriters({ screen, logFile, stdoutIsTaken, hasView }) {
  const show = (/** @type {string} */ line) => (stdoutIsTaken ? screen.err(line) : screen.out(line));
  const isShown = (/** @type {LogRecord['kind']} */ kind) => !hasView || !SHOWN_BY_VIEW.includes(kind);
  if (logFile === null) {
    return {
      writeLine: (line, kind) => isShown(kind) && show(line),
      writeMachineLine: screen.logIsOnTerminal || stdoutIsTaken ? null : show,
    };
  }
  return {
    writeLine(line, kind) {
      logFile.write(line);
      if (isShown(kind) && (!stdoutIsTaken || logFile.hasFailed)) {
        show(line);
      }
    },
    writeMachineLine: (line) => logFile.write(line),
  };
}

/** The log goes to stdout and to the file of `--log`. @type {ListeningReporter} */
export const logReporter = { listen: (context) => new RunLog(logWriters(context)) };

/** So many retries of a second are shown as they happen; the rest of them in one line. */
const SHOWN_A_SECOND = 3;

/** Keeps a storm of retries from flooding the log, without losing one: the lines still add up to all of them. */
export class RetryLines {
  #write;
  #thisSecond = 0;

  /** @param {(record: RetryingRecord) => void} write */
  constructor(write) {
    this.#write = write;
  }

  retrying() {
    this.#thisSecond += 1;
    if (this.#thisSecond <= SHOWN_A_SECOND) {
      this.#write({ kind: 'retrying', more: 0 });
    }
  }

  /** To be called at the end of each second and of each stage. */
  flush() {
    const rest = this.#thisSecond - SHOWN_A_SECOND;
    if (rest > 0) {
      // The line itself stands for one of them.
      this.#write({ kind: 'retrying', more: rest - 1 });
    }
    this.#thisSecond = 0;
  }
}

/**
 * @param {{ operations: number, bytes: number }} count of a second
 * @returns {{ operationsPerSecond: number, megabytesPerSecond: number }}
 */
function ratesOf({ operations, bytes }) {
  return { operationsPerSecond: operations, megabytesPerSecond: bytes / MEGABYTE };
}

/**
 * The lines that follow the last second of a stage.
 *
 * @param {StageResult} result
 * @returns {LogRecord[]}
 */
export function stageLines(result) {
  const { stage, kinds = [], load, duration, paused = 0 } = result;
  return [
    { kind: 'summary', stage, ...totalsOf(result, duration) },
    ...(paused === 0
      ? []
      : [/** @type {LogRecord} */ ({ kind: 'suspended', stage, milliseconds: Math.round(paused) })]),
    ...integrityLines(result),
    ...versionLines(result),
    ...latencyLines(result),
    connectionsLine(result),
    limitLine(result),
    ...kinds.flatMap((kind) => kindLines({ ...kind, stage, load, duration })),
  ];
}

/**
 * @param {KindResult & Pick<StageResult, 'stage' | 'load' | 'duration'>} result of one kind in a stage that mixes several
 * @returns {LogRecord[]}
 */
function kindLines(result) {
  const { stage, operation, duration, integrityErrors, bottleneck } = result;
  const of = { stage, operation };
  return [
    { kind: 'kind-summary', ...of, ...totalsOf(result, duration) },
    ...(integrityErrors === 0
      ? []
      : [/** @type {LogRecord} */ ({ kind: 'kind-integrity', ...of, count: integrityErrors })]),
    ...latenciesOf(result).map((latency) => /** @type {LogRecord} */ ({ kind: 'kind-latency', ...of, ...latency })),
    { kind: 'kind-limit', ...of, cause: bottleneck.cause, evidence: formatEvidence(bottleneck) },
  ];
}

/**
 * @param {Pick<StageResult, 'peak' | 'average' | 'bytes' | 'retries'>} result
 * @param {number} duration ms
 */
function totalsOf({ peak, average, bytes, retries }, duration) {
  return {
    milliseconds: Math.round(duration),
    peakOperationsPerSecond: peak,
    averageOperationsPerSecond: average,
    megabytes: bytes / MEGABYTE,
    recoverableErrors: retries,
  };
}

/**
 * @param {StageResult} result
 * @returns {LogRecord[]}
 */
function integrityLines({ stage, integrityErrors }) {
  return integrityErrors === 0 ? [] : [{ kind: 'integrity', stage, count: integrityErrors }];
}

/**
 * @param {StageResult} result
 * @returns {LogRecord[]} what was wrong with the versions that came; none where they were all right
 */
function versionLines({ stage, staleReads, foreignReads, tornReads }) {
  const wrong = staleReads + foreignReads + tornReads;
  return wrong > 0 ? [{ kind: 'versions', stage, staleReads, foreignReads, tornReads }] : [];
}

/**
 * The attempts' line is left out where it would say the same as the operations', and those of what did not take place.
 *
 * @param {StageResult} result
 * @returns {LogRecord[]}
 */
function latencyLines(result) {
  return latenciesOf(result).map(
    (latency) => /** @type {LogRecord} */ ({ kind: 'latency', stage: result.stage, ...latency }),
  );
}

/** @param {Pick<StageResult, 'operations' | 'steps' | 'attempts' | 'latency' | 'load'>} result */
function latenciesOf({ operations, steps, attempts, latency, load }) {
  const isOpenLoop = load.mode === 'open loop';
  const isAllFirst = attempts === operations + steps && !isOpenLoop;
  return /** @type {const} */ (['operations', 'startDelay', 'parts', 'attempts', 'firstByte']).flatMap((of) => {
    const summary = of === 'attempts' && isAllFirst ? null : (latency[of] ?? null);
    const loop = of === 'operations' ? load.mode : null;
    return summary === null ? [] : [{ of, loop, ...summary }];
  });
}

/**
 * @param {StageResult} result
 * @returns {LogRecord}
 */
export function limitLine({ stage, bottleneck }) {
  return { kind: 'limit', stage, cause: bottleneck.cause, evidence: formatEvidence(bottleneck) };
}

/**
 * @param {StageResult} result
 * @returns {LogRecord}
 */
function connectionsLine({ stage, connections: { opened, reused, lookupTime, tcp, tls } }) {
  return { kind: 'connections', stage, opened, reused, name: lookupTime, tcp, tls };
}

/**
 * The table at the end of a run: one row a stage, and one for each of its kinds where it mixes several.
 *
 * @param {readonly StageResult[]} results
 * @returns {LogRecord[]}
 */
export function stageTable(results) {
  return [
    { kind: 'table-header' },
    ...results.flatMap((result) => [
      /** @type {LogRecord} */ ({ kind: 'table-row', stage: result.stage, ...rowOf(result) }),
      ...(result.kinds ?? []).map(
        (kind) => /** @type {LogRecord} */ ({ kind: 'kind-row', operation: kind.operation, ...rowOf(kind) }),
      ),
    ]),
  ];
}

/** @param {StageResult | KindResult} result */
function rowOf(result) {
  const latency = result.latency.operations;
  return {
    objects: result.operations,
    operationsPerSecond: result.average,
    peakOperationsPerSecond: result.peak,
    megabytesPerSecond: result.bytes === 0 ? null : result.averageBytes / MEGABYTE,
    peakMegabytesPerSecond: result.bytes === 0 ? null : result.peakBytes / MEGABYTE,
    p50: latency?.p50 ?? null,
    p99: latency?.p99 ?? null,
    errors: result.failedAttempts,
    limitedBy: result.bottleneck.cause,
  };
}

/**
 * The line of one step of a search for the peak.
 *
 * @param {StageName} stage
 * @param {SearchStep} step
 * @returns {LogRecord}
 */
export function stepRow(stage, { phase, threads, errors, eventLoopUtilization, buckets, rate, verdict, ...step }) {
  const { operationsPerSecond, p50, p99 } = step;
  const clientLoad = Math.round(100 * eventLoopUtilization);
  const figures = { stage, operationsPerSecond, p50, p99, errors, clientLoad };
  if (rate !== undefined && verdict !== undefined) {
    return { kind: 'rate-row', ...figures, rate, phase, verdict };
  }
  return buckets === undefined
    ? { kind: 'step-row', ...figures, threads, phase }
    : { kind: 'bucket-row', ...figures, threads, buckets };
}

/**
 * @param {StageName} stage
 * @param {SearchStep} step
 * @returns {LogRecord} the same for programs
 */
export function stepMachineLine(stage, step) {
  const { startedAt, endedAt, ...figures } = step;
  return { kind: 'machine', data: { kind: 'step', stage, start: startedAt, stop: endedAt, ...figures } };
}

/**
 * What a search found, after its steps.
 *
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord[]}
 */
export function searchLines(result, search) {
  return [foundLine(result, search), ...integrityLines(result), limitLine(result)];
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord}
 */
function foundLine(result, search) {
  const { stage } = result;
  const { buckets, rate } = search;
  if (buckets !== undefined) {
    return { kind: 'bucket-limit', stage, limit: buckets.limit, evidence: buckets.evidence };
  }
  if (rate !== undefined) {
    const { bound, operationsPerSecond, interval, evidence } = rate;
    const known = bound === 'none' ? /** @type {const} */ ('exact') : bound;
    // The ends of an interval without a confidence are in the evidence.
    const shown = interval?.confidence === null ? null : interval;
    return { kind: 'highest-rate', stage, bound: known, operationsPerSecond, interval: shown, evidence };
  }
  return capacityLine(result, search);
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord} the same for programs
 */
export function searchMachineLine({ stage, end, bottleneck }, search) {
  const { knee, hasPlateau, capacity, best, operationsNeeded, dollarsNeeded, dimension } = search;
  const found = {
    ...{ knee, hasPlateau, capacity, best, operationsNeeded, dollarsNeeded },
    ...(dimension === undefined ? {} : { dimension }),
    ...(search.buckets === undefined ? {} : { buckets: withoutText(search.buckets) }),
    ...(search.rate === undefined ? {} : { rate: withoutText(search.rate) }),
  };
  return { kind: 'machine', data: { kind: 'search', stage, end, ...found, limitedBy: bottleneck.cause } };
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord}
 */
function capacityLine({ stage, end, threads, average }, { hasPlateau, capacity, operationsNeeded, dollarsNeeded }) {
  const notes = [
    ...(end === 'complete' ? [] : [`the search ended before its time (${end})`]),
    ...(operationsNeeded === null ? [] : [`${needs(operationsNeeded, dollarsNeeded)} are enough to tell more`]),
    ...(capacity !== null && 1000 * capacity.seconds < HOLD_MS
      ? [`held for only ${capacity.seconds.toFixed(1)}s`]
      : []),
    ...(capacity === null && end === 'complete' ? ['it was not held'] : []),
  ];
  return {
    kind: 'capacity',
    word: 'capacity',
    stage,
    bound: hasPlateau && capacity !== null ? 'exact' : 'at least',
    operationsPerSecond: capacity?.operationsPerSecond ?? average,
    interval: capacity && { low: capacity.low, high: capacity.high },
    threads: capacity?.threads ?? threads,
    note: notes.length === 0 ? null : notes.join(', '),
  };
}

/**
 * @param {number} operations
 * @param {number | null} dollars where these were what lacked
 */
function needs(operations, dollars) {
  // What is rounded down would not suffice.
  const limit = dollars === null ? '' : ` and --max-cost ${(Math.ceil(dollars * 1e4) / 1e4).toFixed(4)}`;
  return `${operations} operations${limit}`;
}

/**
 * @param {BucketSearchResult | RateSearchResult} found
 * @returns {Record<string, unknown>} without what other lines say: the room on a machine line is limited
 */
function withoutText(found) {
  return Object.fromEntries(Object.entries(found).filter(([name]) => name !== 'evidence' && name !== 'steps'));
}
