import { NO_FACTS } from '../add.js';
import { checkSchema } from '../check-schema.js';
import { UNKNOWN_LATENCY } from '../histogram.js';
import { FORMAT, propertiesOf, SCHEMA } from '../schema.js';
import { MAX_INTERVAL_SECONDS, SecondSeries } from '../second-series.js';
import { range } from '../../load/operations/range.js';
import { STAGES_WITHOUT_BYTES } from '../../load/operations/registry.js';
import { MEGABYTE } from '../../text/units.js';
import { MAX_LINE_LENGTH, isStageName } from './lines.js';
import { addParts, isPath, withHistograms } from './record-lines.js';
import { addSecond } from './result-run.js';
import { RunFindings, titleOf } from './run-findings.js';
import { LOG_FORMAT } from './run-log.js';
import { TimeLine, wholeDays } from './time-line.js';

/**
 * @import { CommonFacts, CommonOptions, MergeWarning, Result, StageSum } from '../result.js'
 * @import { LogLine, ScheduleLine, SecondLine, SummaryLine } from './lines.js'
 * @import { Fields } from './record-lines.js'
 */

/**
 * @typedef {Omit<StageSum, 'seconds'> & { seconds: SecondSeries }} ReadStage
 * @typedef {Omit<Result, 'stages'> & { stages: ReadStage[] }} ReadResult
 *
 * @typedef {object} ReadRun a run read from a log or a result
 * @property {ReadResult} result
 * @property {string} file
 * @property {number | null} line where the run begins; null for a result
 * @property {MergeWarning[]} warnings in line order
 *
 * @typedef {(what: 'runs' | 'stages' | 'seconds' | 'machine lines', line: number) => void} Count called for whatever a
 *   reader keeps in memory; throws if there is too much of it
 */

/** Reads a log line by line, with one or more runs in a row, and keeps only what the results need. */
export class LogReader {
  #file;
  #takeRun;
  #count;
  #timeLine = new TimeLine();
  /** @type {RunReader | null} */
  #run = null;

  /**
   * @param {string} file
   * @param {(run: ReadRun) => void} takeRun called at the end of each run
   * @param {Count} count
   */
  constructor(file, takeRun, count) {
    this.#file = file;
    this.#takeRun = takeRun;
    this.#count = count;
  }

  /**
   * @param {number} number
   * @param {LogLine} line
   */
  add(number, line) {
    if (line.kind === 'machine' && line.data.kind === 'run') {
      this.#beginRun(number, line.data);
      return;
    }
    if (this.#belongsToNextRun(line)) {
      this.end();
    }
    const run = this.#run ?? this.#beginHeadless(number);
    if (line.kind === 'second') {
      // The time of the line is the end of the second.
      run.addSecond(number, this.#timeLine.toSeconds(line.time) - 1, line);
    } else {
      run.add(number, line);
    }
  }

  /** Call at the end of the log. */
  end() {
    if (this.#run !== null) {
      this.#takeRun(this.#run.read());
      this.#run = null;
    }
  }

  /** @param {LogLine} line */
  #belongsToNextRun(line) {
    if (line.kind === 'schedule') {
      return this.#run?.isOver(line.stage) ?? false;
    }
    return (line.kind === 'second' || line.kind === 'summary') && (this.#run?.hasEnded ?? false);
  }

  /**
   * @param {number} number
   * @param {Record<string, unknown>} data
   */
  #beginRun(number, data) {
    if (this.#run !== null && this.#run.hasMachineLines && !this.#run.hasEnded) {
      this.#run.warn(
        number,
        `another run begins before the run from line ${this.#run.line} ends: either the log was cut short, or several hosts wrote to it`,
      );
    }
    this.end();
    this.#run = new RunReader(this.#file, number, this.#count);
    if (data.format !== LOG_FORMAT) {
      const format = typeof data.format === 'number' ? data.format : 'unknown';
      this.#run.warn(
        number,
        `machine lines have format ${format}, expected ${LOG_FORMAT}: use the version of the tool that wrote the log`,
      );
    }
    this.#run.add(number, { kind: 'machine', data });
    const { start } = this.#run;
    if (start === null) {
      this.#timeLine.forgetDate();
    } else {
      this.#timeLine.setDate(start);
    }
  }

  /** A run without its first line has no date, and must not take the previous run's date. @param {number} number */
  #beginHeadless(number) {
    this.#timeLine.forgetDate();
    this.#run = new RunReader(this.#file, number, this.#count);
    return this.#run;
  }
}

/** Parts of a stage, such as the steps of a search. No real run has more. */
const MAX_PARTS = 10_000;

/** Epoch ms. No run has times outside these years. */
const EARLIEST = Date.UTC(2000);
const LATEST = Date.UTC(2200);

/** Logs without machine lines have the number of failed attempts but not their kinds. */
const UNKNOWN_KIND = 'unknown kind';

const UNREADABLE =
  'this machine line cannot be read, as if its braces or quotes had been replaced: give the file of --log';

/** The machine lines of a stage. Other versions may write more kinds. */
const STAGE_KINDS = ['stage', 'seconds', 'part'];

class StageLines {
  /** From the lines of the seconds, which count only if the stage has no totals. */
  series = new SecondSeries();
  /** From machine lines. */
  recorded = new SecondSeries();
  /** @type {ScheduleLine | null} */
  schedule = null;
  /** @type {SummaryLine | null} */
  summary = null;
  /** @type {StageSum | null} */
  totals = null;
  retries = 0;
  /** Sum of the rounded bytes in the lines of the seconds. */
  bytes = 0;
  /** By path. @type {Map<string, Fields>} */
  parts = new Map();

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  get isCut() {
    return this.summary === null && this.totals === null;
  }
}

class RunReader {
  #findings;
  #count;
  /** @type {Map<string, StageLines>} */
  #stages = new Map();
  /** The stage of the latest lines. @type {StageLines | null} */
  #current = null;
  /** @type {CommonFacts | null} */
  #facts = null;
  /** @type {Partial<Result> | null} */
  #end = null;
  /** Add this to the lines' seconds to get epoch seconds; null until a date is known. @type {number | null} */
  #shift = null;
  /** Start in epoch ms, as given in the first line of the run. @type {number | null} */
  start = null;
  /** If true, the lines of the seconds contain counts, not rates over about a second. */
  hasMachineLines = false;

  /**
   * @param {string} file
   * @param {number} line the first one
   * @param {Count} count
   */
  constructor(file, line, count) {
    count('runs', line);
    this.#count = count;
    this.file = file;
    this.line = line;
    this.#findings = new RunFindings(file, line);
  }

  /** Whether the log contains the end of the run, or all planned stages. */
  get hasEnded() {
    const planned = this.#facts?.options?.stages ?? [];
    return (
      this.#end !== null || (planned.length > 0 && planned.every((stage) => this.#stages.get(titleOf(stage))?.totals))
    );
  }

  /**
   * Whether a line that starts this stage must belong to another run. While the stage is still running, such a line is
   * from another host that writes to the same file.
   *
   * @param {string} name
   */
  isOver(name) {
    const stage = this.#stages.get(name);
    return this.hasEnded || (stage !== undefined && !(this.hasMachineLines && stage.isCut));
  }

  /**
   * @param {number} line
   * @param {string} message about data missing from the result
   */
  warn(line, message) {
    this.#findings.add(line, message);
  }

  /**
   * @param {number} number
   * @param {Exclude<LogLine, SecondLine>} line
   */
  add(number, line) {
    this.#findings.lastLine = number;
    if (line.kind === 'schedule') {
      this.#stage(line.stage, number).schedule = line;
    } else if (line.kind === 'summary') {
      this.#stage(line.stage, number).summary = line;
    } else if (line.kind === 'machine') {
      this.#addMachineLine(number, line.data);
    } else if (line.kind === 'unreadable') {
      this.hasMachineLines = true;
      this.#findings.add(number, UNREADABLE);
    } else if (this.#current !== null) {
      this.#current.retries += line.retries;
    }
  }

  /**
   * @param {number} number
   * @param {number} second in which the operations completed
   * @param {SecondLine} line
   */
  addSecond(number, second, { stage: name, rate, megabytes }) {
    this.#count('seconds', number);
    this.#findings.lastLine = number;
    const stage = this.#stage(name, number);
    const problem = stage.series.add(second, rate, this.hasMachineLines);
    if (problem === 'impossible') {
      this.#findings.add(number, `${name} has an impossible rate here: this line is not counted`);
    } else if (problem === 'gap' && !this.hasMachineLines) {
      // The original tool prints rates over the time since the previous line, so a long gap does not prove a loss.
      const message = `${name} has no line for more than ${MAX_INTERVAL_SECONDS} seconds before this one`;
      this.#findings.add(number, message, { incomplete: false });
    }
    if (STAGES_WITHOUT_BYTES.includes(name)) {
      return;
    }
    stage.bytes += megabytes * MEGABYTE;
    if (bytesVary(this.#facts?.options ?? {}) && problem !== 'impossible' && problem !== 'doubled') {
      stage.series.setBytes(second, megabytes * MEGABYTE);
    }
  }

  /** @returns {ReadRun} */
  read() {
    const facts = this.#facts ?? NO_FACTS;
    const stages = [...this.#stages.values()].map((stage) => stageOf(stage, facts, this.#shift));
    const { problems = [], cleanup = null, requests = null } = this.#end ?? {};
    const result = { format: FORMAT, ...facts, problems, hosts: [facts], stages, cleanup, requests };
    const { file, line, hasMachineLines } = this;
    const log = { hasEnd: this.#end !== null, hasMachineLines };
    return { result, file, line, warnings: this.#findings.warnings(result, log) };
  }

  /**
   * @param {number} line
   * @param {Fields} data
   */
  #addMachineLine(line, { kind, stage, ...fields }) {
    this.#count('machine lines', line);
    if (kind === 'run') {
      const facts = /** @type {CommonFacts} */ ({ ...NO_FACTS, ...knownFields(fields, SCHEMA.$defs.host) });
      this.#facts = this.#isValid(line, 'run', facts, SCHEMA.$defs.host) ? facts : null;
      this.start = asTime(Date.parse(this.#facts?.start ?? ''));
      this.#shift = this.start === null ? null : 0;
    } else if (kind === 'end') {
      const isValid = this.#isValid(line, 'end', fields, { properties: SCHEMA.properties });
      this.#end = isValid ? fields : {};
    } else if (!STAGE_KINDS.includes(kind) || typeof stage !== 'string' || !isStageName(stage)) {
      return;
    } else if (kind === 'stage') {
      this.#takeTotals(line, this.#stage(stage, line), fields);
    } else if (kind === 'seconds') {
      this.#takeSeconds(line, this.#stage(stage, line), fields);
    } else {
      this.#takePart(line, this.#stage(stage, line), fields);
    }
    this.hasMachineLines = true;
  }

  /**
   * @param {number} line
   * @param {StageLines} stage
   * @param {Fields} fields
   */
  #takeTotals(line, stage, { lines = 0, seconds, ...fields }) {
    const totals = /** @type {StageSum} */ (
      withHistograms({ ...knownFields(fields, SCHEMA.$defs.stage), stage: stage.name, seconds: [] })
    );
    const what = `stage ${stage.name}`;
    const expected = asCount(lines) ?? 0;
    if (stage.parts.size === expected) {
      addParts(totals, stage.parts);
    } else {
      this.#findings.add(line, `${stage.name} has ${expected} parts, but ${stage.parts.size} of their lines are here`);
    }
    if (!this.#isValid(line, what, totals, SCHEMA.$defs.stage)) {
      return;
    }
    const [start, stop] = [totals.startedAt, totals.endedAt].map(asTime);
    if (start === null || stop === null || stop < start) {
      this.#findings.unusable(line, what, 'no valid times');
      return;
    }
    this.#takeSeconds(line, stage, Object(seconds));
    this.#findings.stageLines.set(stage.name, line);
    stage.totals = totals;
    // Gives dates to a log that lost its first line, or whose run waited for more than a day.
    if (stage.series.extent !== null) {
      this.#shift = wholeDays(stop / 1000 - stage.series.extent.last);
    }
  }

  /**
   * @param {number} line
   * @param {StageLines} stage
   * @param {Fields} seconds
   */
  #takeSeconds(line, { recorded, name }, { from, operations, bytes, failedAttempts, throttled }) {
    const counts = listOf(operations).map(asCount);
    if (counts.length === 0) {
      return;
    }
    if (!Number.isInteger(from) || asTime(1000 * from) === null || counts.length > MAX_LINE_LENGTH) {
      this.#findings.unusable(line, `seconds ${name}`, 'no valid seconds');
      return;
    }
    const at = (/** @type {unknown} */ list, /** @type {number} */ index) => asCount(listOf(list)[index]) ?? 0;
    counts.forEach((count, index) => {
      if (count !== null) {
        const failures = { failedAttempts: at(failedAttempts, index), throttled: at(throttled, index) };
        const moved = typeof bytes === 'number' ? Math.round(count * bytes) : at(bytes, index);
        const second = { secondStart: from + index, operations: count, bytes: moved };
        addSecond(recorded, { ...second, ...(failures.failedAttempts > 0 ? failures : {}) });
      }
    });
  }

  /**
   * @param {number} line
   * @param {StageLines} stage
   * @param {Fields} fields
   */
  #takePart(line, { name, parts }, { at, ...part }) {
    if (isPath(at) && parts.size < MAX_PARTS) {
      parts.set(at, withHistograms(part));
    } else {
      this.#findings.unusable(line, `part ${name}`, 'no valid path');
    }
  }

  /**
   * @param {number} line
   * @param {string} what the kind of the line, and its stage
   * @param {object} fields
   * @param {object} schema
   */
  #isValid(line, what, fields, schema) {
    const problems = checkSchema(fields, schema);
    problems.forEach((problem) => this.#findings.unusable(line, what, problem));
    return problems.length === 0;
  }

  /**
   * @param {string} name
   * @param {number} line
   */
  #stage(name, line) {
    let stage = this.#stages.get(name);
    if (stage === undefined) {
      this.#count('stages', line);
      stage = new StageLines(name);
      this.#findings.stageLines.set(name, line);
      this.#stages.set(name, stage);
    }
    this.#current = stage;
    return stage;
  }
}

/**
 * @param {StageLines} lines
 * @param {CommonFacts} facts
 * @param {number | null} shift
 * @returns {ReadStage} fields that the log does not contain are null
 */
function stageOf({ name, series, recorded, schedule, summary, totals, retries, bytes, parts }, { options }, shift) {
  if (totals !== null) {
    return { ...totals, seconds: recorded };
  }
  if (shift !== null && shift !== 0) {
    series.move(shift);
  }
  const operations = operationsOf(series, summary, schedule);
  const hasBytes = !STAGES_WITHOUT_BYTES.includes(name);
  const total = summary === null || !hasBytes ? bytes : summary.megabytes * MEGABYTE;
  const { size = null, rangeSize, ...load } = options ?? {};
  const uniformSize = hasBytes && !bytesVary(load) ? (name === range.logName && rangeSize) || size : null;
  series.operationBytes ??= uniformSize ?? (operations === 0 ? 0 : total / operations);
  const failures = summary?.retries ?? retries;
  return {
    stage: name,
    end: null,
    objects: schedule?.objects ?? null,
    startedAt: null,
    endedAt: null,
    duration: summary?.duration ?? null,
    average: summary?.average ?? null,
    peak: summary?.peak ?? null,
    operations,
    bytes: Math.round(uniformSize === null ? total : operations * uniformSize),
    attempts: operations + failures,
    retries: failures,
    errors: failures === 0 ? {} : { [UNKNOWN_KIND]: failures },
    seconds: series,
    latency: UNKNOWN_LATENCY,
    bottleneck: null,
    ...rampIn(parts),
  };
}

/** Whether operations of a kind move different numbers of bytes. @param {Partial<CommonOptions>} options */
function bytesVary({ existing, sizes, mix, replay }) {
  return Boolean(existing || sizes || mix || replay);
}

/** The steps of a ramp, in a stage without totals. @param {StageLines['parts']} parts */
function rampIn(parts) {
  const fields = /** @type {Pick<StageSum, 'ramp'>} */ ({});
  addParts(fields, parts);
  const { ramp } = fields;
  return ramp === undefined || checkSchema(ramp, SCHEMA.$defs.ramp).length > 0 ? {} : { ramp };
}

/**
 * The mean rate in the summary has one decimal, which gives the number of operations within rounding. If the scheduled
 * number is within that range, it is exact.
 *
 * @param {SecondSeries} series
 * @param {SummaryLine | null} summary
 * @param {ScheduleLine | null} schedule
 */
function operationsOf(series, summary, schedule) {
  if (summary === null) {
    return Math.round(series.tenths / 10);
  }
  const seconds = summary.duration / 1000;
  const about = summary.average * seconds;
  const maxRoundingError = 0.05 * seconds + 0.0005 * summary.average + 0.5;
  return schedule !== null && Math.abs(about - schedule.objects) <= maxRoundingError
    ? schedule.objects
    : Math.round(about);
}

/**
 * @param {Fields} fields
 * @param {object} schema
 * @returns {Fields} without those that only another version knows
 */
function knownFields(fields, schema) {
  const properties = propertiesOf(schema);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name)));
}

/** @param {unknown} value epoch ms */
function asTime(value) {
  return typeof value === 'number' && value >= EARLIEST && value < LATEST ? value : null;
}

/** @param {unknown} value */
function asCount(value) {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * @param {unknown} value
 * @returns {unknown[]}
 */
function listOf(value) {
  return Array.isArray(value) ? value : [];
}
