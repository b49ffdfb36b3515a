import { formatLine } from '../log/log-line.js';
import { formatTimeOfDay } from '../log/units.js';
import { runLine, stageMachineLines } from './machine-lines.js';
import { RetryLines } from './retry-lines.js';
import { stageLines, stageTable } from './stage-lines.js';

const MEGABYTE = 1024 ** 2;

/** The log of a run on stdout: its record, line by line, as the run goes on. */
export class RunLog {
  #writeText;
  #withMachineLines;
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

  /** @param {{ stage: import('../log/log-line.js').StageName, objects: number, threads: number, buckets: number }} plan */
  stageStarts(plan) {
    this.#write({ kind: 'schedule', ...plan });
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

  retrying() {
    this.#retries.retrying();
  }

  /** @param {import('../run/stage-result.js').StageResult} result */
  stageEnds(result) {
    this.#retries.flush();
    const machineLines = this.#withMachineLines ? stageMachineLines(result) : [];
    for (const record of [...stageLines(result), ...machineLines]) {
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
