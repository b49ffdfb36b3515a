import { isStageName } from '../log/log-line.js';
import { quote } from '../log/quote.js';
import { checkSchema } from '../model/check-schema.js';
import { COUNT_NAMES, countsInLog } from '../model/counters.js';
import { SCHEMA } from '../model/schema.js';

/** @import { ClockFacts, CommonCounts, CommonOptions, CountName, RampResult, RampStep } from '../model/result.js' */

// What the machine lines of a log say, taken with care: a log may be damaged, of a later version, or made up. A field that
// is missing or is not what it should be is null, or 0 for a count; what cannot be used, and what is not known, is named.

/**
 * @typedef {object} RunLine
 * @property {number | null} format
 * @property {string | null} run the run id
 * @property {string | null} host
 * @property {string | null} shard `i/N`
 * @property {number | null} start epoch ms
 * @property {ClockFacts | null} clock null where the times are those of the host's clock
 * @property {number | null} size bytes of an object; of the largest, where they are not all of one size
 * @property {string | null} sizes as --size has them, where they are not all of one size
 * @property {string | null} access as --access has it, where objects are not read one after the other
 * @property {string | null} mix as --mix has it, where operations are mixed
 * @property {Record<string, string | null> | null} versions
 * @property {CommonOptions | null} options
 * @property {readonly string[]} stages that the run was to go through
 * @property {boolean} isSearch whether it searched for the peak: its steps are no measurement of one load
 * @property {readonly string[]} unusable fields that cannot be what the log says, each with what it says
 *
 * @typedef {object} StageLine the times are epoch ms
 * @property {string} stage
 * @property {string} end how the stage ended, `complete` if all went well
 * @property {number | null} objects that it was given
 * @property {number | null} threads
 * @property {number} start
 * @property {number} stop
 * @property {number} paused ms between in which the process was suspended
 * @property {number} measuredFrom after the warm-up, whose seconds and latencies do not count
 * @property {number} measured operations after the warm-up
 * @property {number} measuredUntil operations that completed after it are in no rate
 * @property {number} drained those operations
 * @property {ClockFacts | null} clock
 * @property {string | null} limitedBy what the stage was limited by: a word of whatever version
 * @property {LineCounts} counts
 * @property {Record<string, number>} further counters of a later version
 * @property {[kind: string, count: number][]} errors
 * @property {readonly string[]} unusable fields that cannot be what the log says, each with what it says
 * @property {readonly string[]} unknown names of fields of a later version
 *
 * @typedef {object} KindLine
 * @property {string} operation
 * @property {number | null} threads
 * @property {string | null} limitedBy a word of whatever version
 * @property {LineCounts} counts
 * @property {number} measured operations after the warm-up
 * @property {Record<string, number>} errors failed attempts by kind
 *
 * @typedef {object} HistogramPart
 * @property {string} stage
 * @property {string | null} operation where it is that of one kind of operation in a stage
 * @property {number | null} slotStart epoch s, where it is that of a step of a ramp
 * @property {number} part from 1
 * @property {number} of
 * @property {string} data
 *
 * @typedef {Required<CommonCounts>} LineCounts null for those that a log does not carry
 */

/** Counters that a log carries always, or where they are more than nothing. @type {readonly CountName[]} */
const LOGGED_COUNTS = [
  ...countsInLog('always'),
  ...countsInLog('warm-up'),
  ...countsInLog('drain'),
  ...countsInLog('several'),
  ...countsInLog('existing'),
  ...countsInLog('parts'),
  ...countsInLog('versions'),
];

/** All fields that the machine line of a stage may have. */
const STAGE_FIELDS = new Set([
  ...['kind', 'stage', 'end', 'start', 'stop', 'objects', 'threads', ...COUNT_NAMES, 'limitedBy', 'clock', 'errors'],
  ...['warmup', 'drain', 'paused'],
]);

/** The version of the machine lines that this module reads. */
export const KNOWN_FORMAT = 1;

const RUN_ID = /^[A-Za-z0-9._-]{1,64}$/;
const SHARD = /^(0|[1-9][0-9]{0,8})\/([1-9][0-9]{0,8})$/;
/** As it is written in `--stages`. */
const PLANNED_STAGE = /^[a-z][a-z0-9-]{0,31}$/;
/** No control characters: the text goes to terminals. */
const PLAIN_TEXT = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u;
/** As the names of fields are written. */
const COUNTER_NAME = /^[a-z][A-Za-z0-9]{0,63}$/;
const ERROR_KIND = /^[\w .:-]{1,64}$/;

/** Times outside of these years are no times of a run. Epoch ms. */
const EARLIEST = Date.UTC(2000);
const LATEST = Date.UTC(2200);

/** As they are written in options. */
const SIZES = new RegExp(SCHEMA.$defs.options.properties.sizes.pattern);
const ACCESS = new RegExp(SCHEMA.$defs.options.properties.access.pattern);
const MIX = new RegExp(SCHEMA.$defs.options.properties.mix.pattern);

const MAX_PARTS = 999;

/**
 * Above this, ± ms, a clock counts as unknown, whatever offset the log states: the store's answers contradicted each other.
 */
const MAX_CLOCK_UNCERTAINTY_MS = 5000;

/**
 * @param {ClockFacts | null | undefined} clock
 * @returns {boolean} whether it is stated, and so uncertain that it cannot be relied on
 */
export function isUnknownClock(clock) {
  return clock !== null && clock !== undefined && clock.uncertainty > MAX_CLOCK_UNCERTAINTY_MS;
}

/**
 * The times of a log are the store's as its host took them to be. Where that was not known, they are turned back into
 * those of the host's own clock.
 *
 * @param {ClockFacts | null | undefined} clock as the log states it
 * @returns {number} whole seconds to be added to the times of the log
 */
export function correctionOf(clock) {
  return clock && isUnknownClock(clock) ? -Math.round(clock.offset / 1000) : 0;
}

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {RunLine}
 */
export function readRunLine(data) {
  const fields = new Fields(data);
  const options = new Fields(asObject(data.options));
  return {
    format: asCount(data.format),
    run: fields.take('run', (value) => asText(value, RUN_ID)),
    host: fields.take('host', (value) => asText(value, PLAIN_TEXT)),
    shard: fields.take('shard', asShard),
    start: fields.take('start', (value) => asTime(typeof value === 'string' ? Date.parse(value) : null)),
    clock: fields.take('clock', asClock),
    size: options.take('size', asCount),
    sizes: options.take('sizes', (value) => asText(value, SIZES)),
    access: options.take('access', (value) => asText(value, ACCESS)),
    mix: options.take('mix', (value) => asText(value, MIX)),
    versions: /** @type {RunLine['versions']} */ (fitting(data.versions, SCHEMA.$defs.facts.properties.versions)),
    options: /** @type {CommonOptions | null} */ (fitting(data.options, SCHEMA.$defs.options)),
    stages: options.take('stages', asPlannedStages) ?? [],
    isSearch: asObject(data.options).findPeak === true,
    unusable: [...fields.unusable, ...options.unusable],
  };
}

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {StageLine | null} null where it does not say which stage, from when to when or how many operations
 */
export function readStageLine(data) {
  const stage = asStage(data.stage);
  const start = asTime(data.start);
  const stop = asTime(data.stop);
  if (stage === null || start === null || stop === null || stop < start || asCount(data.operations) === null) {
    return null;
  }
  const fields = new Fields(data);
  const counts = countsOf(fields);
  const further = furtherCounts(data);
  const kinds = new Fields(asObject(data.errors));
  const errors = Object.keys(asObject(data.errors)).flatMap((kind) => {
    const count = kinds.take(kind, (value) => (ERROR_KIND.test(kind) ? asCount(value) : null));
    return count === null ? [] : [/** @type {[string, number]} */ ([kind, count])];
  });
  return {
    stage,
    end: fields.take('end', (value) => asText(value, ERROR_KIND)) ?? 'unknown',
    objects: asCount(data.objects),
    threads: asCount(data.threads),
    start,
    stop,
    paused: Math.min(fields.take('paused', asDuration) ?? 0, stop - start),
    measuredFrom: Math.min(start + (fields.take('warmup', asDuration) ?? 0), stop),
    measured: Math.max(Number(counts.operations) - Number(counts.warmupOperations), 0),
    measuredUntil: Math.max(stop - (fields.take('drain', asDuration) ?? 0), start),
    drained: Number(counts.drainOperations),
    clock: fields.take('clock', asClock),
    limitedBy: fields.take('limitedBy', (value) => asText(value, ERROR_KIND)),
    counts,
    errors,
    unusable: [...fields.unusable, ...kinds.unusable],
    further,
    unknown: Object.keys(data).filter((name) => !STAGE_FIELDS.has(name) && !Object.hasOwn(further, name)),
  };
}

/**
 * @param {Fields} fields
 * @returns {LineCounts}
 */
function countsOf(fields) {
  return /** @type {LineCounts} */ (
    Object.fromEntries(
      COUNT_NAMES.map((name) => [name, fields.take(name, asCount) ?? (LOGGED_COUNTS.includes(name) ? 0 : null)]),
    )
  );
}

/**
 * @param {Record<string, unknown>} data
 * @returns {Record<string, number>} counters that only a later version knows
 */
function furtherCounts(data) {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const isCounter = !STAGE_FIELDS.has(name) && COUNTER_NAME.test(name) && typeof value === 'number' && value >= 0;
      return isCounter ? [[name, value]] : [];
    }),
  );
}

/**
 * @param {unknown} value
 * @param {object} schema
 * @returns {Record<string, unknown> | null} null where it does not fit
 */
function fitting(value, schema) {
  const { problems, unknown } = checkSchema(value, SCHEMA, schema);
  const known = Object.entries(asObject(value)).filter(([name]) => !unknown.has(name));
  return problems.length === 0 && value !== undefined ? Object.fromEntries(known) : null;
}

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {{ stage: string, kind: KindLine } | null} what one kind of operation did in a stage; null where the line does not
 *   say of which, or how many operations there were
 */
export function readKindLine(data) {
  const stage = asStage(data.stage);
  const operation = asText(data.operation, PLANNED_STAGE);
  if (stage === null || operation === null || asCount(data.operations) === null) {
    return null;
  }
  const counts = countsOf(new Fields(data));
  const errors = Object.entries(asObject(data.errors)).filter(
    ([kind, count]) => ERROR_KIND.test(kind) && asCount(count) !== null,
  );
  return {
    stage,
    kind: {
      operation,
      threads: asCount(data.threads),
      limitedBy: asText(data.limitedBy, ERROR_KIND),
      counts,
      measured: Math.max(Number(counts.operations) - Number(counts.warmupOperations), 0),
      errors: /** @type {Record<string, number>} */ (Object.fromEntries(errors)),
    },
  };
}

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {HistogramPart | null} null where it is no part of a histogram of microseconds
 */
export function readHistogramPart(data) {
  const stage = asStage(data.stage);
  const part = asCount(data.part);
  const of = asCount(data.of);
  const isPart = part !== null && of !== null && part >= 1 && part <= of && of <= MAX_PARTS;
  if (stage === null || !isPart || data.unit !== 'us' || typeof data.data !== 'string') {
    return null;
  }
  const operation = asText(data.operation, PLANNED_STAGE);
  return { stage, operation, slotStart: asCount(data.slotStart), part, of, data: data.data };
}

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {{ stage: string, of: RampResult['of'], step: RampStep } | null} a step of a ramp, without its latencies; null
 *   where it does not say all of it
 */
export function readRampStep(data) {
  const stage = asStage(data.stage);
  const step = fitting({ ...data, latency: null, histogram: null }, SCHEMA.$defs.rampStep);
  if (stage === null || step === null) {
    return null;
  }
  const of = data.of === 'hosts' ? 'hosts' : 'threads';
  return { stage, of, step: /** @type {RampStep} */ (/** @type {unknown} */ (step)) };
}

/** The fields of a machine line, as they are taken out of it. */
class Fields {
  #data;
  /** Those that cannot be what the log says. @type {string[]} */
  unusable = [];

  /** @param {Record<string, unknown>} data */
  constructor(data) {
    this.#data = data;
  }

  /**
   * @template Value
   * @param {string} name
   * @param {(value: unknown) => Value | null} read
   * @returns {Value | null}
   */
  take(name, read) {
    const given = this.#data[name] ?? null;
    const value = read(given);
    if (value === null && given !== null) {
      this.unusable.push(`${quote(name)}: ${quote(typeof given === 'string' ? given : JSON.stringify(given))}`);
    }
    return value;
  }
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function asObject(value) {
  return typeof value === 'object' && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
}

/** @param {unknown} value */
function asCount(value) {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** @param {unknown} value */
function asTime(value) {
  return typeof value === 'number' && value >= EARLIEST && value < LATEST ? value : null;
}

/** @param {unknown} value ms */
function asDuration(value) {
  return typeof value === 'number' && value >= 0 && value < LATEST ? value : null;
}

/**
 * @param {unknown} value
 * @param {RegExp} pattern
 */
function asText(value, pattern) {
  return typeof value === 'string' && pattern.test(value) ? value : null;
}

/** @param {unknown} value */
function asStage(value) {
  return typeof value === 'string' && isStageName(value) ? value : null;
}

/** @param {unknown} value */
function asShard(value) {
  const [shard, index, count] = (typeof value === 'string' && SHARD.exec(value)) || [];
  return Number(index) < Number(count) ? /** @type {string} */ (shard) : null;
}

/**
 * @param {unknown} value
 * @returns {string[] | null} names as they begin the lines of a stage
 */
function asPlannedStages(value) {
  const isList = Array.isArray(value) && value.every((name) => asText(name, PLANNED_STAGE) !== null);
  return isList ? [...new Set(value)].map(stageNamed) : null;
}

/** @param {string} planned a stage as it is written in `--stages` */
function stageNamed(planned) {
  return planned[0].toUpperCase() + planned.slice(1);
}

/**
 * @param {unknown} value
 * @returns {ClockFacts | null}
 */
function asClock(value) {
  const { offset, uncertainty } = asObject(value);
  const isClock = Number.isFinite(offset) && Number.isFinite(uncertainty) && Number(uncertainty) >= 0;
  return isClock ? { offset: Number(offset), uncertainty: Number(uncertainty) } : null;
}
