import { formatLine } from '../log/log-line.js';
import { MEGABYTE, formatTimeOfDay } from '../log/units.js';
import { runLine, stageMachineLines } from './machine-lines.js';
import { RetryLines } from './retry-lines.js';
import { searchLines, searchMachineLine, stepMachineLine, stepRow } from './search-lines.js';
import { stageLines, stageTable } from './stage-lines.js';

/**
 * @import { LogRecord, StageName } from '../log/log-line.js'
 * @import { RunFacts, SearchStep, SecondCount, StageResult } from '../model/result.js'
 * @import { StagePlan } from '../model/run-events.js'
 */

/** The log of a run: its record, line by line, as the run goes on. */
export class RunLog {
  #writeLine;
  #writeMachineLine;
  #isSearch = false;
  #retries = new RetryLines((record) => this.#write(record));

  /**
   * @param {object} options
   * @param {(line: string) => void} options.writeLine
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

  /** @param {Pick<StagePlan, 'stage' | 'objects' | 'threads' | 'buckets' | 'isSearch'>} plan */
  stageStarts({ isSearch = false, ...plan }) {
    this.#isSearch = isSearch;
    this.#write({ kind: isSearch ? 'search' : 'schedule', ...plan });
    if (isSearch) {
      this.#write({ kind: 'step-header' });
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
   * @param {StageName} stage
   * @param {SecondCount} count
   */
  second(stage, { second, operations, bytes }) {
    this.#retries.flush();
    this.#write({
      kind: 'second',
      time: formatTimeOfDay(second + 1),
      stage,
      operationsPerSecond: operations,
      megabytesPerSecond: bytes / MEGABYTE,
    });
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
    const lines = search === undefined ? stageLines(result) : searchLines(result, search);
    lines.forEach((record) => this.#write(record));
    this.#writeForMachines(() =>
      search === undefined ? stageMachineLines(result) : [searchMachineLine(result, search)],
    );
  }

  /** @param {readonly StageResult[]} results */
  runEnds(results) {
    if (results.length > 0) {
      stageTable(results).forEach((record) => this.#write(record));
    }
  }

  /** @param {LogRecord} record */
  #write(record) {
    this.#writeLine(formatLine(record));
  }

  /** @param {() => LogRecord[]} makeRecords */
  #writeForMachines(makeRecords) {
    const write = this.#writeMachineLine;
    if (write !== null) {
      makeRecords().forEach((record) => write(formatLine(record)));
    }
  }
}
