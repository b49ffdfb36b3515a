import { build } from 'hdr-histogram-js';
import { COUNT_BITS } from './decode-histogram.js';
import { HostRun } from './host-run.js';
import { KNOWN_FORMAT, readRunFacts } from './machine-facts.js';
import { SecondPool } from './second-pool.js';
import { TimeLine } from './time-line.js';
import { placeOf } from './wording.js';

/**
 * @import { Histogram } from 'hdr-histogram-js'
 * @import { LogRecord, StageName } from '../log/log-line.js'
 * @import { LogWarning } from './read-logs.js'
 */

/** Highest value that a log of ours can hold, in µs. */
const HIGHEST_LATENCY = 3_600_000_000;

const SEARCH_BEGINS = 'a search with --find-peak begins here, which cannot be added up: it is not counted';

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
  /** The latencies of all hosts, in µs. @type {Map<StageName, Histogram>} */
  latencies = new Map();
  /** @type {import('./host-run.js').SharedByRuns} */
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
   * @param {StageName} stage
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

/** One log, which may hold several runs, one behind the other. */
class OneLog {
  #hosts;
  #timeLine = new TimeLine();
  /** @type {HostRun | null} */
  #run = null;
  /** Whether the lines belong to a run that is not to be counted. */
  #isSkipping = false;
  /** Whether they belong to a search for the peak. */
  #isSearch = false;

  /**
   * @param {string} file
   * @param {HostLogs} hosts
   */
  constructor(file, hosts) {
    this.file = file;
    this.#hosts = hosts;
  }

  /**
   * @param {number} line
   * @param {LogRecord} record
   */
  add(line, record) {
    if (record.kind === 'machine' && record.data.kind === 'run') {
      this.#beginRun(line, record.data);
    } else if (record.kind === 'search') {
      this.#beginSearch(line);
    } else if (this.#isSearch && record.kind === 'schedule') {
      // A log without machine lines, in which another run follows.
      this.#isSearch = false;
      this.add(line, record);
    } else if (this.#isSkipping || this.#isSearch) {
      return;
    } else if (record.kind === 'second') {
      // The line is stamped with the end of the second that it counts.
      this.#runAt(line).addSecond(line, this.#timeLine.place(record.time) - 1, record);
    } else {
      if (record.kind === 'schedule' && this.#run?.isOver(record.stage)) {
        this.#run = null;
      }
      this.#runAt(line).add(line, record);
    }
  }

  /**
   * @param {number} line
   * @param {Record<string, unknown>} data
   */
  #beginRun(line, data) {
    const facts = readRunFacts(data);
    if (this.#run?.isOurs && !this.#run.hasEnded && !this.#isSkipping) {
      const message = `another run begins before the end of the one of line ${this.#run.line}: was it cut short, or do several hosts write into one file?`;
      this.#hosts.addWarning({ file: this.file, line, message, incomplete: true });
    }
    if (facts.format !== KNOWN_FORMAT) {
      const message = `machine lines of format ${facts.format ?? 'unknown'}, expected ${KNOWN_FORMAT}: use the version of the tool that wrote the log`;
      this.#hosts.addWarning({ file: this.file, line, message, incomplete: true });
    }
    this.#isSearch = false;
    if (facts.isSearch) {
      this.#beginSearch(line);
      return;
    }
    if (facts.start === null) {
      this.#timeLine.forgetDate();
    } else {
      this.#timeLine.dateFrom(facts.start);
    }
    const isDated = facts.start !== null;
    this.#run = new HostRun({ file: this.file, line, facts, isDated, shared: this.#hosts.shared });
    this.#isSkipping = !this.#hosts.takeRun(this.#run);
  }

  /** Its steps are loads of all sizes: their sum with anything means nothing. @param {number} line */
  #beginSearch(line) {
    if (!this.#isSearch) {
      this.#hosts.addWarning({ file: this.file, line, message: SEARCH_BEGINS, incomplete: true });
    }
    this.#isSearch = true;
    this.#run = null;
  }

  /** @param {number} line */
  #runAt(line) {
    if (this.#run === null) {
      // Without a run line there is no date, not even that of a run before.
      this.#timeLine.forgetDate();
      this.#run = new HostRun({ file: this.file, line, facts: null, isDated: false, shared: this.#hosts.shared });
      this.#hosts.takeRun(this.#run);
    }
    return this.#run;
  }
}
