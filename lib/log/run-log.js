import { encodeSeconds } from '../model/host-series.js';
import { problemsOf } from '../model/result-of-run.js';
import { retryingLine, scheduleLine, secondLine } from './lines.js';
import { recordLines } from './records.js';
import { foundLine, searchHeading, stepLine } from './search-lines.js';
import { limitLines, stageLines, stageTable } from './stage-lines.js';

/**
 * @import { RampKind, RampStep, RunFacts, RunResult, SearchDimension, SearchStep, SecondCount, StageResult } from '../model/result.js'
 * @import { ReportedSecond, StageStart } from '../model/run-events.js'
 *
 * @typedef {'second' | 'stage' | 'search' | 'retrying' | 'table'} LineKind by which an output may leave lines out; `search` are those of
 *   a search or a ramp that say how far it is, and what it has found
 */

/** Version of the machine lines; it goes up when a reader of the old ones would misread the new ones. */
export const LOG_FORMAT = 1;

/** Seconds whose exact bytes and failures share a record. A log that is cut short lacks those of the last minute at most. */
export const SECONDS_PER_RECORD = 60;

/** Retries of a second that are shown as they happen; the others share one line. */
const MAX_RETRY_LINES_PER_SECOND = 3;

/**
 * The log of a run: lines for people, and machine lines with everything else that a result needs. `readLog` reads it back.
 *
 * Percentiles and histograms of single seconds, and what the host did, are not in it: they would take more room than all
 * the rest.
 */
export class RunLog {
  #writeLine;
  #writeMachineLine;
  #isSearch = false;
  /** @type {SearchDimension | undefined} */
  #dimension;
  #retries = 0;
  #hasBegun = false;
  /** See StageStart. */
  #nominalBytes = 0;
  /** Those of the stage that no record has yet. @type {SecondCount[]} */
  #seconds = [];
  /** Those of each operation of the stage, as its last record has them. @type {number | null} */
  #operationBytes = null;

  /**
   * @param {object} options
   * @param {(line: string, kind: LineKind) => void} options.writeLine
   * @param {((line: string) => void) | null} options.writeMachineLine null if no program is going to read the log
   */
  constructor({ writeLine, writeMachineLine }) {
    this.#writeLine = writeLine;
    this.#writeMachineLine = writeMachineLine ?? (() => {});
  }

  /** @param {RunFacts} facts */
  runStarts(facts) {
    this.#hasBegun = true;
    this.#record({ kind: 'run', format: LOG_FORMAT }, { ...facts });
  }

  /** @param {Omit<StageStart, 'bytesPerOperation' | 'duration'>} plan */
  stageStarts({ isSearch = false, dimension, nominalBytes = 0, ...plan }) {
    this.#isSearch = isSearch;
    this.#dimension = dimension;
    this.#operationBytes = null;
    this.#nominalBytes = nominalBytes;
    if (isSearch) {
      this.#write(searchHeading(plan, dimension), 'search');
    } else {
      this.#write([scheduleLine(plan)], 'stage');
    }
  }

  /**
   * @param {string} stage
   * @param {SearchStep} step
   */
  stepEnds(stage, step) {
    this.#write([stepLine(stage, step, this.#dimension)], 'search');
    this.#record({ kind: 'step', stage, startedAt: step.startedAt }, { ...step });
  }

  /**
   * A log that is cut off later has the step all the same.
   *
   * @param {string} stage
   * @param {RampKind} of
   * @param {RampStep} step
   */
  slotEnds(stage, of, step) {
    this.#record({ kind: 'ramp-step', stage, slotStart: step.slotStart }, { of, ...step });
  }

  /** @param {ReportedSecond} second */
  second({ stage, secondStart, kinds = [], operations, bytes, failedAttempts, throttled }) {
    this.#flushRetries();
    this.#write([secondLine(stage, { secondStart, ...this.#withNominalBytes({ operations, bytes }) })], 'second');
    const kindLines = kinds.map(({ operation, ...count }) =>
      secondLine(`${stage} ${operation}`, { secondStart, ...count }),
    );
    this.#write(kindLines, 'second');
    if (this.#seconds.length > 0 && secondStart - this.#seconds[0].secondStart >= SECONDS_PER_RECORD) {
      this.#flushSeconds(stage);
    }
    this.#seconds.push({ secondStart, operations, bytes, failedAttempts, throttled });
  }

  retrying() {
    // The table of a search counts what failed.
    if (this.#isSearch) {
      return;
    }
    this.#retries += 1;
    if (this.#retries <= MAX_RETRY_LINES_PER_SECOND) {
      this.#write([retryingLine(1)], 'retrying');
    }
  }

  /** @param {StageResult} result */
  stage(result) {
    const { stage, search, seconds, hostLoad, ramp, ...fields } = result;
    this.#flushRetries();
    this.#flushSeconds(stage);
    if (search === undefined) {
      this.#write(stageLines(this.#withNominalBytes(result)), 'stage');
    } else {
      this.#write([foundLine(result, search)], 'search');
      this.#write(limitLines(result), 'stage');
    }
    // The steps have records of their own.
    const found = search === undefined ? {} : { search: { ...search, steps: [] } };
    this.#record({ kind: 'stage', stage }, { ...fields, ...found });
  }

  /** @param {Pick<RunResult, 'stages' | 'problems' | 'crash' | 'cleanup' | 'requests'>} run */
  runEnds({ stages, cleanup, requests, ...run }) {
    if (stages.length > 0) {
      this.#write(stageTable(stages), 'table');
    }
    if (this.#hasBegun) {
      this.#record({ kind: 'end' }, { problems: problemsOf(run), cleanup, requests });
    }
  }

  /**
   * @template {{ operations: number, bytes: number }} Count
   * @param {Count} count
   * @returns {Count} as the lines for people have it
   */
  #withNominalBytes(count) {
    return { ...count, bytes: count.bytes + count.operations * this.#nominalBytes };
  }

  /** However many retries there are in a second, the lines add up to all of them. */
  #flushRetries() {
    const rest = this.#retries - MAX_RETRY_LINES_PER_SECOND;
    this.#retries = 0;
    if (rest > 0) {
      this.#write([retryingLine(rest)], 'retrying');
    }
  }

  /**
   * The lines of the seconds have operations exactly, and bytes rounded to 0.1 MB. Nothing is written of seconds that were as
   * those before: no failures, and the same bytes for each operation.
   *
   * @param {string} stage
   */
  #flushSeconds(stage) {
    const seconds = this.#seconds;
    this.#seconds = [];
    if (seconds.length === 0) {
      return;
    }
    const [{ secondStart: from }] = seconds;
    const failed = seconds.flatMap(({ secondStart, failedAttempts = 0, throttled = 0 }) =>
      failedAttempts > 0 ? [[secondStart - from, failedAttempts, throttled]] : [],
    );
    const until = seconds[seconds.length - 1].secondStart;
    const bytes = bytesOf(seconds);
    const isAsBefore = failed.length === 0 && bytes.operationBytes === this.#operationBytes;
    this.#operationBytes = bytes.operationBytes ?? null;
    if (isAsBefore) {
      return;
    }
    const fields = { until, ...bytes, ...(failed.length > 0 ? { failed } : {}) };
    this.#record({ kind: 'seconds', stage, from }, fields);
  }

  /**
   * @param {readonly string[]} lines
   * @param {LineKind} kind
   */
  #write(lines, kind) {
    lines.forEach((line) => this.#writeLine(line, kind));
  }

  /**
   * @param {Record<string, unknown>} head
   * @param {Record<string, unknown>} fields
   */
  #record(head, fields) {
    recordLines(head, fields).forEach(this.#writeMachineLine);
  }
}

/**
 * @param {readonly SecondCount[]} seconds at least one, in a row or with gaps
 * @returns {{ operationBytes?: number, bytes?: string }} the bytes of an operation, if they are the same for all;
 *   otherwise those of each second, see encodeSeconds
 */
function bytesOf(seconds) {
  const busy = seconds.find(({ operations }) => operations > 0);
  const operationBytes = busy === undefined ? 0 : busy.bytes / busy.operations;
  const [first, last] = [seconds[0].secondStart, seconds[seconds.length - 1].secondStart];
  if (
    Number.isInteger(operationBytes) &&
    seconds.every(({ operations, bytes }) => bytes === operations * operationBytes)
  ) {
    return { operationBytes };
  }
  /** @type {(number | null)[]} */
  const bytes = Array.from({ length: last - first + 1 }, () => null);
  seconds.forEach((second) => (bytes[second.secondStart - first] = second.bytes));
  return { bytes: encodeSeconds(bytes) };
}
