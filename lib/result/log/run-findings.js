import { isCut, missingPercentiles } from '../completeness.js';
import { missedAllSlots } from '../ramp.js';
import { andMore } from '../../text/figures.js';
import { formatTimeOfDay } from '../../text/units.js';

/**
 * @import { MergeWarning } from '../result.js'
 * @import { ReadResult, ReadStage } from './read-log.js'
 *
 * @typedef {{ line: number | null, message: string, incomplete: boolean }} Remark
 */

const HEADLESS = 'the first line of the run is missing, so whole stages before this line may be missing';

/** Problems of a run that was read: impossible, missing and contradictory lines. Line numbers are null for a result. */
export class RunFindings {
  #file;
  #line;
  /** The first problem of each kind, and the number of problems. @type {Map<string, Remark & { count: number }>} */
  #found = new Map();
  /** The first line of each stage, or that of its totals. @type {Map<string, number | null>} */
  stageLines = new Map();
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
   * @param {number | null} line
   * @param {string} message
   * @param {object} [options]
   * @param {boolean} [options.incomplete] whether the result lacks data
   * @param {string} [options.kind] the first of several problems of one kind is shown, with their number
   */
  add(line, message, { incomplete = true, kind = message } = {}) {
    const known = this.#found.get(kind) ?? { line, message, incomplete, count: 0 };
    this.#found.set(kind, { ...known, count: known.count + 1 });
  }

  /**
   * @param {number} line
   * @param {string} what the kind of the line, and its stage
   * @param {string} problem
   */
  unusable(line, what, problem) {
    this.add(line, `cannot use the data of this line for ${what}: ${problem}`, { kind: what });
  }

  /**
   * @param {ReadResult} result
   * @param {object} log
   * @param {boolean} log.hasEnd whether it contains the last line of the run
   * @param {boolean} log.hasMachineLines
   * @returns {MergeWarning[]} in line order
   */
  warnings(result, { hasEnd, hasMachineLines }) {
    const { run, stages } = result;
    const last = stages[stages.length - 1];
    const cutIn = run !== null && !hasEnd && last !== undefined && isCut(last) ? last : null;
    const remarks = [
      ...[...this.#found.values()].map(({ count, ...remark }) => ({
        ...remark,
        message: remark.message + andMore(count),
      })),
      ...stages
        .filter((stage) => stage !== cutIn && !missedAllSlots(stage.ramp))
        .flatMap((stage) => {
          const line = this.stageLines.get(stage.stage) ?? null;
          return remarksOn(stage, hasMachineLines).map((remark) => ({ line, incomplete: true, ...remark }));
        }),
      ...(hasMachineLines && run === null ? [{ line: this.#line, message: HEADLESS, incomplete: true }] : []),
      ...endOf(result, hasEnd, cutIn).map((message) => ({ line: this.lastLine, message, incomplete: true })),
    ];
    return remarks
      .sort((one, other) => Number(one.line) - Number(other.line))
      .map((remark) => ({ file: this.#file, ...remark }));
  }
}

/**
 * The counts of a stage's seconds must agree with its totals. If they do, nothing is missing, even if lines are repeated
 * or seconds have no line.
 *
 * @param {ReadStage} stage
 * @param {boolean} hasMachineLines
 * @returns {{ message: string, incomplete?: false }[]}
 */
function remarksOn(stage, hasMachineLines) {
  const { stage: name, startedAt, operations, end, seconds, paused } = stage;
  if (isCut(stage)) {
    return [{ message: `${name} begins here and has no summary: the log is cut short` }];
  }
  if (typeof startedAt !== 'number') {
    const message = `${name} begins here but has no machine line with its totals: lines are missing`;
    return hasMachineLines ? [{ message }] : [];
  }
  const counted = seconds.tenths / 10;
  const difference = `the seconds of ${name} add up to ${counted} of its ${operations} operations`;
  const missing = missingPercentiles(stage);
  const suspended = `${name} was suspended for ${(Number(paused) / 1000).toFixed(1)}s: its host did nothing during that time`;
  return [
    ...(paused ? [{ message: suspended, incomplete: /** @type {const} */ (false) }] : []),
    ...(counted === operations ? [] : [{ message: `${difference}: lines are missing or belong to another run` }]),
    ...(missing === null ? [] : [{ message: `${name} has no percentiles: ${missing}` }]),
    ...(end === 'complete' ? [] : [{ message: `${name} ended before its work was done (${end ?? 'unknown'})` }]),
  ];
}

/**
 * @param {ReadResult} result
 * @param {boolean} hasEnd
 * @param {ReadStage | null} cutIn the stage in which the log ends
 * @returns {string[]} at most one message
 */
function endOf({ run, options, stages }, hasEnd, cutIn) {
  if (run !== null && !hasEnd) {
    return [cutIn === null ? 'the run did not end: the log is cut short here' : describeCut(cutIn)];
  }
  const names = stages.map(({ stage }) => stage);
  const next = options?.stages?.map(titleOf).find((stage) => !names.includes(stage));
  const isStopped = stages.some((stage) => isCut(stage) || (stage.end !== null && stage.end !== 'complete'));
  return next === undefined || isStopped ? [] : [`the run ended here, before ${next}`];
}

/** The name of a stage in lines of a log. @param {string} stage as in --stages */
export function titleOf(stage) {
  return `${stage[0].toUpperCase()}${stage.slice(1)}`;
}

/** @param {ReadStage} stage in which a log ends */
function describeCut({ stage, seconds: { extent } }) {
  const time = extent === null ? '' : ` at ${formatTimeOfDay(extent.last + 1)},`;
  return `the log ends${time} in ${stage}: what this host did later is not in the sum`;
}
