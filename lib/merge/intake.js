import { HistogramSum } from '../model/histogram.js';
import { LogReader } from './read-log.js';
import { addResult } from './read-result.js';
import { SecondPool } from './seconds.js';
import { placeOf } from './warnings.js';

/**
 * @import { LogRecord } from '../log/log-line.js'
 * @import { HostRun, SharedByRuns } from './host-run.js'
 * @import { MergeWarning, Result } from '../model/result.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/** What is given of all hosts, logs and results: runs, what is shared between them, and what was found wrong. */
export class Intake {
  /** By run and shard: the first run that bore them. @type {Map<string, HostRun>} */
  #known = new Map();
  /** @type {LogReader | null} */
  #log = null;
  /** @type {MergeWarning[]} */
  #warnings = [];
  /** In the order of their logs. @type {HostRun[]} */
  runs = [];
  /** The latencies of all hosts, in µs. @type {Map<string, HistogramSum>} */
  latencies = new Map();
  /** @type {SharedByRuns} */
  shared;

  /** @param {{ keepsSecondLatencies?: boolean }} [options] see SharedByRuns */
  constructor({ keepsSecondLatencies = false } = {}) {
    this.shared = {
      pool: new SecondPool(),
      addHistogram: (stage, histogram) => this.#addHistogram(stage, histogram),
      keepsSecondLatencies,
    };
  }

  /**
   * @param {string} file
   * @param {number} line
   * @param {LogRecord} record
   */
  addRecord(file, line, record) {
    if (this.#log?.file !== file) {
      this.#log = new LogReader(file, this);
    }
    this.#log.add(line, record);
  }

  /**
   * @param {string} file
   * @param {Result} result
   */
  addResult(file, result) {
    addResult(file, result, this);
  }

  /** @param {MergeWarning} warning */
  addWarning(warning) {
    this.#warnings.push(warning);
  }

  /**
   * @param {HostRun} run
   * @returns {boolean} whether it is to be counted
   */
  takeRun(run) {
    const { facts, file, line } = run;
    if (facts?.run) {
      const name = `${facts.run} ${facts.shard}`;
      const earlier = this.#known.get(name);
      if (earlier !== undefined) {
        const isCopy = facts.start === earlier.facts?.start && facts.host === earlier.facts.host;
        const what = `run ${facts.run}${facts.shard === null ? '' : `, shard ${facts.shard},`} stands in ${placeOf(earlier)}, too`;
        const message = `${what}: ${isCopy ? 'counted once' : 'by another host or at another time, both are counted'}`;
        this.addWarning({ file, line, message, incomplete: false });
        if (isCopy) {
          return false;
        }
      } else {
        this.#known.set(name, run);
      }
    }
    this.runs.push(run);
    return true;
  }

  /** @returns {MergeWarning[]} to be asked for when all logs are read */
  warnings() {
    return [
      ...this.#warnings,
      ...this.runs.flatMap((run) => run.warnings().map((warning) => ({ file: run.file, ...warning }))),
    ];
  }

  /**
   * @param {string} stage
   * @param {Histogram} histogram
   */
  #addHistogram(stage, histogram) {
    let sum = this.latencies.get(stage);
    if (sum === undefined) {
      sum = new HistogramSum();
      this.latencies.set(stage, sum);
    }
    sum.add(histogram);
  }
}
