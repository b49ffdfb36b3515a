import { isCut, missingPercentiles } from '../completeness.js';
import { missedAllSlots } from '../ramp.js';
import { MAX_INTERVAL_SECONDS } from '../second-series.js';
import { andMore } from '../../text/figures.js';
import { formatTimeOfDay } from '../../text/units.js';

/**
 * @import { MergeWarning } from '../result.js'
 * @import { ReadResult, ReadStage } from './read-log.js'
 *
 * @typedef {{ line: number | null, message: string, incomplete: boolean }} Remark
 */

const HEADLESS = 'the first line of the run is missing, so whole stages before this line may be missing';

/** Problems with the lines of a stage: first line and count of each kind. Line numbers are null for a result. */
export class StageFindings {
  /** @type {Map<string, { line: number | null, count: number }>} */
  #found = new Map();
  /** @type {number | null} */
  totalsLine = null;

  /** @param {number | null} line where the stage begins */
  constructor(line) {
    this.line = line;
  }

  /**
   * @param {'impossible' | 'doubled' | 'gap'} problem
   * @param {number | null} line
   */
  add(problem, line) {
    const { line: first, count } = this.#found.get(problem) ?? { line, count: 0 };
    this.#found.set(problem, { line: first, count: count + 1 });
  }

  /**
   * @param {'impossible' | 'doubled' | 'gap'} problem
   * @param {string} message
   * @param {boolean} incomplete
   * @returns {Remark[]} at most one
   */
  remarks(problem, message, incomplete) {
    const { line = null, count = 0 } = this.#found.get(problem) ?? {};
    return count === 0 ? [] : [{ line, message: message + andMore(count), incomplete }];
  }
}

/** Problems of a run that was read: impossible, missing and contradictory lines. Line numbers are null for a result. */
export class RunFindings {
  #file;
  #line;
  /** @type {Map<string, StageFindings>} */
  #stages = new Map();
  /** @type {Remark[]} */
  #remarks = [];
  /** First problem and number of problems, by record. @type {Map<string, Remark & { count: number }>} */
  #unusable = new Map();
  /** @type {number | null} */
  lastLine;

  /**
   * @param {string} file
   * @param {number | null} line where the run begins
   */
  constructor(file, line) {
    this.#file = file;
    this.#line = line;
    this.lastLine = line;
  }

  /**
   * @param {string} stage
   * @param {number | null} line where the stage begins
   */
  stage(stage, line) {
    const findings = new StageFindings(line);
    this.#stages.set(stage, findings);
    return findings;
  }

  /**
   * @param {number} line
   * @param {string} message about data missing from the result
   */
  warn(line, message) {
    this.#remarks.push({ line, message, incomplete: true });
  }

  /**
   * @param {number} line
   * @param {string} record
   * @param {string} what the problem
   */
  unusable(line, record, what) {
    this.#count(record, line, `cannot use the data of this line for ${record}: ${what}`);
  }

  /** @param {number} line that starts like a machine line */
  unreadable(line) {
    this.#count(
      '',
      line,
      'this machine line cannot be read, as if its braces or quotes had been replaced: give the file of --log',
    );
  }

  /**
   * @param {string} record
   * @param {number} line
   * @param {string} message
   */
  #count(record, line, message) {
    const known = this.#unusable.get(record) ?? { line, message, incomplete: true, count: 0 };
    this.#unusable.set(record, { ...known, count: known.count + 1 });
  }

  /**
   * @param {ReadResult} result
   * @param {object} log
   * @param {boolean} log.hasEnd whether it contains the last line of the run
   * @param {boolean} log.hasMachineLines
   * @returns {MergeWarning[]} in line order
   */
  warnings(result, { hasEnd, hasMachineLines }) {
    const unusable = [...this.#unusable.values()].map(({ count, message, ...remark }) => ({
      ...remark,
      message: message + andMore(count),
    }));
    const last = result.stages[result.stages.length - 1];
    const cutIn = result.run !== null && !hasEnd && last !== undefined && isCut(last) ? last : null;
    const wholeStages = result.stages.filter((stage) => stage !== cutIn);
    const remarks = [
      ...this.#remarks,
      ...unusable,
      ...wholeStages.flatMap((stage) => this.#stageRemarks(stage, hasMachineLines)),
      ...(hasMachineLines && result.run === null ? [{ line: this.#line, message: HEADLESS, incomplete: true }] : []),
      ...this.#endRemarks(result, hasEnd, cutIn),
    ];
    return remarks
      .sort((one, other) => Number(one.line) - Number(other.line))
      .map((remark) => ({ file: this.#file, ...remark }));
  }

  /**
   * @param {ReadStage} stage
   * @param {boolean} hasMachineLines
   */
  #stageRemarks(stage, hasMachineLines) {
    const { stage: name, ramp } = stage;
    if (missedAllSlots(ramp)) {
      return [];
    }
    const findings = this.#stages.get(name) ?? new StageFindings(null);
    const { line } = findings;
    return [
      ...(isCut(stage)
        ? [{ line, message: `${name} begins here and has no summary: the log is cut short`, incomplete: true }]
        : []),
      ...findings.remarks('impossible', `${name} has an impossible rate here: this line is not counted`, true),
      ...(hasMachineLines ? remarksOnCounts(stage, findings) : remarksOnRates(stage, findings)),
    ];
  }

  /**
   * @param {ReadResult} result
   * @param {boolean} hasEnd
   * @param {ReadStage | null} cutIn the stage in which the log ends
   */
  #endRemarks({ run, options, stages }, hasEnd, cutIn) {
    if (run !== null && !hasEnd) {
      const message = cutIn === null ? 'the run did not end: the log is cut short here' : describeCut(cutIn);
      return [{ line: this.lastLine, message, incomplete: true }];
    }
    const names = stages.map(({ stage }) => stage.toLowerCase());
    const next = options?.stages?.find((stage) => !names.includes(stage.toLowerCase()));
    const isStopped = stages.some(({ end = null }) => end !== null && end !== 'complete');
    if (next === undefined || isStopped || stages.some(isCut)) {
      return [];
    }
    const planned = next[0].toUpperCase() + next.slice(1);
    return [{ line: this.lastLine, message: `the run ended here, before ${planned}`, incomplete: true }];
  }
}

/** @param {ReadStage} stage in which a log ends */
function describeCut({ stage, seconds: { extent } }) {
  const time = extent === null ? '' : ` at ${formatTimeOfDay(extent.last + 1)},`;
  return `the log ends${time} in ${stage}: what this host did later is not in the sum`;
}

/**
 * The original tool prints rates over the time since the previous line, so a long gap does not prove that lines are
 * missing.
 *
 * @param {ReadStage} stage
 * @param {StageFindings} findings
 */
function remarksOnRates({ stage }, findings) {
  const message = `${stage} has no line for more than ${MAX_INTERVAL_SECONDS} seconds before this one`;
  return findings.remarks('gap', message, false);
}

/**
 * Logs of this tool contain counts per second and totals. If they agree, nothing is missing, even if lines are repeated
 * or seconds have no line.
 *
 * @param {ReadStage} stage
 * @param {StageFindings} findings
 */
function remarksOnCounts(stage, findings) {
  const { stage: name, startedAt, operations, end, seconds, paused } = stage;
  const hasLostSeconds = 1000 * seconds.missing > (paused ?? 0);
  const strange = (/** @type {boolean} */ incomplete) => [
    ...(hasLostSeconds
      ? findings.remarks('gap', `${name} has no line for the seconds before this one`, incomplete)
      : []),
    ...findings.remarks(
      'doubled',
      `duplicate second in ${name}, counted once: several hosts may be writing to one file`,
      incomplete,
    ),
  ];
  const line = findings.totalsLine ?? findings.line;
  if (typeof startedAt !== 'number') {
    const message = `${name} begins here but has no machine line with its totals: lines are missing`;
    return [...strange(true), ...(isCut(stage) ? [] : [{ line, message, incomplete: true }])];
  }
  const counted = seconds.tenths / 10;
  const difference = `the seconds of ${name} add up to ${counted} of its ${operations} operations`;
  const missing = missingPercentiles(stage);
  const suspended = `${name} was suspended for ${(Number(paused) / 1000).toFixed(1)}s: its host did nothing during that time`;
  return [
    ...strange(false),
    ...(paused ? [{ line, message: suspended, incomplete: false }] : []),
    ...(counted === operations
      ? []
      : [{ line, message: `${difference}: lines are missing or belong to another run`, incomplete: true }]),
    ...(missing === null ? [] : [{ line, message: `${name} has no percentiles: ${missing}`, incomplete: true }]),
    ...(end === 'complete'
      ? []
      : [{ line, message: `${name} ended before its work was done (${end ?? 'unknown'})`, incomplete: true }]),
  ];
}
