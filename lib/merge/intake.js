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
  /** By stage and by way, see wayId(): the latencies of all hosts, in µs. @type {Map<string, Map<string, HistogramSum>>} */
  #latencies = new Map();
  /** @type {SharedByRuns} */
  shared;

  /** @param {{ keepsSecondLatencies?: boolean }} [options] see SharedByRuns */
  constructor({ keepsSecondLatencies = false } = {}) {
    this.shared = {
      pool: new SecondPool(),
      addHistogram: (stage, way, histogram) => this.#addHistogram(stage, way, histogram),
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
   * @param {string} [way] that they are of alone, see wayId()
   * @returns {HistogramSum | undefined} undefined where no host tells any
   */
  latenciesOf(stage, way) {
    const byWay = this.#latencies.get(stage);
    if (way !== undefined) {
      return byWay?.get(way);
    }
    const [first, ...others] = byWay?.values() ?? [];
    if (others.length === 0) {
      return first;
    }
    const all = new HistogramSum();
    [first, ...others].forEach((each) => all.addSum(each));
    return all;
  }

  /**
   * @param {string} stage
   * @param {string} way
   * @param {Histogram} histogram
   */
  #addHistogram(stage, way, histogram) {
    const byWay = this.#latencies.get(stage) ?? new Map();
    const sum = byWay.get(way) ?? new HistogramSum();
    sum.add(histogram);
    this.#latencies.set(stage, byWay.set(way, sum));
  }
}
