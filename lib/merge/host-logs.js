import { build } from 'hdr-histogram-js';
import { COUNT_BITS } from './decode-histogram.js';
import { OneLog } from './one-log.js';
import { SecondPool } from './second-pool.js';
import { placeOf } from './wording.js';

/**
 * @import { LogRecord } from '../log/log-line.js'
 * @import { HostRun, SharedByRuns } from './host-run.js'
 * @import { LogWarning } from './read-logs.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/** Highest value that a log of ours can hold, in µs. */
const HIGHEST_LATENCY = 3_600_000_000;

/** The logs of all hosts, taken in line by line: runs, what is shared between them, and what was found wrong. */
export class HostLogs {
  /** By run and shard: the first run that bore them. @type {Map<string, HostRun>} */
  #known = new Map();
  /** @type {OneLog | null} */
  #log = null;
  /** @type {LogWarning[]} */
  #warnings = [];
  /** In the order of their logs. @type {HostRun[]} */
  runs = [];
  /** The latencies of all hosts, in µs. @type {Map<string, Histogram>} */
  latencies = new Map();
  /** @type {SharedByRuns} */
  shared = {
    pool: new SecondPool(),
    addHistogram: (stage, histogram) => this.#addHistogram(stage, histogram),
  };

  /**
   * @param {string} file
   * @param {number} line
   * @param {LogRecord} record
   */
  addRecord(file, line, record) {
    if (this.#log?.file !== file) {
      this.#log = new OneLog(file, this);
    }
    this.#log.add(line, record);
  }

  /** @param {LogWarning} warning */
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

  /** @returns {LogWarning[]} to be asked for when all logs are read */
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
      sum = build({ bitBucketSize: COUNT_BITS, autoResize: true, highestTrackableValue: HIGHEST_LATENCY });
      this.latencies.set(stage, sum);
    }
    sum.add(histogram);
  }
}
