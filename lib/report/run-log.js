import { formatLine } from '../log/log-line.js';
import { MEGABYTE, formatTimeOfDay } from '../log/units.js';
import { runLine, stageMachineLines } from './machine-lines.js';
import { RetryLines } from './retry-lines.js';
import { searchLines, searchMachineLine, stepMachineLine, stepRow } from './search-lines.js';
import { stageLines, stageTable } from './stage-lines.js';

/** The log of a run on stdout: its record, line by line, as the run goes on. */
export class RunLog {
  #writeText;
  #withMachineLines;
  #isSearch = false;
  #retries = new RetryLines((record) => this.#write(record));

  /**
   * @param {object} options
   * @param {(line: string) => void} options.writeLine
   * @param {boolean} options.withMachineLines not on a terminal, where a person reads
   */
  constructor({ writeLine, withMachineLines }) {
    this.#writeText = writeLine;
    this.#withMachineLines = withMachineLines;
  }

  /** @param {import('../run/run-facts.js').RunFacts} facts */
  runStarts(facts) {
    if (this.#withMachineLines) {
      this.#write(runLine(facts));
    }
  }

  /** @param {Pick<import('../run/benchmark-run.js').StagePlan, 'stage' | 'objects' | 'threads' | 'buckets' | 'isSearch'>} plan */
  stageStarts({ isSearch = false, ...plan }) {
    this.#isSearch = isSearch;
    this.#write({ kind: isSearch ? 'search' : 'schedule', ...plan });
    if (isSearch) {
      this.#write({ kind: 'step-header' });
    }
  }

  /**
   * @param {import('../log/log-line.js').StageName} stage
   * @param {import('../run/search-result.js').SearchStep} step
   */
  stepEnds(stage, step) {
    this.#write(stepRow(stage, step));
    if (this.#withMachineLines) {
      this.#write(stepMachineLine(stage, step));
    }
  }

  /**
   * @param {import('../log/log-line.js').StageName} stage
   * @param {import('../meter/second-counts.js').SecondCount} count
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

  /** @param {import('../run/stage-result.js').StageResult} result */
  stageEnds(result) {
    this.#retries.flush();
    const { search } = result;
    const lines = search === undefined ? stageLines(result) : searchLines(result, search);
    const forMachines = () => (search === undefined ? stageMachineLines(result) : [searchMachineLine(result, search)]);
    for (const record of [...lines, ...(this.#withMachineLines ? forMachines() : [])]) {
      this.#write(record);
    }
  }

  /** @param {readonly import('../run/stage-result.js').StageResult[]} results */
  runEnds(results) {
    if (results.length > 0) {
      stageTable(results).forEach((record) => this.#write(record));
    }
  }

  /** @param {import('../log/log-line.js').LogRecord} record */
  #write(record) {
    this.#writeText(formatLine(record));
  }
}
