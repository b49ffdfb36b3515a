import { sumOf } from '../model/counters.js';
import { failedAttemptsOf } from '../model/failed-attempts.js';
import { Histogram } from '../model/histogram.js';

/**
 * @import { CountName, LatencySummary, StageLatency, ThresholdUnit } from '../model/result.js'
 * @import { WritableResult, WritableStage } from '../model/write-result.js'
 * @import { QuantityName } from './quantities.js'
 *
 * @typedef {(stage: WritableStage) => number | null | undefined} StageFigure in the metric's unit, if known
 * @typedef {(result: WritableResult) => number | null | undefined} RunFigure
 *
 * @typedef {object} Metric a figure of a result that can be asserted
 * @property {string} name
 * @property {string} meaning for the docs, a line of Markdown
 * @property {QuantityName} quantity
 * @property {ThresholdUnit} unit of its values
 * @property {StageFigure | null} fromStage null if only a whole run has it
 * @property {RunFigure | null} fromRun over all stages; null if that would be meaningless
 * @property {readonly string[]} [otherNames]
 * @property {Condition} [onlyOf] the only kind of stage that has it
 * @property {true} [isLatency] whether it comes from a histogram, which a log might lack
 *
 * @typedef {'reads' | 'open loop' | 'search' | 'parts'} Condition
 */

/** @type {readonly { name: string, field: keyof LatencySummary, meaning: string, otherNames?: readonly string[] }[]} */
const SUMMARIES = [
  { name: 'p50', field: 'p50', meaning: 'the median' },
  { name: 'p90', field: 'p90', meaning: 'the 90th percentile' },
  { name: 'p95', field: 'p95', meaning: 'the 95th percentile' },
  { name: 'p99', field: 'p99', meaning: 'the 99th percentile' },
  { name: 'p999', field: 'p999', meaning: 'the 99.9th percentile', otherNames: ['p99.9'] },
  { name: 'mean', field: 'mean', meaning: 'the mean' },
  { name: 'min', field: 'minimum', meaning: 'the minimum' },
  { name: 'max', field: 'maximum', meaning: 'the maximum' },
];

/**
 * @type {readonly { prefix: string, of: Exclude<keyof StageLatency, 'unit' | 'histogram'>, what: string, onlyOf?:
 *   Condition }[]}
 */
const LATENCIES = [
  { prefix: '', of: 'operations', what: 'Latency of operations' },
  { prefix: 'attempts.', of: 'attempts', what: 'Latency of attempts' },
  { prefix: 'firstByte.', of: 'firstByte', what: 'Time to first byte', onlyOf: 'reads' },
  { prefix: 'startDelay.', of: 'startDelay', what: 'Start delay of operations', onlyOf: 'open loop' },
  { prefix: 'parts.', of: 'parts', what: 'Latency of parts', onlyOf: 'parts' },
];

/** @type {readonly { name: CountName, unit: ThresholdUnit, meaning: string }[]} */
const COUNTERS = [
  { name: 'failed', unit: 'operations', meaning: 'Operations that failed after all retries' },
  { name: 'integrityErrors', unit: 'operations', meaning: 'Operations that returned wrong content' },
  { name: 'throttled', unit: 'attempts', meaning: 'Attempts that the store throttled' },
  { name: 'operations', unit: 'operations', meaning: 'Operations that succeeded, verification included' },
  { name: 'attempts', unit: 'attempts', meaning: 'All attempts, successful or not' },
  { name: 'retries', unit: 'attempts', meaning: 'Failed attempts that were retried' },
  { name: 'vanished', unit: 'operations', meaning: 'Operations on existing objects that were removed during the run' },
  { name: 'changed', unit: 'operations', meaning: 'Operations on existing objects that were replaced during the run' },
  { name: 'archived', unit: 'operations', meaning: 'Operations on existing objects that are archived' },
  { name: 'skipped', unit: 'operations', meaning: 'Operations skipped because Write had not written their object' },
  { name: 'abandoned', unit: 'operations', meaning: 'Operations cut off by the end of the stage' },
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
 * @param {StageFigure} fromStage
 * @returns {Metric}
 */
function latencyMetric({ prefix, what, onlyOf }, name, meaning, fromStage) {
  return {
    name: `${prefix}${name}`,
    meaning: `${what}: ${meaning}`,
    quantity: 'time',
    unit: 'ms',
    // Percentiles of some of the hosts prove nothing about all of them.
    fromStage: (stage) => (stage.merge?.missingLatency.length ? null : fromStage(stage)),
    fromRun: null,
    ...(onlyOf === undefined ? {} : { onlyOf }),
    isLatency: true,
  };
}

const PERCENTILE = /^(.*\.)?p([0-9]{1,2}(?:\.[0-9]{1,4})?)$/;

/**
 * @param {string} name such as `p97` or `firstByte.p99.5`
 * @returns {Metric | null} null if it is not a percentile
 */
function percentileNamed(name) {
  const [, prefix = '', percent] = PERCENTILE.exec(name) ?? [];
  const latencies = LATENCIES.find((each) => each.prefix === prefix);
  if (percent === undefined || latencies === undefined) {
    return null;
  }
  const fromStage = (/** @type {WritableStage} */ { latency }) => percentileOf(latency, latencies.of, Number(percent));
  return latencyMetric(latencies, `p${percent}`, `percentile ${percent}`, fromStage);
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
  // Percentiles are accurate only to 0.1%, so limit them to the minimum and maximum, which are exact.
  return Math.min(Math.max(Histogram.decode(encoded).at(percentile), summary.minimum), summary.maximum);
}

/**
 * @param {StageFigure} fromStage a count
 * @returns {RunFigure}
 */
function overAllStages(fromStage) {
  return ({ stages }) => (stages.length === 0 ? null : sumOf(stages.map(fromStage)));
}

/**
 * @param {Pick<Metric, 'name' | 'unit' | 'meaning'> & { fromStage: StageFigure }} counter
 * @returns {Metric}
 */
function countMetric({ name, unit, meaning, fromStage }) {
  return { name, meaning, quantity: 'count', unit, fromStage, fromRun: overAllStages(fromStage) };
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole
 */
function shareOf(part, whole) {
  return typeof part !== 'number' || typeof whole !== 'number' || whole === 0 ? null : part / whole;
}

/** @type {StageFigure} */
function cpuPerOperation({ clientLoad, operations }) {
  return clientLoad ? shareOf(clientLoad.cpuUser + clientLoad.cpuSystem, operations) : null;
}

/**
 * The highest rate sustained in a search, or in a ramp of several hosts.
 *
 * @param {'operationsPerSecond' | 'low' | 'high'} field
 * @returns {StageFigure}
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
 * 0 for a run without clean-up; null if the run kept its objects, or comes from a log, which does not show whether it
 * kept them.
 *
 * @type {RunFigure}
 */
function leftByCleanup({ cleanup, options, hosts }) {
  const isKnown = !options?.keep && !hosts.some(({ merge }) => typeof merge?.line === 'number');
  const left = cleanup?.left ?? (isKnown ? 0 : -1);
  return left < 0 || !isKnown ? null : left;
}

/** A search counts attempts of one step but failures of all steps, so it has no error share. @type {StageFigure} */
function attemptsOfAllSteps({ attempts, search }) {
  return search === undefined ? attempts : null;
}

const ALL_ATTEMPTS = overAllStages(attemptsOfAllSteps);
const ALL_ERRORS = overAllStages(failedAttemptsOf);

/** The figures that can be asserted. Help, docs and messages are derived from this list. @type {readonly Metric[]} */
export const METRICS = Object.freeze([
  {
    name: 'rate',
    meaning: 'Successful operations ÷ time, both without warm-up and drain',
    quantity: 'rate',
    unit: 'ops/s',
    fromStage: ({ average }) => average,
    fromRun: null,
  },
  {
    name: 'throughput',
    meaning: 'Object bytes moved by successful operations ÷ time, both without warm-up and drain',
    quantity: 'throughput',
    unit: 'bytes/s',
    fromStage: ({ averageBytes }) => averageBytes,
    fromRun: null,
  },
  {
    name: 'peak',
    meaning: 'Operations in the peak second, over all hosts',
    quantity: 'rate',
    unit: 'ops/s',
    fromStage: ({ peak }) => peak,
    fromRun: null,
  },
  ...latencyMetrics(),
  countMetric({
    name: 'errors',
    unit: 'attempts',
    meaning: 'Failed attempts, retried or not, except those cut off by the end of the stage',
    fromStage: failedAttemptsOf,
  }),
  {
    name: 'errorShare',
    meaning: 'Failed attempts ÷ all attempts',
    quantity: 'share',
    unit: 'share',
    fromStage: (stage) => shareOf(failedAttemptsOf(stage), attemptsOfAllSteps(stage)),
    fromRun: (result) => shareOf(ALL_ERRORS(result), ALL_ATTEMPTS(result)),
  },
  ...COUNTERS.map(({ name, ...rest }) => countMetric({ name, ...rest, fromStage: (stage) => stage[name] })),
  {
    name: 'bytes',
    meaning: 'Object bytes moved by successful operations',
    quantity: 'size',
    unit: 'bytes',
    fromStage: ({ bytes }) => bytes,
    fromRun: overAllStages(({ bytes }) => bytes),
  },
  {
    name: 'cpu',
    meaning: 'CPU time of the client process ÷ operations, over all cores',
    quantity: 'time',
    unit: 'ms',
    fromStage: cpuPerOperation,
    fromRun: null,
  },
  {
    name: 'duration',
    meaning: 'Duration of the stage, including warm-up and drain',
    quantity: 'time',
    unit: 'ms',
    fromStage: ({ duration }) => duration,
    fromRun: null,
  },
  {
    name: 'capacity',
    meaning:
      'The highest rate sustained in a search, or in a ramp of several hosts; with `--peak-of rate`, the highest rate within `--slo`',
    quantity: 'rate',
    unit: 'ops/s',
    fromStage: capacityOf('operationsPerSecond'),
    fromRun: null,
    onlyOf: 'search',
  },
  {
    name: 'capacity.low',
    meaning: 'The lower end of the capacity interval',
    quantity: 'rate',
    unit: 'ops/s',
    fromStage: capacityOf('low'),
    fromRun: null,
    onlyOf: 'search',
  },
  {
    name: 'capacity.high',
    meaning: 'The upper end of the capacity interval',
    quantity: 'rate',
    unit: 'ops/s',
    fromStage: capacityOf('high'),
    fromRun: null,
    onlyOf: 'search',
  },
  {
    name: 'knee',
    meaning: 'The fewest threads that reached the plateau',
    quantity: 'count',
    unit: 'threads',
    fromStage: ({ search, merge }) => search?.knee ?? merge?.ramp?.knee,
    fromRun: null,
    onlyOf: 'search',
  },
  {
    name: 'cleanup.left',
    meaning: "The run's objects left after clean-up, as counted by the store",
    quantity: 'count',
    unit: 'objects',
    fromStage: null,
    fromRun: leftByCleanup,
  },
]);

/** @type {Readonly<Record<Condition, string>>} */
export const CONDITIONS = Object.freeze({
  reads: 'only stages that read objects have it',
  'open loop': 'only an open loop has it (--rate)',
  parts: 'only a stage that writes objects in parts has it (--multipart)',
  search: 'only a search (--find-peak) and the merged hosts of a --ramp have it',
});

export const METRICS_OF_STAGE = METRICS.filter(({ fromStage }) => fromStage !== null);
export const METRICS_OF_RUN = METRICS.filter(({ fromRun }) => fromRun !== null);

/**
 * @param {string} name
 * @param {readonly Metric[]} [among]
 * @returns {Metric | null}
 */
export function metricNamed(name, among = METRICS) {
  const found = among.find((metric) => metric.name === name || metric.otherNames?.includes(name));
  return found ?? (among === METRICS_OF_RUN ? null : percentileNamed(name));
}
