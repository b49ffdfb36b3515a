import { encodeSeconds } from './packed-seconds.js';
import { problemsOf } from '../model/result-of-run.js';
import { retryingLine, scheduleLine, secondLine } from './lines.js';
import { recordLines } from './records.js';
import { foundLine, searchHeading, stepLine } from './search-lines.js';
import { limitLines, stageLines, stageTable } from './stage-lines.js';

/**
 * @import { RampStep, RunFacts, RunResult, SearchDimension, SearchStep, SecondCount } from '../model/result.js'
 * @import { StageResult } from '../model/result.js'
 * @import { ReportedSecond, StageStart } from '../model/run-events.js'
 *
 * @typedef {'second' | 'stage' | 'search' | 'retrying' | 'table'} LineKind lets an output omit lines; `search` is the
 *   progress and the findings of a search or a ramp
 */

/** Version of the machine lines. It changes when an older reader would misread them. */
export const LOG_FORMAT = 1;

/** Seconds whose exact bytes and failures share a record. A truncated log lacks the details of at most this many. */
export const SECONDS_PER_RECORD = 60;

/** Retries per second that get their own line; the rest share one. */
const MAX_RETRY_LINES_PER_SECOND = 3;

/**
 * The log of a run: human-readable lines, and machine lines with the rest of a result's data. LogReader reads it back.
 *
 * Omits percentiles and histograms per second and the host's load, which would need more space than everything else.
 */
export class RunLog {
  #writeLine;
  #writeMachineLine;
  /** What the stage's search varies; undefined without a search. @type {SearchDimension | undefined} */
  #search;
  #retries = 0;
  #hasBegun = false;
  /** See StageStart. */
  #nominalBytes = 0;
  /** Seconds of the stage that are not in a record yet. @type {SecondCount[]} */
  #seconds = [];
  /** Bytes per operation in the last record of the stage. @type {number | null} */
  #operationBytes = null;

  /**
   * @param {object} options
   * @param {(line: string, kind: LineKind) => void} options.writeLine
   * @param {((line: string) => void) | null} options.writeMachineLine null if no program will read the log
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
  stageStarts({ search, nominalBytes = 0, ...plan }) {
    this.#search = search;
    this.#operationBytes = null;
    this.#nominalBytes = nominalBytes;
    if (search === undefined) {
      this.#write([scheduleLine(plan)], 'stage');
    } else {
      this.#write(searchHeading(plan, search), 'search');
    }
  }

  /**
   * @param {string} stage
   * @param {SearchStep} step
   */
  stepEnds(stage, step) {
    this.#write([stepLine(stage, step, this.#search)], 'search');
    this.#record({ kind: 'step', stage, startedAt: step.startedAt }, { ...step });
  }

  /**
   * Records the step at once, so that a log truncated later still contains it.
   *
   * @param {string} stage
   * @param {RampStep} step
   */
  slotEnds(stage, step) {
    this.#record({ kind: 'ramp-step', stage, slotStart: step.slotStart }, { ...step });
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
    // In a search, the table of steps contains the failures instead.
    if (this.#search !== undefined) {
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
    // Omit the steps, which have their own records.
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
   * Adds the nominal bytes: human-readable lines count them although they are not transferred.
   *
   * @template {{ operations: number, bytes: number }} Count
   * @param {Count} count
   * @returns {Count}
   */
  #withNominalBytes(count) {
    return { ...count, bytes: count.bytes + count.operations * this.#nominalBytes };
  }

  /** Writes a line for the retries of a second that did not get their own line. */
  #flushRetries() {
    const rest = this.#retries - MAX_RETRY_LINES_PER_SECOND;
    this.#retries = 0;
    if (rest > 0) {
      this.#write([retryingLine(rest)], 'retrying');
    }
  }

  /**
   * The lines of the seconds contain exact operations, but bytes rounded to 0.1 MB. This writes a record only if the
   * bytes per operation changed or attempts failed.
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
    const isUnchanged = failed.length === 0 && bytes.operationBytes === this.#operationBytes;
    this.#operationBytes = bytes.operationBytes ?? null;
    if (isUnchanged) {
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
 * @param {readonly SecondCount[]} seconds at least one, possibly with gaps
 * @returns {{ operationBytes?: number, bytes?: string }} bytes per operation if constant; otherwise encoded, per second
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
