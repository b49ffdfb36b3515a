import { stageTable } from '../figures/stage-table.js';
import { PLAIN, textTable } from '../figures/table.js';
import { problemsOf } from '../result-of-run.js';
import { MAX_LINE_LENGTH, machineLine, retryingLine, scheduleLine, secondLine } from './lines.js';
import { recordLine, recordLines } from './record-lines.js';
import { foundLine, limitLines, stageLines, stepLine, stepsHeading } from './stage-lines.js';

/**
 * @import { RampStep, RunFacts, RunResult, SearchDimension, SearchStep, SecondCount, StageResult } from '../result.js'
 * @import { ReportedSecond, StageStart } from '../run-events.js'
 *
 * @typedef {'second' | 'stage' | 'search' | 'retrying' | 'table'} LineKind lets an output omit lines; `search` is the
 *   progress and the findings of a search or a ramp
 */

/** Version of the machine lines. It changes when an older reader would misread them. */
export const LOG_FORMAT = 1;

/** Seconds that share a machine line. */
const SECONDS_PER_LINE = 60;

/** Retries per second that get their own line; the rest share one. */
const MAX_RETRY_LINES_PER_SECOND = 3;

/**
 * The log of a run: human-readable lines, and machine lines with the rest of a result's data. LogReader reads it back.
 *
 * Omits the percentiles and histograms of seconds, the host's load and the noted operations, which would need more space
 * than everything else.
 */
export class RunLog {
  #writeLine;
  #writeMachineLine;
  /** What the stage's search varies; undefined without a search. @type {SearchDimension | undefined} */
  #search;
  #retries = 0;
  #hasBegun = false;
  /** Bytes of the stage's objects, which the lines show. Stat and Remove do not move them. */
  #objectBytes = 0;
  /** Seconds of the stage that are not in a machine line yet. @type {SecondCount[]} */
  #seconds = [];
  /** Machine lines of the stage's parts so far, such as the steps of a search. */
  #parts = 0;

  /**
   * @param {object} options
   * @param {(line: string, kind: LineKind) => void} options.writeLine
   * @param {((line: string) => void) | null} options.writeMachineLine null if no program will read the log
   */
  constructor({ writeLine, writeMachineLine }) {
    this.#writeLine = writeLine;
    this.#writeMachineLine = writeMachineLine;
  }

  /** @param {RunFacts} facts */
  runStarts(facts) {
    this.#hasBegun = true;
    const { options, ...others } = facts;
    const { replay } = options;
    // The names of all files of a replay.
    const shortened = (/** @type {number} */ most) =>
      replay ? { ...options, replay: replay.slice(0, most) } : options;
    this.#writeMachineLine?.(
      readableLine((most) => ({ kind: 'run', format: LOG_FORMAT, ...others, options: shortened(most) })),
    );
  }

  /** @param {Omit<StageStart, 'bytesPerOperation' | 'duration'>} plan */
  stageStarts({ search, ramp = false, ...plan }) {
    this.#search = search;
    this.#parts = 0;
    this.#objectBytes = 0;
    if (search === undefined) {
      this.#write([scheduleLine(plan)], 'stage');
    }
    if (search !== undefined || ramp) {
      this.#write(stepsHeading(plan, search), 'search');
    }
  }

  /**
   * @param {string} stage
   * @param {RampStep | SearchStep} step
   */
  stepEnds(stage, step) {
    this.#write([stepLine(stage, step, this.#search)], 'search');
    // Written as the step ends, so that a log truncated later still contains it.
    const at = `${'phase' in step ? 'search' : 'ramp'}.steps.${this.#parts}`;
    this.#writeMachineLine?.(recordLine({ kind: 'part', stage, at, ...step }));
    this.#parts += 1;
  }

  /** @param {ReportedSecond} second */
  second({ stage, secondStart, kinds = [], operations, bytes, objectBytes = bytes, failedAttempts, throttled }) {
    this.#flushRetries();
    this.#objectBytes += objectBytes;
    this.#write([secondLine(stage, { secondStart, operations, bytes: objectBytes })], 'second');
    const kindLines = kinds.map(({ operation, ...count }) =>
      secondLine(`${stage} ${operation}`, { secondStart, ...count }),
    );
    this.#write(kindLines, 'second');
    if (this.#seconds.length > 0 && secondStart - this.#seconds[0].secondStart >= SECONDS_PER_LINE) {
      this.#writeMachineLine?.(machineLine({ kind: 'seconds', stage, ...this.#takeSeconds() }));
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
    const { stage, search, seconds, hostLoad, ramp, slowest, failures, ...fields } = result;
    this.#flushRetries();
    if (search !== undefined) {
      this.#write([foundLine(result, search)], 'search');
    }
    const hasSteps = search !== undefined || ramp !== undefined;
    this.#write(hasSteps ? limitLines(result) : stageLines({ ...result, bytes: this.#objectBytes }), 'stage');
    // Omit the steps, which have their own lines.
    const found = search === undefined ? {} : { search: { ...search, steps: [] } };
    const head = { lines: this.#parts, seconds: this.#takeSeconds() };
    // Encoding the histograms of a record takes time.
    if (this.#writeMachineLine !== null) {
      recordLines(stage, { ...fields, ...found }, head).forEach(this.#writeMachineLine);
    }
  }

  /** @param {Pick<RunResult, 'stages' | 'problems' | 'crash' | 'cleanup' | 'requests'>} run */
  runEnds({ stages, cleanup, requests, ...run }) {
    if (stages.length > 0) {
      this.#write(textTable(stageTable(stages), PLAIN), 'table');
    }
    if (this.#hasBegun) {
      const problems = problemsOf(run);
      const line = readableLine((most) => ({
        ...{ kind: 'end', problems: problems.slice(0, most) },
        ...{ cleanup: cleanup && { ...cleanup, problems: cleanup.problems.slice(0, most) }, requests },
      }));
      this.#writeMachineLine?.(line);
    }
  }

  /** Writes a line for the retries of a second that did not get their own line. */
  #flushRetries() {
    const rest = this.#retries - MAX_RETRY_LINES_PER_SECOND;
    this.#retries = 0;
    if (rest > 0) {
      this.#write([retryingLine(rest)], 'retrying');
    }
  }

  /** Returns the seconds since the last machine line of the stage, with null where the host was suspended. */
  #takeSeconds() {
    const seconds = this.#seconds;
    this.#seconds = [];
    const from = seconds[0]?.secondStart ?? null;
    const listOf = (/** @type {'operations' | 'bytes' | 'failedAttempts' | 'throttled'} */ name) => {
      /** @type {(number | null)[]} */
      const list = Array.from(
        { length: from === null ? 0 : seconds[seconds.length - 1].secondStart - from + 1 },
        () => null,
      );
      seconds.forEach((second) => (list[second.secondStart - Number(from)] = second[name] ?? 0));
      return list;
    };
    const hasFailures = seconds.some(({ failedAttempts = 0 }) => failedAttempts > 0);
    const failures = hasFailures ? { failedAttempts: listOf('failedAttempts'), throttled: listOf('throttled') } : {};
    // Usually all operations move equally many bytes, and one number is enough.
    const busy = seconds.find(({ operations }) => operations > 0);
    const each = busy === undefined ? 0 : busy.bytes / busy.operations;
    const isUniform = seconds.every(({ operations, bytes }) => bytes === operations * each);
    return { from, operations: listOf('operations'), bytes: isUniform ? each : listOf('bytes'), ...failures };
  }

  /**
   * @param {readonly string[]} lines
   * @param {LineKind} kind
   */
  #write(lines, kind) {
    lines.forEach((line) => this.#writeLine(line, kind));
  }
}

/**
 * @param {(most: number) => Record<string, unknown>} recordOf with lists and texts of at most this length
 * @returns {string} a machine line that is not too long to be read
 */
function readableLine(recordOf) {
  let most = MAX_LINE_LENGTH;
  let line = machineLine(recordOf(most));
  while (line.length > MAX_LINE_LENGTH && most > 0) {
    most >>= 1;
    line = machineLine(recordOf(most));
  }
  return line;
}
