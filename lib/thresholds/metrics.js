import { sumOf } from '../model/counters.js';
import { failedAttemptsOf } from '../model/failed-attempts.js';
import { Histogram } from '../model/histogram.js';

/**
 * @import { CountName, LatencySummary, StageLatency, ThresholdUnit } from '../model/result.js'
 * @import { WritableResult, WritableStage } from '../model/write-result.js'
 * @import { QuantityName } from './quantities.js'
 *
 * @typedef {(stage: WritableStage) => number | null | undefined} OfStage in the metric's unit; nothing where it is not known
 * @typedef {(result: WritableResult) => number | null | undefined} OfRun
 *
 * @typedef {object} Metric a figure of a result that can be asserted
 * @property {string} name
 * @property {string} meaning for the docs, a line of Markdown
 * @property {QuantityName} quantity
 * @property {ThresholdUnit} unit of its values
 * @property {OfStage | null} ofStage null where it is a figure of the whole alone
 * @property {OfRun | null} ofRun over all stages; null where that has no meaning
 * @property {readonly string[]} [otherNames]
 * @property {Condition} [onlyOf] stages that have it
 * @property {true} [isLatency] whether it comes from a histogram, which a log may lack
 *
 * @typedef {'reads' | 'open loop' | 'search' | 'parts'} Condition
 */

/** Percentiles and the like, by the names that they have here. @type {readonly { name: string, field: keyof LatencySummary, meaning: string, otherNames?: readonly string[] }[]} */
const SUMMARIES = [
  { name: 'p50', field: 'p50', meaning: 'the median' },
  { name: 'p90', field: 'p90', meaning: 'the 90th percentile' },
  { name: 'p95', field: 'p95', meaning: 'the 95th percentile' },
  { name: 'p99', field: 'p99', meaning: 'the 99th percentile' },
  { name: 'p999', field: 'p999', meaning: 'the 99.9th percentile', otherNames: ['p99.9'] },
  { name: 'mean', field: 'mean', meaning: 'the mean' },
  { name: 'min', field: 'minimum', meaning: 'the shortest' },
  { name: 'max', field: 'maximum', meaning: 'the longest' },
];

/** @type {readonly { prefix: string, of: Exclude<keyof StageLatency, 'unit' | 'histogram'>, what: string, onlyOf?: Condition }[]} */
const LATENCIES = [
  { prefix: '', of: 'operations', what: 'Latency of the operations' },
  { prefix: 'attempts.', of: 'attempts', what: 'Time of the single attempts' },
  { prefix: 'firstByte.', of: 'firstByte', what: 'Time to the first byte of an answer', onlyOf: 'reads' },
  { prefix: 'startDelay.', of: 'startDelay', what: 'How late operations started', onlyOf: 'open loop' },
  { prefix: 'parts.', of: 'parts', what: 'Latency of the parts of objects', onlyOf: 'parts' },
];

/** @type {readonly { name: CountName, unit: ThresholdUnit, meaning: string }[]} */
const COUNTERS = [
  { name: 'failed', unit: 'operations', meaning: 'Operations that were given up' },
  { name: 'integrityErrors', unit: 'operations', meaning: 'Operations whose answer was not what had been written' },
  { name: 'throttled', unit: 'attempts', meaning: 'Attempts by whose answer the store asked for fewer requests' },
  { name: 'operations', unit: 'operations', meaning: 'Operations that succeeded, verification included' },
  { name: 'attempts', unit: 'attempts', meaning: 'All attempts, successful or not' },
  { name: 'retries', unit: 'attempts', meaning: 'Attempts that failed and were tried again' },
  { name: 'vanished', unit: 'operations', meaning: 'Operations on objects of --existing that were gone' },
  { name: 'changed', unit: 'operations', meaning: 'Operations on objects of --existing that were replaced meanwhile' },
  { name: 'archived', unit: 'operations', meaning: 'Operations on objects of --existing that are in an archive' },
  { name: 'sizeOnly', unit: 'operations', meaning: 'Operations whose bytes were checked by their number alone' },
  { name: 'skipped', unit: 'operations', meaning: 'Operations that had no object, because Write had not written it' },
  { name: 'abandoned', unit: 'operations', meaning: 'Operations that the end of the stage cut off' },
];

/** @returns {Metric[]} */
function latencyMetrics() {
  return LATENCIES.flatMap((latencies) =>
    SUMMARIES.map(({ name, field, meaning, otherNames = [] }) => ({
      ...latencyMetric(latencies, name, meaning, ({ latency }) => latency[latencies.of]?.[field]),
      otherNames: otherNames.map((other) => `${latencies.prefix}${other}`),
    })),
  );
}

/**
 * @param {(typeof LATENCIES)[number]} latencies
 * @param {string} name
 * @param {string} meaning
 * @param {OfStage} ofStage
 * @returns {Metric}
 */
function latencyMetric({ prefix, what, onlyOf }, name, meaning, ofStage) {
  return {
    name: `${prefix}${name}`,
    meaning: `${what}: ${meaning}`,
    quantity: 'time',
    unit: 'ms',
    ofStage,
    ofRun: null,
    ...(onlyOf === undefined ? {} : { onlyOf }),
    isLatency: true,
  };
}

const PERCENTILE = /^(.*\.)?p([0-9]{1,2}(?:\.[0-9]{1,4})?)$/;

/**
 * @param {string} name such as `p97` or `firstByte.p99.5`
 * @returns {Metric | null} null if it is no percentile
 */
function percentileNamed(name) {
  const [, prefix = '', percent] = PERCENTILE.exec(name) ?? [];
  const latencies = LATENCIES.find((each) => each.prefix === prefix);
  if (percent === undefined || latencies === undefined) {
    return null;
  }
  const ofStage = (/** @type {WritableStage} */ { latency }) => percentileOf(latency, latencies.of, Number(percent));
  return latencyMetric(latencies, `p${percent}`, `percentile ${percent}`, ofStage);
}

/**
 * @param {StageLatency} latency
 * @param {Exclude<keyof StageLatency, 'unit' | 'histogram'>} of
 * @param {number} percentile
 * @returns {number | null} ms; null without a histogram
 */
function percentileOf({ histogram, ...latency }, of, percentile) {
  const { [of]: summary } = latency;
  const encoded = histogram[of];
  if (!summary || !encoded) {
    return null;
  }
  // The extremes are exact, and percentiles within 0.1%: none may be beyond.
  return Math.min(Math.max(Histogram.decode(encoded).at(percentile), summary.minimum), summary.maximum);
}

/**
 * @param {OfStage} ofStage a count
 * @returns {OfRun}
 */
function overAllStages(ofStage) {
  return ({ stages }) => (stages.length === 0 ? null : sumOf(stages.map(ofStage)));
}

/**
 * @param {Pick<Metric, 'name' | 'unit' | 'meaning'> & { ofStage: OfStage }} counter
 * @returns {Metric}
 */
function countMetric({ name, unit, meaning, ofStage }) {
  return { name, meaning, quantity: 'count', unit, ofStage, ofRun: overAllStages(ofStage) };
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole
 */
function shareOf(part, whole) {
  return typeof part !== 'number' || typeof whole !== 'number' || whole === 0 ? null : part / whole;
}

/** @type {OfStage} */
function cpuPerOperation({ clientLoad, operations }) {
  return clientLoad ? shareOf(clientLoad.cpuUser + clientLoad.cpuSystem, operations) : null;
}

/**
 * What a search held, or a ramp of several hosts.
 *
 * @param {'operationsPerSecond' | 'low' | 'high'} field
 * @returns {OfStage}
 */
function capacityOf(field) {
  return ({ search, merge }) => {
    if (search?.rate !== undefined) {
      return field === 'operationsPerSecond' ? search.rate.operationsPerSecond : search.rate.interval?.[field];
    }
    return (search?.capacity ?? merge?.ramp?.capacity)?.[field];
  };
}

/**
 * Without clean-up nothing was left, unless the objects were kept; a log does not tell.
 *
 * @type {OfRun}
 */
function leftByCleanup({ cleanup, options, hosts }) {
  const isKnown = !options?.keep && !hosts.some(({ merge }) => typeof merge?.line === 'number');
  const left = cleanup?.left ?? (isKnown ? 0 : -1);
  return left < 0 || !isKnown ? null : left;
}

/**
 * @param {CountName} name
 * @returns {OfStage} not known where the log of a host does not tell it: what it has then is that of the others
 */
function countOf(name) {
  return (stage) => (stage.merge?.untold?.includes(name) ? null : stage[name]);
}

/**
 * The attempts of a search are those of one step, and what failed is that of all: there is no share.
 *
 * @type {OfStage}
 */
function attemptsOfAllSteps({ attempts, search }) {
  return search === undefined ? attempts : null;
}

const ALL_ATTEMPTS = overAllStages(attemptsOfAllSteps);
const ALL_ERRORS = overAllStages(failedAttemptsOf);

/**
 * All figures that can be asserted: help, docs and messages take them from here.
 *
 * @type {readonly Metric[]}
 */
export const METRICS = Object.freeze([
  {
    name: 'rate',
    meaning: 'Operations that succeeded ÷ time, both without warm-up and drain',
    quantity: 'rate',
    unit: 'ops/s',
    ofStage: ({ average }) => average,
    ofRun: null,
  },
  {
    name: 'throughput',
    meaning: 'Bytes of objects that those operations moved ÷ the same time',
    quantity: 'throughput',
    unit: 'bytes/s',
    ofStage: ({ averageBytes }) => averageBytes,
    ofRun: null,
  },
  {
    name: 'peak',
    meaning: 'Operations in the best second, of all hosts together',
    quantity: 'rate',
    unit: 'ops/s',
    ofStage: ({ peak }) => peak,
    ofRun: null,
  },
  ...latencyMetrics(),
  countMetric({
    name: 'errors',
    unit: 'attempts',
    meaning: 'Attempts that failed, retried or not; those that the end of the stage cut off are not among them',
    ofStage: failedAttemptsOf,
  }),
  {
    name: 'errorShare',
    meaning: 'Attempts that failed ÷ all attempts',
    quantity: 'share',
    unit: 'share',
    ofStage: (stage) => shareOf(failedAttemptsOf(stage), attemptsOfAllSteps(stage)),
    ofRun: (result) => shareOf(ALL_ERRORS(result), ALL_ATTEMPTS(result)),
  },
  ...COUNTERS.map(({ name, ...rest }) => countMetric({ name, ...rest, ofStage: countOf(name) })),
  {
    name: 'bytes',
    meaning: 'Bytes of objects that successful operations moved',
    quantity: 'size',
    unit: 'bytes',
    ofStage: ({ bytes }) => bytes,
    ofRun: overAllStages(({ bytes }) => bytes),
  },
  {
    name: 'cpu',
    meaning: "CPU time of the client's process ÷ operations, on all cores",
    quantity: 'time',
    unit: 'ms',
    ofStage: cpuPerOperation,
    ofRun: null,
  },
  {
    name: 'duration',
    meaning: 'How long the stage took, warm-up and drain included',
    quantity: 'time',
    unit: 'ms',
    ofStage: ({ duration }) => duration,
    ofRun: null,
  },
  {
    name: 'capacity',
    meaning:
      'The rate that a search held, or a ramp of several hosts; of `--peak-of rate`, the highest rate that kept `--slo`',
    quantity: 'rate',
    unit: 'ops/s',
    ofStage: capacityOf('operationsPerSecond'),
    ofRun: null,
    onlyOf: 'search',
  },
  {
    name: 'capacity.low',
    meaning: 'The lower end of its interval',
    quantity: 'rate',
    unit: 'ops/s',
    ofStage: capacityOf('low'),
    ofRun: null,
    onlyOf: 'search',
  },
  {
    name: 'capacity.high',
    meaning: 'The upper end of its interval',
    quantity: 'rate',
    unit: 'ops/s',
    ofStage: capacityOf('high'),
    ofRun: null,
    onlyOf: 'search',
  },
  {
    name: 'knee',
    meaning: 'The fewest threads that did as much as any others',
    quantity: 'count',
    unit: 'threads',
    ofStage: ({ search, merge }) => search?.knee ?? merge?.ramp?.knee,
    ofRun: null,
    onlyOf: 'search',
  },
  {
    name: 'cleanup.left',
    meaning: 'Objects of the run that the store still has after clean-up, by its own count',
    quantity: 'count',
    unit: 'objects',
    ofStage: null,
    ofRun: leftByCleanup,
  },
]);

/** What has a figure that not every stage has. @type {Readonly<Record<Condition, string>>} */
export const CONDITIONS = Object.freeze({
  reads: 'only stages that read objects have it',
  'open loop': 'only an open loop has it (--rate)',
  parts: 'only a stage that writes objects in parts has it (--multipart)',
  search: 'only a search has it (--find-peak), and the sum of the hosts of a --ramp',
});

export const METRICS_OF_STAGE = METRICS.filter(({ ofStage }) => ofStage !== null);
export const METRICS_OF_RUN = METRICS.filter(({ ofRun }) => ofRun !== null);

/**
 * @param {string} name
 * @param {readonly Metric[]} [among] all of them, or those of a run or a stage
 * @returns {Metric | null}
 */
export function metricNamed(name, among = METRICS) {
  const found = among.find((metric) => metric.name === name || metric.otherNames?.includes(name));
  return found ?? (among === METRICS_OF_RUN ? null : percentileNamed(name));
}
