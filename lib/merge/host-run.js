import { MEGABYTE, formatDuration } from '../log/units.js';
import { decodeHistogram } from '../model/histogram.js';
import { wayId, wayOf } from '../model/ways.js';
import { STAGES_WITHOUT_BYTES } from '../operations/registry.js';
import { Finding, StageLog, stageWarnings } from './stage-log.js';
import { isUnknownClock, readHistogramPart, readKindLine, readRampStep, readStageLine } from './machine-facts.js';
import { wholeDays } from './time-line.js';
import { UnknownNames } from './warnings.js';

/**
 * @import { LogRecord, SecondRecord, SummaryRecord } from '../log/log-line.js'
 * @import { HistogramPart, RunLine, StageLine } from './machine-facts.js'
 * @import { SecondPool } from './seconds.js'
 * @import { Result, StageSum } from '../model/result.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/**
 * @typedef {{ line: number | null, message: string, incomplete: boolean }} RunWarning
 *
 * @typedef {object} SharedByRuns
 * @property {SecondPool} pool
 * @property {(stage: string, way: string, histogram: Histogram) => void} addHistogram
 * @property {boolean} keepsSecondLatencies whether somebody is going to ask for the latencies of single seconds, and for the seconds of
 *   single hosts
 */

const HEADLESS = 'the first line of the run is missing above this one: stages may have been lost with it';

/** What one log, or one result, says of one run. A log is taken in line by line: the memory grows with its seconds alone. */
export class HostRun {
  #shared;
  #hasEnded = false;
  #lastLine;
  /**
   * What machine lines say that cannot be right: the first for each of what they tell of, and how often there was any.
   *
   * @type {Map<string, { message: string, finding: Finding }>}
   */
  #unusable = new Map();
  /** The result, without its stages, where this is one and no log. @type {Result | null} */
  result = null;
  /** What machine lines of a later version hold. */
  unknown = { kinds: new UnknownNames(), fields: new UnknownNames(), counters: new UnknownNames() };
  /** The stage that the last lines were about. @type {StageLog | null} */
  #current = null;
  /** @type {Map<string, StageLog>} */
  stages = new Map();
  /** The same, by their names without capitals. @type {Map<string, StageLog>} */
  #stagesInLowerCase = new Map();
  /** Whether the log has machine lines: each line of a second is a count then, not a rate over about a second. */
  isOurs;
  /**
   * Seconds to be added to those of the stages so that they are seconds since 1970; null where no date is known.
   *
   * @type {number | null}
   */
  shift;

  /**
   * @param {object} parts
   * @param {string} parts.file
   * @param {number | null} parts.line the first one; null for a result
   * @param {RunLine | null} parts.facts of the run line, where there is one that can be read
   * @param {boolean} parts.isDated whether its seconds are seconds since 1970
   * @param {SharedByRuns} parts.shared
   */
  constructor({ file, line, facts, isDated, shared }) {
    this.file = file;
    this.line = line;
    this.facts = facts;
    /** How it reached the objects, see wayId(). */
    this.way = wayId(wayOf(facts?.options));
    this.isOurs = facts !== null;
    this.shift = isDated ? 0 : null;
    this.#lastLine = line;
    this.#shared = shared;
    facts?.unusable.forEach((field) => this.#addUnusable(Number(line), 'the run', field));
  }

  /** @param {Result} result that the run is read from, whole as it is; its stages are added one by one */
  readFrom(result) {
    this.result = { ...result, stages: [] };
    this.#hasEnded = true;
  }

  /**
   * @param {StageSum} result
   * @param {{ facts: StageLine, summary: SummaryRecord }} lines that the log would have of it
   */
  addStage({ seconds, ramp = undefined, ...result }, { facts, summary }) {
    const stage = this.#stage(result.stage, null);
    Object.assign(stage, { result: { ...result, seconds: [] }, facts, summary, ramp: ramp ?? null });
    for (const { secondStart, operations, bytes, ...details } of seconds) {
      stage.addSecond(null, secondStart, { operationsPerSecond: operations, bytesPerSecond: bytes }, true);
      const { p50 = null, p99 = null, maximum = null, histogram = null, failedAttempts = 0, throttled = 0 } = details;
      if (this.#shared.keepsSecondLatencies && (operations > 0 || failedAttempts > 0)) {
        const failures = failedAttempts > 0 ? { failedAttempts, throttled } : {};
        stage.secondDetails.set(secondStart, { ...failures, p50, p99, maximum, histogram });
      }
    }
    const encoded = result.latency.histogram.operations;
    const histogram = encoded === null ? null : stage.addHistogram(encoded, decodeHistogram);
    if (histogram !== null) {
      this.#shared.addHistogram(stage.name, this.way, histogram);
    }
  }

  /** Whether its end stands in the log: the table, or everything that was planned. */
  get hasEnded() {
    const planned = this.facts?.stages ?? [];
    return this.#hasEnded || (planned.length > 0 && planned.every((stage) => this.#planned(stage)?.facts));
  }

  /**
   * Whether a stage that begins can only belong to another run. A stage of a log of ours that begins once more before its
   * end is no sign of another run, but of another host that writes into the same file.
   *
   * @param {string} name
   */
  isOver(name) {
    const stage = this.stages.get(name);
    return this.hasEnded || (stage !== undefined && !(this.isOurs && stage.isCut));
  }

  /**
   * @param {number} line
   * @param {Exclude<LogRecord, { kind: 'second' }>} record
   */
  add(line, record) {
    this.#lastLine = line;
    if (record.kind === 'schedule') {
      this.#stage(record.stage, line).begin(record);
    } else if (record.kind === 'summary') {
      this.#stage(record.stage, line).summary = record;
    } else if (record.kind === 'limit') {
      this.#stage(record.stage, line).addLimit(record);
    } else if (record.kind === 'kind-limit') {
      this.#stage(record.stage, line).addKindLimit(record);
    } else if (record.kind === 'retrying' && this.#current !== null) {
      this.#current.retries += 1 + record.more;
    } else if (record.kind === 'table-header') {
      this.#hasEnded = true;
    } else if (record.kind === 'machine') {
      this.#addMachineLine(line, record.data);
    }
  }

  /**
   * @param {number} line
   * @param {number} second in which the operations completed
   * @param {SecondRecord} record
   */
  addSecond(line, second, record) {
    this.#lastLine = line;
    const { operationsPerSecond, megabytesPerSecond } = record;
    const rates = { operationsPerSecond, bytesPerSecond: megabytesPerSecond * MEGABYTE };
    this.#stage(record.stage, line).addSecond(line, second, rates, this.isOurs);
  }

  /**
   * @returns {{ line: number | null, uncertainty: number }[]} where the log states a clock that cannot be relied on, ± ms; in the
   *   order of the lines
   */
  unknownClocks() {
    const ofStages = [...this.stages.values()].map(({ facts, factsLine }) => ({
      clock: facts?.clock,
      line: factsLine,
    }));
    return [{ clock: this.facts?.clock, line: this.line }, ...ofStages].flatMap(({ clock, line }) =>
      clock && isUnknownClock(clock) ? [{ line: line ?? this.line, uncertainty: clock.uncertainty }] : [],
    );
  }

  /** @returns {RunWarning[]} in the order of the lines */
  warnings() {
    const stages = [...this.stages.values()];
    const unusable = [...this.#unusable.values()].flatMap(({ message, finding }) => finding.remarks(message));
    const warnings = [
      ...unusable.map((warning) => ({ ...warning, incomplete: true })),
      ...stages.flatMap((stage) => stageWarnings(stage, this.isOurs)),
    ];
    if (this.isOurs && this.facts === null) {
      warnings.push({ line: this.line, message: HEADLESS, incomplete: true });
    }
    const [unknownClock] = this.unknownClocks();
    if (unknownClock !== undefined) {
      const { line, uncertainty } = unknownClock;
      const message = `the store's clock is unknown here (±${formatDuration(uncertainty)}): the times are taken to be those of the host's own clock`;
      warnings.push({ line, message, incomplete: false });
    }
    const next = this.facts?.stages.find((stage) => this.#planned(stage) === undefined);
    const isStopped = stages.some(({ facts }) => facts !== null && facts.end !== 'complete');
    if (next !== undefined && !isStopped && !stages.some(({ isCut }) => isCut)) {
      warnings.push({
        line: this.#lastLine,
        message: this.#hasEnded
          ? `the run ended here, before ${next}`
          : `the log ends here, before ${next}: it is cut short`,
        incomplete: true,
      });
    }
    return warnings.sort((one, other) => Number(one.line) - Number(other.line));
  }

  /**
   * @param {string} name of a stage as it was planned, without the capitals that it may have after the first
   * @returns {StageLog | undefined}
   */
  #planned(name) {
    return this.stages.get(name) ?? this.#stagesInLowerCase.get(name.toLowerCase());
  }

  /**
   * @param {number} line
   * @param {Record<string, unknown>} data
   */
  #addMachineLine(line, data) {
    this.isOurs ||= data.kind === 'stage' || data.kind === 'histogram';
    if (data.kind === 'stage') {
      this.#addStageFacts(line, data);
    } else if (data.kind === 'histogram') {
      const part = readHistogramPart(data);
      const histogram = part && this.#stage(part.stage, line).addHistogramPart(part, decodeHistogram);
      if (part && histogram) {
        this.#shared.addHistogram(part.stage, this.way, histogram);
      }
    } else if (data.kind === 'stage-kind') {
      this.#addKind(line, data);
    } else if (data.kind === 'kind-histogram') {
      const part = readHistogramPart(data);
      this.stages.get(part?.stage ?? '')?.addKindHistogramPart(/** @type {HistogramPart} */ (part), decodeHistogram);
    } else if (data.kind === 'ramp-step') {
      this.#addRampStep(line, data);
    } else if (data.kind === 'ramp-histogram') {
      const part = readHistogramPart(data);
      this.stages.get(part?.stage ?? '')?.addRampHistogramPart(/** @type {HistogramPart} */ (part));
    } else {
      this.unknown.kinds.at(line, typeof data.kind === 'string' ? data.kind : 'no kind');
    }
  }

  /**
   * @param {number} line
   * @param {Record<string, unknown>} data
   */
  #addKind(line, data) {
    const read = readKindLine(data);
    if (read === null) {
      this.#addUnusable(line, 'a kind of operation', 'no stage, no name or no operations');
      return;
    }
    this.#stage(read.stage, line).addKind(read.kind);
  }

  /**
   * @param {number} line
   * @param {Record<string, unknown>} data
   */
  #addRampStep(line, data) {
    const read = readRampStep(data);
    if (read === null) {
      this.#addUnusable(line, 'a step of a ramp', 'not all that it takes to count it');
      return;
    }
    this.#stage(read.stage, line).addRampStep(read.of, read.step);
  }

  /**
   * @param {number} line
   * @param {Record<string, unknown>} data
   */
  #addStageFacts(line, data) {
    const facts = readStageLine(data);
    if (facts === null) {
      this.#addUnusable(line, 'the totals of a stage', 'no name, no times or no operations');
      return;
    }
    facts.unusable.forEach((field) => this.#addUnusable(line, `the totals of ${facts.stage}`, field));
    facts.unknown.forEach((name) => this.unknown.fields.at(line, name));
    Object.keys(facts.further).forEach((name) => this.unknown.counters.at(line, name));
    const stage = this.#stage(facts.stage, line);
    stage.facts = facts;
    stage.factsLine = line;
    // A log that has lost its head has its date from here, as has one that waited for more than a day.
    if (stage.extent !== null) {
      this.shift = wholeDays(facts.stop / 1000 - stage.extent.last);
    }
  }

  /**
   * @param {number} line
   * @param {string} of what the line is about
   * @param {string} what cannot be right in it
   */
  #addUnusable(line, of, what) {
    const message = `cannot use what this line says of ${of}: ${what}`;
    const known = this.#unusable.get(of) ?? { message, finding: new Finding() };
    known.finding.at(line);
    this.#unusable.set(of, known);
  }

  /**
   * @param {string} name
   * @param {number | null} line
   */
  #stage(name, line) {
    let stage = this.stages.get(name);
    if (stage === undefined) {
      // Operations of several kinds, as objects of several sizes, move as many bytes as the line says, and not their mean.
      const varies = Boolean(this.facts?.sizes ?? this.facts?.mix);
      const keepsBytes = varies && !STAGES_WITHOUT_BYTES.includes(name);
      stage = new StageLog(name, line, this.#shared.pool, keepsBytes);
      this.stages.set(name, stage);
      this.#stagesInLowerCase.set(name.toLowerCase(), stage);
    }
    this.#current = stage;
    return stage;
  }
}
