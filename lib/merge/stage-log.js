import { HistogramParts } from './histogram-parts.js';
import { Finding } from './finding.js';
import { HIGHEST_RATE } from './second-pool.js';
import { SecondSeries } from './second-series.js';

/**
 * @import { Histogram } from 'hdr-histogram-js'
 * @import { LimitCause, ScheduleRecord, SecondRecord, SummaryRecord } from '../log/log-line.js'
 * @import { HistogramPart, StageFacts } from './machine-facts.js'
 * @import { SecondPool } from './second-pool.js'
 */

/** The longest way between two lines of the old tool, whose interval drifts, that is no gap yet. Seconds. */
export const LONGEST_INTERVAL = 3;

/** What a log says of one stage of one run. */
export class StageLog {
  #parts = new HistogramParts();
  /** Tenths of operations in the lines of all seconds. */
  #tenths = 0;
  #hasBegun = false;
  /** Why there are no percentiles, or null. @type {string | null} */
  #histogramProblem = null;
  /** Lines behind a gap, lines of a second that has one already, lines that cannot be true. */
  findings = { gaps: new Finding(), doubled: new Finding(), absurd: new Finding() };
  /** First and last second of which there is a line. @type {{ first: number, last: number } | null} */
  extent = null;
  /** @type {SummaryRecord | null} */
  summary = null;
  /** What the stage's machine line says. @type {StageFacts | null} */
  facts = null;
  /** Where that line stands. @type {number | null} */
  factsLine = null;
  /** @type {number | null} */
  scheduled = null;
  retries = 0;
  /** @type {LimitCause | null} */
  limitedBy = null;

  /**
   * @param {string} name
   * @param {number} line at which the stage begins in this log
   * @param {SecondPool} pool
   */
  constructor(name, line, pool) {
    this.name = name;
    this.line = line;
    this.series = new SecondSeries(pool);
  }

  /** Whether the log says how fast the stage was. */
  get isMeasured() {
    return this.extent !== null || this.summary !== null || this.facts !== null;
  }

  /** Whether the stage has a beginning in the log and no end. */
  get isCut() {
    return this.summary === null && this.facts === null && (this.#hasBegun || this.extent !== null);
  }

  /** Operations in the lines of the seconds. */
  get counted() {
    return this.#tenths / 10;
  }

  /** @param {ScheduleRecord} record */
  begin({ objects }) {
    this.#hasBegun = true;
    this.scheduled = objects;
  }

  /**
   * @param {number} line
   * @param {number} second in which the operations completed
   * @param {SecondRecord} record
   * @param {boolean} isCount whether the line counts what completed in the second, or is a rate over about a second
   */
  addSecond(line, second, { operationsPerSecond }, isCount) {
    if (operationsPerSecond > HIGHEST_RATE) {
      this.findings.absurd.at(line);
      return;
    }
    const tenths = Math.round(operationsPerSecond * 10);
    if (this.series.get(second) !== undefined) {
      if (isCount) {
        this.findings.doubled.at(line);
      } else {
        this.series.average(second, tenths);
      }
      return;
    }
    if (this.extent !== null && second - this.extent.last > (isCount ? 1 : LONGEST_INTERVAL)) {
      this.findings.gaps.at(line);
    }
    this.series.set(second, tenths);
    this.#tenths += tenths;
    const { first, last } = this.extent ?? { first: second, last: second };
    this.extent = { first: Math.min(first, second), last: Math.max(last, second) };
  }

  /**
   * @param {HistogramPart} part
   * @param {(base64: string) => Histogram} decode throws where it cannot
   * @returns {Histogram | null} once it is whole
   */
  addHistogramPart(part, decode) {
    const whole = this.#parts.add(part);
    if (whole === null) {
      return null;
    }
    try {
      const histogram = decode(whole);
      const operations = this.facts?.measured;
      if (histogram.totalCount === operations) {
        return histogram;
      }
      this.#histogramProblem = `the histogram holds ${histogram.totalCount} latencies of ${operations ?? 'unknown'} operations`;
    } catch {
      this.#histogramProblem = 'the histogram cannot be decoded';
    }
    return null;
  }

  /** @returns {string | null} why the log has no percentiles of the stage to add, in words */
  missingHistogram() {
    if (this.facts?.measured === 0) {
      return null;
    }
    return this.#histogramProblem ?? this.#parts.missing();
  }
}
