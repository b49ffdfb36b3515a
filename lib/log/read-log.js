import { LOG_FORMAT } from './run-log.js';
import { RunReader } from './run-reader.js';
import { TimeLine } from './time-line.js';

/**
 * @import { MergeWarning, Result, StageSum } from '../model/result.js'
 * @import { SecondSeries } from '../model/second-series.js'
 * @import { LogLine } from './lines.js'
 *
 * @typedef {Omit<StageSum, 'seconds'> & { seconds: SecondSeries }} ReadStage
 * @typedef {Omit<Result, 'stages'> & { stages: ReadStage[] }} ReadResult
 *
 * @typedef {object} ReadRun a run read from a log or a result
 * @property {ReadResult} result
 * @property {string} file
 * @property {number | null} line where the run begins; null for a result
 * @property {MergeWarning[]} warnings in line order
 */

/** Reads a log line by line, with one or more runs in a row, and keeps only what the results need. */
export class LogReader {
  #file;
  #takeRun;
  #timeLine = new TimeLine();
  /** @type {RunReader | null} */
  #run = null;

  /**
   * @param {string} file
   * @param {(run: ReadRun) => void} takeRun called at the end of each run
   */
  constructor(file, takeRun) {
    this.#file = file;
    this.#takeRun = takeRun;
  }

  /**
   * @param {number} number
   * @param {LogLine} line
   */
  add(number, line) {
    if (line.kind === 'machine' && line.data.kind === 'run') {
      this.#beginRun(number, line.data);
      return;
    }
    if (this.#belongsToNextRun(line)) {
      this.end();
    }
    const run = this.#run ?? this.#beginHeadless(number);
    if (line.kind === 'second') {
      // The time of the line is the end of the second.
      run.addSecond(number, this.#timeLine.toSeconds(line.time) - 1, line);
    } else {
      run.add(number, line);
    }
  }

  /** Call at the end of the log. */
  end() {
    if (this.#run !== null) {
      this.#takeRun(this.#run.read());
      this.#run = null;
    }
  }

  /** @param {LogLine} line */
  #belongsToNextRun(line) {
    if (line.kind === 'schedule') {
      return this.#run?.isOver(line.stage) ?? false;
    }
    return (line.kind === 'second' || line.kind === 'summary') && (this.#run?.hasEnded ?? false);
  }

  /**
   * @param {number} number
   * @param {Record<string, unknown>} data
   */
  #beginRun(number, data) {
    if (this.#run !== null && this.#run.hasMachineLines && !this.#run.hasEnded) {
      this.#run.warn(
        number,
        `another run begins before the run from line ${this.#run.line} ends: either the log was cut short, or several hosts wrote to it`,
      );
    }
    this.end();
    this.#run = new RunReader(this.#file, number);
    if (data.format !== LOG_FORMAT) {
      const format = typeof data.format === 'number' ? data.format : 'unknown';
      this.#run.warn(
        number,
        `machine lines have format ${format}, expected ${LOG_FORMAT}: use the version of the tool that wrote the log`,
      );
    }
    this.#run.add(number, { kind: 'machine', data });
    const { start } = this.#run;
    if (start === null) {
      this.#timeLine.forgetDate();
    } else {
      this.#timeLine.setDate(start);
    }
  }

  /** A run without its first line has no date, and must not take the previous run's date. @param {number} number */
  #beginHeadless(number) {
    this.#timeLine.forgetDate();
    this.#run = new RunReader(this.#file, number);
    return this.#run;
  }
}
