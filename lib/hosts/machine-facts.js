import { STAGE_NAMES } from '../log/log-line.js';

// What the machine lines of a log say, taken with care: a log may be damaged, of a later version, or made up. A field that
// is missing or is not what it should be is null, or 0 for a count; fields and kinds that are not known are passed over.

/** @typedef {import('../log/log-line.js').StageName} StageName */

/**
 * @typedef {object} ClockFacts
 * @property {number} offset ms by which the store's clock is ahead of the host's
 * @property {number} uncertainty ± ms
 *
 * @typedef {object} RunFacts
 * @property {number | null} format
 * @property {string | null} run the run id
 * @property {string | null} host
 * @property {string | null} shard `i/N`
 * @property {number | null} start epoch ms
 * @property {ClockFacts | null} clock null where the times are those of the host's clock
 * @property {number | null} size bytes of an object
 * @property {readonly StageName[]} stages that the run was to go through
 * @property {boolean} isSearch whether it searched for the peak: its steps are no measurement of one load
 *
 * @typedef {object} StageFacts the times are epoch ms
 * @property {StageName} stage
 * @property {string} end how the stage ended, `complete` if all went well
 * @property {number} start
 * @property {number} stop
 * @property {number} measuredFrom behind the warm-up, whose seconds and latencies do not count
 * @property {number} measured operations behind the warm-up
 * @property {number} measuredUntil behind it operations came to their ends that are in no rate
 * @property {number} drained those operations
 * @property {ClockFacts | null} clock
 * @property {Record<CountName, number>} counts
 * @property {[kind: string, count: number][]} errors
 *
 * @typedef {object} HistogramPart
 * @property {StageName} stage
 * @property {number} part from 1
 * @property {number} of
 * @property {string} data
 *
 * @typedef {typeof COUNT_NAMES[number]} CountName
 */

/** The counts of a stage that are added up over the hosts, in the order in which they are shown. */
export const COUNT_NAMES = /** @type {const} */ ([
  'operations',
  'bytes',
  'attempts',
  'retries',
  'throttled',
  'failed',
  'integrityErrors',
  'skipped',
  'abandoned',
]);

/** The version of the machine lines that this module reads. */
export const KNOWN_FORMAT = 1;

const RUN_ID = /^[A-Za-z0-9._-]{1,64}$/;
const SHARD = /^[0-9]{1,9}\/[0-9]{1,9}$/;
/** No control characters: the text goes to terminals. */
const PLAIN_TEXT = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u;
const ERROR_KIND = /^[\w .:-]{1,64}$/;

/** Times outside of these years are no times of a run. Epoch ms. */
const EARLIEST = Date.UTC(2000);
const LATEST = Date.UTC(2200);

const MOST_PARTS = 999;

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {RunFacts}
 */
export function readRunFacts(data) {
  const options = asObject(data.options);
  const named = Array.isArray(options.stages) ? options.stages : [];
  return {
    format: asCount(data.format),
    run: asText(data.run, RUN_ID),
    host: asText(data.host, PLAIN_TEXT),
    shard: asText(data.shard, SHARD),
    start: asTime(typeof data.start === 'string' ? Date.parse(data.start) : null),
    clock: asClock(data.clock),
    size: asCount(options.size),
    stages: STAGE_NAMES.filter((stage) => named.includes(stage.toLowerCase())),
    isSearch: options.findPeak === true,
  };
}

/**
 * @param {Record<string, unknown>} data of a machine line
 * @returns {StageFacts | null} null where it does not say which stage, from when to when or how many operations
 */
export function readStageFacts(data) {
  const stage = asStage(data.stage);
  const start = asTime(data.start);
  const stop = asTime(data.stop);
  if (stage === null || start === null || stop === null || stop < start || asCount(data.operations) === null) {
    return null;
  }
  const counts = /** @type {Record<CountName, number>} */ (
    Object.fromEntries(COUNT_NAMES.map((name) => [name, asCount(data[name]) ?? 0]))
  );
  const errors = Object.entries(asObject(data.errors)).flatMap(([kind, value]) => {
    const count = asCount(value);
    return ERROR_KIND.test(kind) && count !== null ? [/** @type {[string, number]} */ ([kind, count])] : [];
  });
  return {
    stage,
    end: asText(data.end, ERROR_KIND) ?? 'unknown',
    start,
    stop,
    measuredFrom: Math.min(start + (asDuration(data.warmup) ?? 0), stop),
    measured: Math.max(counts.operations - (asCount(data.warmupOperations) ?? 0), 0),
    measuredUntil: Math.max(stop - (asDuration(data.drain) ?? 0), start),
    drained: asCount(data.drainOperations) ?? 0,
    clock: asClock(data.clock),
    counts,
    errors,
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
  const isPart = part !== null && of !== null && part >= 1 && part <= of && of <= MOST_PARTS;
  if (stage === null || !isPart || data.unit !== 'us' || typeof data.data !== 'string') {
    return null;
  }
  return { stage, part, of, data: data.data };
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
  return STAGE_NAMES.find((stage) => stage === value) ?? null;
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
