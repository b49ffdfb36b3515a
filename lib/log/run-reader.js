import { isHistogram, UNKNOWN_LATENCY } from '../model/histogram.js';
import { decodeSeconds } from '../model/host-series.js';
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
 * @import { CommonFacts, RampResult, RampStep, Result, SearchStep, StageSum } from '../model/result.js'
 * @import { LogLine, ScheduleLine, SecondLine, SummaryLine } from './lines.js'
 * @import { ReadRun, ReadStage } from './read-log.js'
 * @import { StageFindings } from './run-findings.js'
 */

/** No stage has as many steps: a log with more of them was made up. */
const MAX_STEPS = 1000;

/** Times outside of these years are no times of a run. Epoch ms. */
const EARLIEST = Date.UTC(2000);
const LATEST = Date.UTC(2200);

/** Logs without machine lines have the number of failed attempts, but not their kinds. */
const UNKNOWN_KIND = 'unknown kind';

/** Records of which a stage may have several, and the field that tells them apart. */
const NUMBERED_BY = Object.freeze({ stage: '', seconds: 'from', step: 'startedAt', 'ramp-step': 'slotStart' });

const RECORD_NAMES = Object.freeze({
  run: 'the run',
  end: 'the end of the run',
  stage: 'the totals',
  seconds: 'the seconds',
  step: 'a step of the search',
  'ramp-step': 'a step of the ramp',
});

/** What the schema asks for, and a record of a damaged log may lack. */
const EMPTY_TOTALS = Object.freeze({
  ...{ end: null, duration: null, average: null, peak: null },
  ...{ bytes: 0, errors: {}, latency: UNKNOWN_LATENCY },
});

/** What a log has no record of. @type {Readonly<CommonFacts>} */
const NO_FACTS = Object.freeze({
  run: null,
  host: null,
  shard: null,
  start: null,
  clock: null,
  versions: null,
  options: null,
});

/** A stage as far as its lines have come. */
class StageLines {
  series = new SecondSeries();
  /** @type {ScheduleLine | null} */
  schedule = null;
  /** @type {SummaryLine | null} */
  summary = null;
  /** What the record of its totals says. @type {StageSum | null} */
  totals = null;
  retries = 0;
  /** Bytes in the lines of its seconds, rounded. */
  bytes = 0;
  /** @type {RampResult | null} */
  ramp = null;
  /** Whether each operation has the same bytes, as its last record says. */
  isUniform = false;
  /** Of a capacity search. @type {SearchStep[]} */
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

/** What the lines of one run come to. */
export class RunReader {
  #findings;
  /** @type {Map<string, StageLines>} */
  #stages = new Map();
  /** The same, by their names in lower case. @type {Map<string, StageLines>} */
  #stagesInLowerCase = new Map();
  /** The stage that the last lines were about. @type {StageLines | null} */
  #current = null;
  /** Records of which not all lines have come, by what identifies them. @type {Map<string, { head: Head, parts: RecordParts, line: number }>} */
  #unfinished = new Map();
  /** @type {CommonFacts | null} */
  #facts = null;
  /** @type {Partial<Result> | null} */
  #end = null;
  /** Seconds by which the lines are moved to be those of a date; null as long as no date is known. @type {number | null} */
  #shift = null;
  /** Epoch ms at which the run began, as its first line says. @type {number | null} */
  start = null;
  /** Each line of a second is a count then, and not a rate over about a second. */
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

  /** Whether the log has its end, or all that was planned. */
  get hasEnded() {
    const planned = this.#facts?.options?.stages ?? [];
    return this.#end !== null || (planned.length > 0 && planned.every((stage) => this.#planned(stage)?.totals));
  }

  /**
   * Whether a stage that begins can only belong to another run. A stage that begins once more before its end is no sign of
   * another run, but of another host that writes into the same file.
   *
   * @param {string} name
   */
  isOver(name) {
    const stage = this.#stages.get(name);
    return this.hasEnded || (stage !== undefined && !(this.hasMachineLines && stage.isCut));
  }

  /**
   * @param {number} line
   * @param {string} message about something that is missing from the result
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
      stage.findings.at(problem, number);
    }
    if (STAGES_WITHOUT_BYTES.includes(name)) {
      return;
    }
    stage.bytes += megabytes * MEGABYTE;
    const { sizes, mix } = this.#facts?.options ?? {};
    // Until the record of the seconds comes, which has them exactly.
    if ((sizes || mix) && !stage.isUniform && problem !== 'impossible' && problem !== 'doubled') {
      stage.series.setBytes(second, megabytes * MEGABYTE);
    }
  }

  /** @returns {ReadRun} */
  read() {
    for (const { head, parts, line } of this.#unfinished.values()) {
      this.#findings.warn(line, `${nameOf(head)} begins here, and lines of it are missing`);
      this.#take(line, head, parts.fields());
    }
    const facts = this.#facts ?? NO_FACTS;
    const stages = [...this.#stages.values()].map((stage) => stageOf(stage, facts, this.#shift));
    const { problems = [], cleanup = null, requests = null } = this.#end ?? {};
    const result = { format: FORMAT, ...facts, problems, hosts: [facts], stages, cleanup, requests };
    const { file, line, hasEnded, hasMachineLines } = this;
    return { result, file, line, warnings: this.#findings.warnings(result, { hasEnded, hasMachineLines }) };
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
    // A record of one line has no text that is too long for a line, and so none that other places refer to.
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
      this.#findings.unusable(line, nameOf(head), 'no times or no operations');
      return;
    }
    const stage = this.#stage(head.stage, line);
    stage.findings.totalsLine = line;
    stage.totals = brokenHistograms([totals]).length > 0 ? withoutLatencies(totals) : totals;
    // A log that has lost its head has its date from here, as has one that waited for more than a day.
    if (stage.series.extent !== null) {
      this.#shift = wholeDays(stop / 1000 - stage.series.extent.last);
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   * @returns {Record<string, any>} those that fit, with the counters that only a later version knows under `further`
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
   * What the lines of the seconds do not say exactly.
   *
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   */
  #takeSeconds(line, head, { from, until, operationBytes, bytes, failed = [] }) {
    const stage = this.#stage(head.stage, line);
    const { series } = stage;
    const [first, last] = [asTime(Number(from) * 1000), asTime(Number(until) * 1000)].map((ms) => Number(ms) / 1000);
    if (first === 0 || last < first || last - first > SECONDS_PER_RECORD || series.extent === null) {
      this.#findings.unusable(line, nameOf(head), 'no seconds');
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
  #takeRampStep(line, head, { of, ...fields }) {
    const step = /** @type {RampStep | null} */ (this.#readWhole(line, head, fields, SCHEMA.$defs.rampStep));
    const stage = this.#stage(head.stage, line);
    stage.ramp ??= { of: of === 'hosts' ? 'hosts' : 'threads', steps: [] };
    const { of: kind, steps } = stage.ramp;
    if (step !== null && steps.length < MAX_STEPS && !steps.some(({ slotStart }) => slotStart === step.slotStart)) {
      stage.ramp = {
        of: kind,
        steps: [
          ...steps,
          step.histogram !== null && !isHistogram(step.histogram) ? { ...step, ...NO_STEP_LATENCY } : step,
        ],
      };
    }
  }

  /**
   * @param {number} line
   * @param {Head} head
   * @param {Record<string, unknown>} fields
   * @param {object} schema
   * @returns {Record<string, unknown>} those that fit; the others are named
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
   * @returns {any} null if not all of it fits
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

  /**
   * @param {string} name of a stage as it was planned, in lower case
   * @returns {StageLines | undefined}
   */
  #planned(name) {
    return this.#stagesInLowerCase.get(name.toLowerCase());
  }
}

/**
 * What identifies a record.
 *
 * @typedef {{ kind: string, stage: string, id: string }} Head `stage` is empty for a run and its end
 *
 * @param {unknown} kind
 * @param {unknown} stage
 * @param {Record<string, unknown>} data of a machine line
 * @returns {Head | null} null if this version does not know it
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
 * @returns {ReadStage} what a log says of a stage; what it does not say is null
 */
function stageOf({ name, series, schedule, summary, totals, retries, bytes, ramp, steps }, { options }, shift) {
  if (shift !== null && shift !== 0) {
    series.move(shift);
  }
  const further = ramp === null ? {} : { ramp };
  if (totals !== null) {
    // A damaged log can lack the record of its seconds.
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
 * A summary has the mean, in one decimal: the number of operations follows from it but for rounding, and is that of the
 * scheduled ones if these lie within it.
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
 * @param {StageSum} totals
 * @returns {StageSum} as much as can be relied on
 */
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
