import { parseEvidence } from '../log/evidence.js';
import { sumOfHistograms } from '../model/ramp.js';
import { MAX_RATE, SecondSeries } from './seconds.js';
import { andMore } from './warnings.js';

/**
 * @import { KindLimitRecord, LimitRecord, ScheduleRecord, SummaryRecord } from '../log/log-line.js'
 * @import { RunWarning } from './host-run.js'
 * @import { HistogramPart, KindLine, StageLine } from './machine-facts.js'
 * @import { SecondPool } from './seconds.js'
 * @import { BottleneckSum, RampResult, RampStep, SecondResult, StageSum } from '../model/result.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/** The longest way between two lines of the old tool, whose interval drifts, that is no gap yet. Seconds. */
export const MAX_INTERVAL_SECONDS = 3;

/** A place of a series holds 32 bits: 256 GB. */
const BYTES_OF_UNIT = 64;
/** No stage mixes as many operations: a log with more of them was made up. */
const MAX_KINDS = 32;

/** No ramp has as many: a log with more of them was made up. */
const MAX_RAMP_STEPS = 1000;

/**
 * @typedef {{ line: number | null, message: string }} Remark
 *
 * @typedef {Omit<SecondResult, 'secondStart' | 'operations' | 'bytes'>} SecondDetails what only a result tells of a second
 *
 * @typedef {{ facts: KindLine, parts: HistogramParts, histogram: string | null }} KindLog what a log says of one kind of
 *   operation in a stage, with its encoded latencies once they are whole
 */

/** What a log says of one stage of one run. */
export class StageLog {
  #parts = new HistogramParts();
  /** In units of so many bytes. @type {SecondSeries | null} */
  #bytes;
  /** Tenths of operations in the lines of all seconds. */
  #tenths = 0;
  /** Bytes in the lines of all seconds. */
  countedBytes = 0;
  /** Seconds without a line before the last one. */
  #missing = 0;
  #hasBegun = false;
  /** Why there are no percentiles, or null. @type {string | null} */
  #histogramProblem = null;
  /** Lines after a gap, lines of a second that has one already, lines that cannot be true. */
  findings = { gaps: new Finding(), doubled: new Finding(), absurd: new Finding() };
  /** First and last second of which there is a line. @type {{ first: number, last: number } | null} */
  extent = null;
  /** @type {SummaryRecord | null} */
  summary = null;
  /** What the stage's machine line says. @type {StageLine | null} */
  facts = null;
  /** Where that line stands. @type {number | null} */
  factsLine = null;
  /** Latencies and failures of the seconds, where they are known and asked for. @type {Map<number, SecondDetails>} */
  secondDetails = new Map();
  /** The stage of a result, without its seconds, where this is one and no log. @type {StageSum | null} */
  result = null;
  /** Its steps, where it went through any. @type {{ of: RampResult['of'], steps: RampStep[] } | null} */
  ramp = null;
  /** By the slot of a step. @type {Map<number, HistogramParts>} */
  #rampParts = new Map();
  /** Of a stage that mixes several, by operation. @type {Map<string, KindLog>} */
  kinds = new Map();
  /** @type {number | null} */
  scheduled = null;
  retries = 0;
  /** What the line for people says it was limited by. @type {BottleneckSum | null} */
  limit = null;
  /** Likewise, by operation. @type {Map<string, BottleneckSum>} */
  kindLimits = new Map();

  /**
   * @param {string} name
   * @param {number | null} line at which the stage begins in this log; null in a result
   * @param {SecondPool} pool
   * @param {boolean} [keepsBytes] whether those of a second do not follow from its operations
   */
  constructor(name, line, pool, keepsBytes = false) {
    this.name = name;
    this.line = line;
    this.series = new SecondSeries(pool);
    this.#bytes = keepsBytes ? new SecondSeries(pool) : null;
  }

  /**
   * @param {number} second
   * @returns {number | null} bytes of the operations in it; null where they follow from the operations, or are not known
   */
  bytesIn(second) {
    const units = this.#bytes?.get(second);
    return units === undefined ? null : units * BYTES_OF_UNIT;
  }

  /** Whether the log says how fast the stage was. */
  get isMeasured() {
    return this.extent !== null || this.summary !== null || this.facts !== null;
  }

  /** Whether the stage has a beginning in the log and no end. */
  get isCut() {
    return this.summary === null && this.facts === null && (this.#hasBegun || this.extent !== null);
  }

  /** Whether the log has a beginning of the stage, whatever came after it. */
  get hasBegun() {
    return this.#hasBegun || this.isMeasured;
  }

  /** Operations in the lines of the seconds. */
  get counted() {
    return this.#tenths / 10;
  }

  /** Whether more seconds are missing than the process was suspended for. */
  get hasLostSeconds() {
    return 1000 * this.#missing > (this.facts?.paused ?? 0);
  }

  /**
   * @param {number} second of which there is a line
   * @returns {boolean} whether the process was suspended for a part of it, as far as missing lines show that
   */
  isNextToPause(second) {
    const isMissing = (/** @type {number} */ other) =>
      this.extent !== null &&
      other > this.extent.first &&
      other < this.extent.last &&
      this.series.get(other) === undefined;
    return Boolean(this.facts?.paused) && (isMissing(second - 1) || isMissing(second + 1));
  }

  /** @param {ScheduleRecord} record */
  begin({ objects }) {
    this.#hasBegun = true;
    this.scheduled = objects;
  }

  /**
   * @param {number | null} line
   * @param {number} second in which the operations completed
   * @param {{ operationsPerSecond: number, bytesPerSecond: number }} rates
   * @param {boolean} isCount whether the line counts what completed in the second, or is a rate over about a second
   */
  addSecond(line, second, { operationsPerSecond, bytesPerSecond }, isCount) {
    if (operationsPerSecond > MAX_RATE) {
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
    if (this.extent !== null && second - this.extent.last > (isCount ? 1 : MAX_INTERVAL_SECONDS)) {
      this.findings.gaps.at(line);
      this.#missing += second - this.extent.last - 1;
    }
    this.series.set(second, tenths);
    this.#bytes?.set(second, Math.min(Math.round(bytesPerSecond / BYTES_OF_UNIT), 10 * MAX_RATE));
    this.#tenths += tenths;
    this.countedBytes += bytesPerSecond;
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
    return whole === null ? null : this.addHistogram(whole, decode);
  }

  /**
   * @param {string} encoded
   * @param {(base64: string) => Histogram} decode throws where it cannot
   * @returns {Histogram | null} null where it is not that of the stage
   */
  addHistogram(encoded, decode) {
    this.#parts.isWhole = true;
    try {
      const histogram = decode(encoded);
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

  /** @param {KindLine} facts */
  addKind(facts) {
    if (this.kinds.size < MAX_KINDS && !this.kinds.has(facts.operation)) {
      this.kinds.set(facts.operation, { facts, parts: new HistogramParts(), histogram: null });
    }
  }

  /** @param {LimitRecord} record */
  addLimit({ cause, evidence }) {
    this.limit = { cause, ...parseEvidence(evidence) };
  }

  /** @param {KindLimitRecord} record */
  addKindLimit({ operation, cause, evidence }) {
    if (this.kindLimits.size < MAX_KINDS) {
      this.kindLimits.set(operation, { cause, ...parseEvidence(evidence) });
    }
  }

  /**
   * What does not belong to its kind leaves that without percentiles.
   *
   * @param {HistogramPart} part
   * @param {(base64: string) => Histogram} decode throws where it cannot
   */
  addKindHistogramPart(part, decode) {
    const kind = this.kinds.get(part.operation ?? '');
    const whole = kind?.parts.add(part) ?? null;
    if (kind === undefined || whole === null) {
      return;
    }
    try {
      kind.histogram = decode(whole).totalCount === kind.facts.measured ? whole : null;
    } catch {
      // A damaged log: the counts of the kind stand without it.
    }
  }

  /**
   * @param {RampResult['of']} of
   * @param {RampStep} step
   */
  addRampStep(of, step) {
    this.ramp ??= { of, steps: [] };
    const { steps } = this.ramp;
    if (steps.length < MAX_RAMP_STEPS && !steps.some(({ slotStart }) => slotStart === step.slotStart)) {
      steps.push(step);
    }
  }

  /**
   * What does not belong to its step leaves that without percentiles.
   *
   * @param {HistogramPart} part of the step in its slot
   */
  addRampHistogramPart({ slotStart, ...part }) {
    const step = this.ramp?.steps.findIndex((each) => each.slotStart === slotStart) ?? -1;
    if (this.ramp === null || slotStart === null || step < 0) {
      return;
    }
    const parts = this.#rampParts.get(slotStart) ?? new HistogramParts();
    this.#rampParts.set(slotStart, parts);
    const whole = parts.add(part);
    if (whole === null) {
      return;
    }
    try {
      const latencies = sumOfHistograms([whole]);
      const operations = this.ramp.steps[step].operations.reduce((sum, count) => sum + count, 0);
      if (latencies.latency?.count === operations) {
        this.ramp.steps[step] = { ...this.ramp.steps[step], ...latencies };
      }
    } catch {
      // A damaged log: the rates of the step stand without it.
    }
  }

  /** @returns {string | null} why the log has no percentiles of the stage to add, in words */
  missingHistogram() {
    if (this.facts?.measured === 0) {
      return null;
    }
    return this.#histogramProblem ?? this.#parts.missing();
  }
}

/** Puts the numbered parts of an encoded histogram together again. */
export class HistogramParts {
  /** By number. @type {Map<number, string>} */
  #parts = new Map();
  #of = 0;
  isWhole = false;

  /**
   * @param {Pick<HistogramPart, 'part' | 'of' | 'data'>} part
   * @returns {string | null} the whole encoding, once, with the part that was the last to come
   */
  add({ part, of, data }) {
    if (this.isWhole) {
      return null;
    }
    this.#of = of;
    this.#parts.set(part, data);
    if (this.#firstMissing() !== null) {
      return null;
    }
    const whole = this.#numbers()
      .map((number) => this.#parts.get(number))
      .join('');
    this.isWhole = true;
    this.#parts.clear();
    return whole;
  }

  /** @returns {string | null} what is missing, in words; null where nothing is */
  missing() {
    if (this.isWhole) {
      return null;
    }
    return this.#of === 0 ? 'no histogram' : `part ${this.#firstMissing()} of ${this.#of} of the histogram is missing`;
  }

  #numbers() {
    return Array.from({ length: this.#of }, (_, place) => place + 1);
  }

  #firstMissing() {
    return this.#numbers().find((number) => !this.#parts.has(number)) ?? null;
  }
}

/** Something that is wrong with lines of a kind: the first of them, and how many. */
export class Finding {
  /** @type {number | null} */
  line = null;
  #count = 0;

  /** @param {number | null} line null in a result, which has no lines */
  at(line) {
    this.line ??= line;
    this.#count += 1;
  }

  /**
   * @param {string} message
   * @returns {Remark[]}
   */
  remarks(message) {
    return this.#count === 0 ? [] : [{ line: this.line, message: message + andMore(this.#count) }];
  }
}

/**
 * Remarks on the lines of a stage.
 *
 * @param {StageLog} log
 * @param {boolean} isOurs whether the log has machine lines
 * @returns {RunWarning[]}
 */
export function stageWarnings(log, isOurs) {
  const { name, findings } = log;
  return [
    ...(log.isCut
      ? lost([{ line: log.line, message: `${name} begins here and has no summary: the log is cut short` }])
      : []),
    ...lost(findings.absurd.remarks(`${name} did more here than can be, and the line is not counted`)),
    ...(isOurs ? ofOurs(log) : ofRates(log)),
  ];
}

/**
 * The old tool's lines are rates over the time since the line before: a long interval need not be a loss.
 *
 * @param {StageLog} log
 */
function ofRates({ name, findings }) {
  return kept(
    findings.gaps.remarks(`${name} has no line for more than ${MAX_INTERVAL_SECONDS} seconds before this one`),
  );
}

/**
 * Warnings only for a log whose lines are counts, and which also has their totals. Where these agree, nothing is
 * lost, whatever else is strange.
 *
 * @param {StageLog} log
 * @returns {RunWarning[]}
 */
function ofOurs(log) {
  const { name, facts, findings, counted, line: firstLine } = log;
  const line = log.factsLine ?? firstLine;
  const paused = facts?.paused ?? 0;
  const strange = [
    ...(log.hasLostSeconds ? findings.gaps.remarks(`${name} has no line for the seconds before this one`) : []),
    ...findings.doubled.remarks(
      `a second of ${name} stands here once more, and is not counted again: do several hosts write into one file?`,
    ),
  ];
  if (facts === null) {
    const message = `${name} begins here and has no machine line of its totals: lines are missing`;
    return lost(log.summary === null ? strange : [...strange, { line, message }]);
  }
  const { operations } = facts.counts;
  const missing = log.missingHistogram();
  const difference = `${counted} of the ${operations} operations of ${name} stand in the lines of its seconds`;
  const suspended = `${name} was suspended for ${(paused / 1000).toFixed(1)}s: its host did nothing in that time`;
  return [
    ...kept(paused > 0 ? [...strange, { line, message: suspended }] : strange),
    ...(counted === operations ? [] : lost([{ line, message: `${difference}: lines are missing or of another run` }])),
    ...(missing === null ? [] : lost([{ line, message: `${name} has no percentiles: ${missing}` }])),
    ...(facts.end === 'complete'
      ? []
      : lost([{ line, message: `${name} ended before its work was done (${facts.end})` }])),
  ];
}

/** @param {Remark[]} warnings of what is missing from the total, or from the work */
function lost(warnings) {
  return warnings.map((warning) => ({ ...warning, incomplete: true }));
}

/** @param {Remark[]} warnings of what is strange, while nothing is missing */
function kept(warnings) {
  return warnings.map((warning) => ({ ...warning, incomplete: false }));
}
