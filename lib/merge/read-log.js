import { HostRun } from './host-run.js';
import { KNOWN_FORMAT, readRunLine } from './machine-facts.js';
import { SecondPool } from './seconds.js';
import { TimeLine } from './time-line.js';

/**
 * @import { LogRecord } from '../log/log-line.js'
 * @import { Intake } from './intake.js'
 * @import { SharedByRuns } from './host-run.js'
 */

const SEARCH_BEGINS = 'a search with --find-peak begins here, which cannot be added up: it is not counted';

/** One log, which may hold several runs, one after the other. */
export class LogReader {
  #intake;
  #timeLine = new TimeLine();
  /** @type {HostRun | null} */
  #run = null;
  /** Whether that run is a copy of one that is known: it is read to find its end, and not counted. */
  #isCopy = false;
  /** Whether the lines belong to a search for the peak. */
  #isSearch = false;

  /**
   * @param {string} file
   * @param {Intake} intake
   */
  constructor(file, intake) {
    this.file = file;
    this.#intake = intake;
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
    } else if (!this.#isSearch) {
      if (this.#isOfAnotherRun(record)) {
        this.#run = null;
      }
      this.#addToRun(line, record);
    }
  }

  /**
   * @param {LogRecord} record other than the line of a run
   * @returns {boolean} whether it cannot belong to the run of the lines before it
   */
  #isOfAnotherRun(record) {
    if (record.kind === 'schedule') {
      return this.#run?.isOver(record.stage) ?? false;
    }
    // What a counted run has too much shows in its totals. Behind a copy nothing would show.
    return this.#isCopy && (record.kind === 'second' || record.kind === 'summary') && (this.#run?.hasEnded ?? false);
  }

  /**
   * @param {number} line
   * @param {LogRecord} record
   */
  #addToRun(line, record) {
    if (record.kind === 'second') {
      // The line is stamped with the end of the second that it counts.
      this.#runAt(line).addSecond(line, this.#timeLine.place(record.time) - 1, record);
    } else {
      this.#runAt(line).add(line, record);
    }
  }

  /**
   * @param {number} line
   * @param {Record<string, unknown>} data
   */
  #beginRun(line, data) {
    const facts = readRunLine(data);
    if (this.#run?.isOurs && !this.#run.hasEnded && !this.#isCopy) {
      const message = `another run begins before the end of the one of line ${this.#run.line}: was it cut short, or do several hosts write into one file?`;
      this.#intake.addWarning({ file: this.file, line, message, incomplete: true });
    }
    if (facts.format !== KNOWN_FORMAT) {
      const message = `machine lines of format ${facts.format ?? 'unknown'}, expected ${KNOWN_FORMAT}: use the version of the tool that wrote the log`;
      this.#intake.addWarning({ file: this.file, line, message, incomplete: true });
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
    const head = { file: this.file, line, facts, isDated: facts.start !== null };
    const run = new HostRun({ ...head, shared: this.#intake.shared });
    this.#isCopy = !this.#intake.takeRun(run);
    this.#run = this.#isCopy ? new HostRun({ ...head, shared: sharedWithNone() }) : run;
  }

  /** Its steps are loads of all sizes: their sum with anything means nothing. @param {number} line */
  #beginSearch(line) {
    if (!this.#isSearch) {
      this.#intake.addWarning({ file: this.file, line, message: SEARCH_BEGINS, incomplete: true });
    }
    this.#isSearch = true;
    this.#run = null;
  }

  /** @param {number} line */
  #runAt(line) {
    if (this.#run === null) {
      // Without a run line there is no date, not even that of a run before.
      this.#timeLine.forgetDate();
      this.#isCopy = false;
      this.#run = new HostRun({ file: this.file, line, facts: null, isDated: false, shared: this.#intake.shared });
      this.#intake.takeRun(this.#run);
    }
    return this.#run;
  }
}

/** @returns {SharedByRuns} for a run that is added to nothing */
function sharedWithNone() {
  return { pool: new SecondPool(), addHistogram: () => {}, keepsSecondLatencies: false };
}
