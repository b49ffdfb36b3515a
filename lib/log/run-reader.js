import { isHistogram, UNKNOWN_LATENCY } from '../model/histogram.js';
import { decodeSeconds } from './packed-seconds.js';
import { NO_STEP_LATENCY } from '../model/ramp.js';
import { brokenHistograms, readFields } from '../model/read-result.js';
import { FORMAT, SCHEMA } from '../model/schema.js';
import { SecondSeries } from '../model/second-series.js';
import { STAGES_WITHOUT_BYTES } from '../operations/registry.js';
import { MEGABYTE } from '../text/units.js';
import { isStageName } from './lines.js';
import { RecordParts } from './records.js';
import { RunFindings } from './run-findings.js';
import { SECONDS_PER_RECORD } from './run-log.js';
import { wholeDays } from './time-line.js';

/**
 * @import { CommonFacts, RampStep, Result, SearchStep, StageSum } from '../model/result.js'
 * @import { LogLine, ScheduleLine, SecondLine, SummaryLine } from './lines.js'
 * @import { ReadRun, ReadStage } from './read-log.js'
 * @import { StageFindings } from './run-findings.js'
 */

/** Steps of a stage. No real run has more. */
const MAX_STEPS = 1000;

/** Epoch ms. No run has times outside these years. */
const EARLIEST = Date.UTC(2000);
const LATEST = Date.UTC(2200);

/** Logs without machine lines have the number of failed attempts but not their kinds. */
const UNKNOWN_KIND = 'unknown kind';

/** The field that identifies a record of each kind; '' if a stage has only one. */
const NUMBERED_BY = Object.freeze({ stage: '', seconds: 'from', step: 'startedAt', 'ramp-step': 'slotStart' });

const RECORD_NAMES = Object.freeze({
  run: 'the run',
  end: 'the end of the run',
  stage: 'the totals',
  seconds: 'the seconds',
  step: 'a step of the search',
  'ramp-step': 'a step of the ramp',
});

/** Fields that the schema requires, but a damaged log may lack. */
const EMPTY_TOTALS = Object.freeze({
  end: null,
  duration: null,
  average: null,
  peak: null,
  bytes: 0,
  errors: {},
  latency: UNKNOWN_LATENCY,
});

/** @type {Readonly<CommonFacts>} */
const NO_FACTS = Object.freeze({
  run: null,
  host: null,
  shard: null,
  start: null,
  clock: null,
  versions: null,
  options: null,
});

class StageLines {
  series = new SecondSeries();
  /** @type {ScheduleLine | null} */
  schedule = null;
  /** @type {SummaryLine | null} */
  summary = null;
  /** @type {StageSum | null} */
  totals = null;
  retries = 0;
  /** Sum of the rounded bytes in the lines of the seconds. */
  bytes = 0;
  /** @type {RampStep[]} */
  rampSteps = [];
  /** Whether all operations have the same number of bytes, according to the last record. */
  isUniform = false;
  /** @type {SearchStep[]} */
  steps = [];

  /**
   * @param {string} name
   * @param {StageFindings} findings
   */
  constructor(name, findings) {
    this.name = name;
    this.findings = findings;
  }

  get isCut() {
    return this.summary === null && this.totals === null;
  }
}

export class RunReader {
  #findings;
  /** @type {Map<string, StageLines>} */
  #stages = new Map();
  /** @type {Map<string, StageLines>} */
  #stagesInLowerCase = new Map();
  /** The stage of the latest lines. @type {StageLines | null} */
  #current = null;
  /** Incomplete records, by head. @type {Map<string, { head: Head, parts: RecordParts, line: number }>} */
  #unfinished = new Map();
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
   */
  constructor(file, line) {
    this.file = file;
    this.line = line;
    this.#findings = new RunFindings(file, line);
  }

  /** Whether the log contains the end of the run, or all planned stages. */
  get hasEnded() {
    const planned = this.#facts?.options?.stages ?? [];
    return this.#end !== null || (planned.length > 0 && planned.every((stage) => this.#planned(stage)?.totals));
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
    this.#findings.warn(line, message);
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
      this.#findings.unreadable(number);
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
    this.#findings.lastLine = number;
    const stage = this.#stage(name, number);
    const problem = stage.series.add(second, rate, this.hasMachineLines);
    if (problem !== null) {
      stage.findings.add(problem, number);
    }
    if (STAGES_WITHOUT_BYTES.includes(name)) {
      return;
    }
    stage.bytes += megabytes * MEGABYTE;
    const { sizes, mix } = this.#facts?.options ?? {};
    // These bytes are rounded. A later record may replace them with exact ones.
    if ((sizes || mix) && !stage.isUniform && problem !== 'impossible' && problem !== 'doubled') {
      stage.series.setBytes(second, megabytes * MEGABYTE);
    }
  }

  /** @returns {ReadRun} */
  read() {
    for (const { head, parts, line } of this.#unfinished.values()) {
      this.#findings.warn(line, `${nameOf(head)} begins here, but some of its lines are missing`);
      this.#take(line, head, parts.fields());
    }
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
   * @param {Record<string, unknown>} data
   */
  #addMachineLine(line, { kind, stage, ...data }) {
    const head = headOf(kind, stage, data);
    if (head === null) {
      this.#findings.unknownKind(line, kind);
      return;
    }
    this.hasMachineLines = true;
    if (head.kind === 'run') {
      this.start ??= asTime(typeof data.start === 'string' ? Date.parse(data.start) : null);
      this.#shift = this.start === null ? this.#shift : 0;
    }
    // A one-line record has no text that is too long for a line, so it contains no references to such texts.
    if (data.lines === undefined) {
      this.#take(line, head, data);
      return;
    }
    const known = this.#unfinished.get(head.id) ?? { head, parts: new RecordParts(), line };
    known.parts.add(data);
    if (known.parts.isWhole) {
      this.#unfinished.delete(head.id);
      this.#take(known.line, head, known.parts.fields());
    } else {
      this.#unfinished.set(head.id, known);
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   */
  #take(line, head, fields) {
    if (head.kind === 'run') {
      const { format, ...facts } = fields;
      this.#facts = { ...NO_FACTS, ...this.#readFields(line, head, facts, SCHEMA.$defs.host) };
    } else if (head.kind === 'end') {
      this.#end = this.#readFields(line, head, fields, SCHEMA);
    } else if (head.kind === 'stage') {
      this.#takeTotals(line, head, fields);
    } else if (head.kind === 'seconds') {
      this.#takeSeconds(line, head, fields);
    } else if (head.kind === 'step') {
      const step = this.#readWhole(line, head, fields, SCHEMA.$defs.searchStep);
      const { steps } = this.#stage(head.stage, line);
      if (step !== null && steps.length < MAX_STEPS) {
        steps.push(step);
      }
    } else {
      this.#takeRampStep(line, head, fields);
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   */
  #takeTotals(line, head, fields) {
    const { further, ...read } = this.#readTotals(line, head, fields);
    const totals = /** @type {StageSum} */ (
      /** @type {unknown} */ ({
        stage: head.stage,
        ...EMPTY_TOTALS,
        attempts: read.operations,
        ...read,
        ...further,
        seconds: [],
      })
    );
    const [start, stop] = [totals.startedAt, totals.endedAt].map(asTime);
    if (start === null || stop === null || stop < start || typeof totals.operations !== 'number') {
      this.#findings.unusable(line, nameOf(head), 'no valid times or operations');
      return;
    }
    const stage = this.#stage(head.stage, line);
    stage.findings.totalsLine = line;
    stage.totals = brokenHistograms([totals]).length > 0 ? withoutLatencies(totals) : totals;
    // Gives dates to a log that lost its first line, or whose run waited for more than a day.
    if (stage.series.extent !== null) {
      this.#shift = wholeDays(stop / 1000 - stage.series.extent.last);
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   * @returns {Record<string, any>} the valid fields; counters that only a later version knows are under `further`
   */
  #readTotals(line, head, fields) {
    const { fitting, problems, unknown } = readFields(fields, SCHEMA.$defs.stage);
    problems.forEach((problem) => this.#findings.unusable(line, nameOf(head), problem));
    const counters = unknown.filter((name) => asCount(fields[name]) !== null);
    counters.forEach((name) => this.#findings.unknownCounter(line, name));
    unknown.filter((name) => !counters.includes(name)).forEach((name) => this.#findings.unknownField(line, name));
    const further = Object.fromEntries(counters.map((name) => [name, fields[name]]));
    return counters.length === 0 ? fitting : { ...fitting, further: { further } };
  }

  /**
   * Adds the details that the lines of the seconds lack.
   *
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   */
  #takeSeconds(line, head, { from, until, operationBytes, bytes, failed = [] }) {
    const stage = this.#stage(head.stage, line);
    const { series } = stage;
    const [first, last] = [from, until].map((second) =>
      typeof second === 'number' ? Number(asTime(second * 1000)) / 1000 : 0,
    );
    if (first === 0 || last < first || last - first > SECONDS_PER_RECORD || series.extent === null) {
      this.#findings.unusable(line, nameOf(head), 'no valid seconds');
      return;
    }
    this.#shift = wholeDays(first - series.extent.last);
    const exact = typeof bytes === 'string' ? decodeSeconds(bytes) : null;
    stage.isUniform = exact === null;
    for (let second = first; second <= last; second += 1) {
      const tenths = series.get(second - this.#shift);
      const value = exact === null ? (Number(tenths) / 10) * Number(asCount(operationBytes)) : exact[second - first];
      if (tenths !== undefined && typeof value === 'number') {
        series.setBytes(second - this.#shift, value);
      }
    }
    for (const [offset, failedAttempts, throttled] of listOf(failed).map((each) => listOf(each).map(asCount))) {
      if (offset !== null && failedAttempts !== null && throttled !== null) {
        series.setDetails(first + offset - this.#shift, { failedAttempts, throttled });
      }
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   */
  #takeRampStep(line, head, fields) {
    const step = /** @type {RampStep | null} */ (this.#readWhole(line, head, fields, SCHEMA.$defs.rampStep));
    const { rampSteps: steps } = this.#stage(head.stage, line);
    if (step !== null && steps.length < MAX_STEPS && !steps.some(({ slotStart }) => slotStart === step.slotStart)) {
      steps.push(step.histogram !== null && !isHistogram(step.histogram) ? { ...step, ...NO_STEP_LATENCY } : step);
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   * @param {object} schema
   * @returns {Record<string, unknown>} the valid fields; the others are reported
   */
  #readFields(line, head, fields, schema) {
    const { fitting, problems, unknown } = readFields(fields, schema);
    problems.forEach((problem) => this.#findings.unusable(line, nameOf(head), problem));
    unknown.forEach((name) => this.#findings.unknownField(line, name));
    return fitting;
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   * @param {object} schema
   * @returns {any} null unless all fields are valid
   */
  #readWhole(line, head, fields, schema) {
    const { fitting, problems } = readFields(fields, schema);
    if (problems.length === 0) {
      return fitting;
    }
    this.#findings.unusable(line, nameOf(head), problems[0]);
    return null;
  }

  /**
   * @param {string} name
   * @param {number} line
   */
  #stage(name, line) {
    let stage = this.#stages.get(name);
    if (stage === undefined) {
      stage = new StageLines(name, this.#findings.stage(name, line));
      this.#stages.set(name, stage);
      this.#stagesInLowerCase.set(name.toLowerCase(), stage);
    }
    this.#current = stage;
    return stage;
  }

  /** @param {string} name of a planned stage */
  #planned(name) {
    return this.#stagesInLowerCase.get(name.toLowerCase());
  }
}

/**
 * @typedef {{ kind: string, stage: string, id: string }} Head identifies a record; `stage` is '' for a run and its end
 *
 * @param {unknown} kind
 * @param {unknown} stage
 * @param {Record<string, unknown>} data
 * @returns {Head | null} null if this version does not know the kind
 */
function headOf(kind, stage, data) {
  if (kind === 'run' || kind === 'end') {
    return { kind, stage: '', id: kind };
  }
  const isKnown = typeof kind === 'string' && Object.hasOwn(NUMBERED_BY, kind);
  if (!isKnown || typeof stage !== 'string' || !isStageName(stage)) {
    return null;
  }
  const number = data[NUMBERED_BY[/** @type {keyof typeof NUMBERED_BY} */ (kind)]];
  return { kind, stage, id: JSON.stringify([kind, stage, typeof number === 'number' ? number : null]) };
}

/** @param {Head} head */
function nameOf({ kind, stage }) {
  return RECORD_NAMES[/** @type {keyof typeof RECORD_NAMES} */ (kind)] + (stage === '' ? '' : ` of ${stage}`);
}

/**
 * @param {StageLines} lines
 * @param {CommonFacts} facts
 * @param {number | null} shift
 * @returns {ReadStage} fields that the log does not contain are null
 */
function stageOf({ name, series, schedule, summary, totals, retries, bytes, rampSteps, steps }, { options }, shift) {
  if (shift !== null && shift !== 0) {
    series.move(shift);
  }
  const further = rampSteps.length === 0 ? {} : { ramp: { steps: rampSteps } };
  if (totals !== null) {
    // A damaged log may lack the record of its seconds.
    series.operationBytes ??= totals.operations === 0 ? 0 : totals.bytes / totals.operations;
    const search = totals.search ? { search: { ...totals.search, steps } } : {};
    return { ...totals, ...search, ...further, seconds: series };
  }
  const operations = operationsOf(series, summary, schedule);
  const hasBytes = !STAGES_WITHOUT_BYTES.includes(name);
  const total = summary === null || !hasBytes ? bytes : summary.megabytes * MEGABYTE;
  const { size = null, sizes, mix } = options ?? {};
  const uniformSize = hasBytes && !sizes && !mix ? size : null;
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
    errors: { [UNKNOWN_KIND]: failures },
    seconds: series,
    latency: UNKNOWN_LATENCY,
    bottleneck: null,
    ...further,
  };
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

/** @param {StageSum} totals */
function withoutLatencies({ kinds, buckets, sizeClasses, reads, cache, ...totals }) {
  return { ...totals, latency: UNKNOWN_LATENCY };
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
