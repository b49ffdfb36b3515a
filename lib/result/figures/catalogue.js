import { failedAttemptsOf, sumOf } from '../counters.js';
import { Histogram } from '../histogram.js';

/**
 * @import { CountName, LatencySummary, StageLatency, ThresholdUnit } from '../result.js'
 * @import { WritableResult, WritableStage } from '../write-result.js'
 * @import { QuantityName } from './quantities.js'
 *
 * @typedef {(stage: WritableStage) => number | null | undefined} StageFigure in the figure's unit, if known
 * @typedef {(result: WritableResult) => number | null | undefined} RunFigure
 *
 * @typedef {object} Figure a figure of a result: everything that shows, asserts, exports or compares it takes it from
 *   here. It is also a column of a table, see table.js
 * @property {string} name in assertions, JUnit and JSON
 * @property {string} title
 * @property {string} [heading] where there is little room; the title by default
 * @property {string} meaning for the docs, a line of Markdown
 * @property {QuantityName} quantity
 * @property {ThresholdUnit} unit of its values
 * @property {StageFigure | null} value of a stage, or a part of one; null if only a whole run has it
 * @property {RunFigure | null} fromRun over all stages; null if that would be meaningless
 * @property {readonly Group[]} groups of tables that show it
 * @property {number} [rank] in a table of stages: the columns of the highest rank are dropped first if space is short
 * @property {number} [percentile]
 * @property {Condition} [onlyOf] the only kind of stage that has it
 * @property {true} [isLatency] whether it comes from a histogram, which a log might lack
 *
 * @typedef {'stages' | 'latency' | 'compare' | 'ab' | 'sweep' | 'live'} Group `stages` are the tables with a row per stage,
 *   `latency` those of percentiles
 *
 * @typedef {'reads' | 'open loop' | 'search' | 'parts' | 'edge'} Condition
 *
 * @typedef {Exclude<keyof StageLatency, 'unit' | 'histogram'>} LatencyKind
 */

/**
 * Figures of every latency.
 *
 * @type {readonly (Pick<Figure, 'percentile' | 'rank' | 'groups'> &
 *   { name?: string, title?: string, meaning?: string, field?: keyof LatencySummary })[]}
 */
const SUMMARIES = [
  { name: 'min', title: 'Shortest', field: 'minimum', meaning: 'the minimum', groups: ['latency'] },
  { name: 'mean', title: 'Mean', field: 'mean', meaning: 'the mean', groups: ['latency'] },
  { percentile: 50, rank: 1, groups: ['stages', 'latency', 'compare', 'ab', 'live'] },
  { percentile: 90, rank: 8, groups: ['stages', 'latency', 'compare'] },
  { percentile: 95, rank: 5, groups: ['stages', 'latency'] },
  { percentile: 99, groups: ['stages', 'latency', 'compare', 'ab', 'sweep', 'live'] },
  { percentile: 99.9, rank: 9, groups: ['stages', 'latency', 'compare'] },
  { name: 'max', title: 'Longest', field: 'maximum', meaning: 'the maximum', rank: 10, groups: ['stages', 'latency'] },
];

/**
 * `metric` is the name of its histogram while the stage runs, in OpenTelemetry.
 *
 * @type {readonly { of: LatencyKind, title: string, what: string, onlyOf?: Condition, metric?: string }[]}
 */
export const LATENCIES = [
  { of: 'operations', title: 'latency', what: 'Latency of operations', metric: 'r2_benchmark.operation.duration' },
  {
    of: 'startDelay',
    title: 'start delay',
    what: 'Start delay of operations',
    onlyOf: 'open loop',
    metric: 'r2_benchmark.start_delay',
  },
  {
    of: 'parts',
    title: 'part latency',
    what: 'Latency of parts',
    onlyOf: 'parts',
    metric: 'r2_benchmark.part.duration',
  },
  { of: 'attempts', title: 'attempt latency', what: 'Latency of attempts', metric: 'http.client.request.duration' },
  {
    of: 'firstByte',
    title: 'time to first byte',
    what: 'Time to first byte',
    onlyOf: 'reads',
    metric: 'r2_benchmark.time_to_first_byte',
  },
  { of: 'binding', title: 'binding latency', what: "Latency of the Worker's binding", onlyOf: 'edge' },
  {
    of: 'bindingFirstByte',
    title: 'binding time to first byte',
    what: "Time to first byte of the Worker's binding",
    onlyOf: 'edge',
  },
];

/** Before the name of a figure of this latency. @param {LatencyKind} of */
function prefixOf(of) {
  return of === 'operations' ? '' : `${of}.`;
}

/** @type {readonly { name: CountName, title?: string, unit: ThresholdUnit, meaning: string }[]} */
const COUNTERS = [
  { name: 'failed', unit: 'operations', meaning: 'Operations that failed after all retries' },
  { name: 'integrityErrors', unit: 'operations', meaning: 'Operations that returned wrong content' },
  { name: 'throttled', title: 'Throttled', unit: 'attempts', meaning: 'Attempts that the store throttled' },
  { name: 'attempts', unit: 'attempts', meaning: 'All attempts, successful or not' },
  { name: 'retries', unit: 'attempts', meaning: 'Failed attempts that were retried' },
  { name: 'vanished', unit: 'operations', meaning: 'Operations on existing objects that were removed during the run' },
  { name: 'changed', unit: 'operations', meaning: 'Operations on existing objects that were replaced during the run' },
  { name: 'archived', unit: 'operations', meaning: 'Operations on existing objects that are archived' },
  { name: 'skipped', unit: 'operations', meaning: 'Operations skipped because Write had not written their object' },
  { name: 'abandoned', unit: 'operations', meaning: 'Operations cut off by the end of the stage' },
];

/** @returns {Figure[]} */
function latencyFigures() {
  return LATENCIES.flatMap((latency) =>
    SUMMARIES.map((summary) => ({
      ...latencyFigure(latency, summary),
      groups: latency.of === 'operations' ? summary.groups : [],
    })),
  );
}

/**
 * @param {(typeof LATENCIES)[number]} latency
 * @param {Omit<(typeof SUMMARIES)[number], 'groups'>} summary
 * @returns {Figure}
 */
function latencyFigure({ of, what, onlyOf }, { percentile, rank, ...summary }) {
  const name = summary.name ?? `p${String(percentile).replace('.', '')}`;
  const { title = `p${percentile}`, meaning = `percentile ${percentile}` } = summary;
  const field = summary.field ?? /** @type {keyof LatencySummary} */ (name);
  return figure({
    name: `${prefixOf(of)}${name}`,
    title,
    heading: summary.name ?? title,
    meaning: `${what}: ${meaning}`,
    quantity: 'time',
    value: ({ latency }) => latency[of]?.[field] ?? percentileOf(latency, of, Number(percentile)),
    ...(onlyOf && { onlyOf }),
    percentile,
    rank,
    isLatency: true,
  });
}

const PERCENTILE = /^(.*\.)?p([0-9]{1,2}(?:\.[0-9]{1,4})?)$/;

/**
 * @param {string} name such as `p97` or `firstByte.p99.5`
 * @returns {Figure | null} null if it is not a percentile
 */
function percentileNamed(name) {
  const [, prefix = '', percent] = PERCENTILE.exec(name) ?? [];
  const latency = LATENCIES.find(({ of }) => prefixOf(of) === prefix);
  return percent === undefined || latency === undefined
    ? null
    : latencyFigure(latency, { name: `p${percent}`, percentile: Number(percent) });
}

/**
 * @param {StageLatency} latency
 * @param {LatencyKind} of
 * @param {number} percentile
 * @returns {number | null} ms; null without a histogram
 */
function percentileOf(latency, of, percentile) {
  const [summary, encoded] = [latency[of], latency.histogram[of]];
  return summary && encoded ? within(Histogram.decode(encoded).at(percentile), summary) : null;
}

/**
 * Limits a percentile, which is accurate only to 0.1%, to the minimum and maximum, which are exact.
 *
 * @param {number} value ms
 * @param {Pick<LatencySummary, 'minimum' | 'maximum'>} summary
 */
export function within(value, { minimum, maximum }) {
  return Math.min(Math.max(value, minimum), maximum);
}

/**
 * @param {StageFigure} value a count
 * @returns {RunFigure}
 */
function overAllStages(value) {
  return ({ stages }) => (stages.length === 0 ? null : sumOf(stages.map(value)));
}

/** @param {Pick<Figure, 'name' | 'meaning'> & Partial<Figure> & { value: StageFigure }} counter */
function countFigure(counter) {
  return figure({ fromRun: overAllStages(counter.value), ...counter });
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

/** @param {'operationsPerSecond' | 'low' | 'high'} field */
function capacityOf(field) {
  /** @type {StageFigure} */
  const value = ({ search, merge }) => {
    if (search?.rate !== undefined) {
      return field === 'operationsPerSecond' ? search.rate.operationsPerSecond : search.rate.interval?.[field];
    }
    return (search?.capacity ?? merge?.ramp?.capacity)?.[field];
  };
  return { quantity: /** @type {const} */ ('rate'), value, onlyOf: /** @type {const} */ ('search') };
}

/** Null for a part of a stage, whose failed attempts are not counted. @type {StageFigure} */
function failedAttemptsIn(stage) {
  return stage.errors === undefined ? null : failedAttemptsOf(stage);
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
const ALL_ERRORS = overAllStages(failedAttemptsIn);

/** @type {Readonly<Record<Exclude<QuantityName, 'count'>, ThresholdUnit>>} */
const UNITS = { rate: 'ops/s', throughput: 'bytes/s', time: 'ms', duration: 'ms', size: 'bytes', share: 'share' };

/**
 * @param {Pick<Figure, 'name' | 'meaning' | 'value'> & Partial<Figure>} figure
 * @returns {Figure}
 */
function figure({ quantity = 'count', ...row }) {
  const unit = quantity === 'count' ? 'operations' : UNITS[quantity];
  return { title: row.name, quantity, unit, fromRun: null, groups: [], ...row };
}

/**
 * All figures, in the order of the columns of a table. Tables, assertions, comparisons, help and docs are derived from
 * this list.
 *
 * @type {readonly Figure[]}
 */
export const FIGURES = Object.freeze([
  figure({
    name: 'rate',
    title: 'Rate',
    heading: 'Ops/s',
    meaning: 'Successful operations ÷ time, both without warm-up and drain',
    quantity: 'rate',
    value: ({ average }) => average,
    groups: ['stages', 'compare', 'ab', 'sweep'],
  }),
  figure({
    name: 'threads',
    title: 'Threads',
    meaning: 'Threads of the stage, over all hosts',
    unit: 'threads',
    value: ({ threads }) => threads,
    groups: ['stages'],
    rank: 3,
  }),
  figure({
    name: 'peak',
    title: 'Peak second',
    heading: 'Peak/s',
    meaning: 'Operations in the peak second, over all hosts',
    quantity: 'rate',
    value: ({ peak }) => peak,
    groups: ['stages'],
    rank: 6,
  }),
  figure({
    name: 'throughput',
    title: 'Throughput',
    heading: 'MiB/s',
    meaning: 'Object bytes moved by successful operations ÷ time, both without warm-up and drain',
    quantity: 'throughput',
    value: ({ averageBytes }) => averageBytes,
    groups: ['stages', 'sweep'],
    rank: 4,
  }),
  ...latencyFigures(),
  countFigure({
    name: 'operations',
    title: 'Operations',
    heading: 'Ops',
    meaning: 'Operations that succeeded, verification included',
    value: ({ operations }) => operations,
    groups: ['stages'],
    rank: 11,
  }),
  countFigure({
    name: 'errors',
    title: 'Failed attempts',
    heading: 'Errors',
    unit: 'attempts',
    meaning: 'Failed attempts, retried or not, except those cut off by the end of the stage',
    value: failedAttemptsIn,
    groups: ['stages'],
  }),
  figure({
    name: 'errorShare',
    title: 'Failed attempts',
    heading: 'errors',
    meaning: 'Failed attempts ÷ all attempts',
    quantity: 'share',
    value: (stage) => shareOf(failedAttemptsIn(stage), attemptsOfAllSteps(stage)),
    fromRun: (result) => shareOf(ALL_ERRORS(result), ALL_ATTEMPTS(result)),
    groups: ['compare'],
  }),
  ...COUNTERS.map(({ name, ...rest }) => countFigure({ name, ...rest, value: (stage) => stage[name] })),
  figure({
    name: 'bytes',
    meaning: 'Object bytes moved by successful operations',
    quantity: 'size',
    value: ({ bytes }) => bytes,
    fromRun: overAllStages(({ bytes }) => bytes),
  }),
  figure({
    name: 'cpu',
    title: 'CPU per operation',
    heading: 'CPU/op',
    meaning: 'CPU time of the client process ÷ operations, over all cores',
    quantity: 'time',
    value: cpuPerOperation,
    groups: ['compare', 'ab'],
  }),
  figure({
    name: 'duration',
    title: 'Time',
    meaning: 'Duration of the stage, including warm-up and drain',
    quantity: 'duration',
    value: ({ duration }) => duration,
    groups: ['stages'],
    rank: 12,
  }),
  figure({
    name: 'capacity',
    meaning:
      'The highest rate sustained in a search, or in a ramp of several hosts; with `--peak-of rate`, the highest rate within `--slo`',
    ...capacityOf('operationsPerSecond'),
  }),
  figure({ name: 'capacity.low', meaning: 'The lower end of the capacity interval', ...capacityOf('low') }),
  figure({ name: 'capacity.high', meaning: 'The upper end of the capacity interval', ...capacityOf('high') }),
  figure({
    name: 'knee',
    meaning: 'The fewest threads that reached the plateau',
    unit: 'threads',
    value: ({ search, merge }) => search?.knee ?? merge?.ramp?.knee,
    onlyOf: 'search',
  }),
  figure({
    name: 'cleanup.left',
    meaning: "The run's objects left after clean-up, as counted by the store",
    unit: 'objects',
    value: null,
    fromRun: leftByCleanup,
  }),
]);

/** @type {Readonly<Record<Condition, string>>} */
export const CONDITIONS = Object.freeze({
  reads: 'only stages that read objects have it',
  'open loop': 'only an open loop has it (--rate)',
  edge: 'only a run through a Worker has it (--client edge)',
  parts: 'only a stage that writes objects in parts has it (--multipart)',
  search: 'only a search (--find-peak) and the merged hosts of a --ramp have it',
});

export const FIGURES_OF_STAGE = FIGURES.filter(({ value }) => value !== null);
export const FIGURES_OF_RUN = FIGURES.filter(({ fromRun }) => fromRun !== null);

/** The figures that a group of tables shows, in order. @param {Group} group */
export function figuresOf(group) {
  return /** @type {(Figure & { value: StageFigure })[]} */ (FIGURES.filter(({ groups }) => groups.includes(group)));
}

/**
 * @param {string} name
 * @param {readonly Figure[]} [among]
 * @returns {Figure | null}
 */
export function figureNamed(name, among = FIGURES) {
  const found = among.find((each) => each.name === name);
  return found ?? (among === FIGURES_OF_RUN ? null : percentileNamed(name));
}

/**
 * A column for rows that are not stages.
 *
 * @template Row
 * @param {string} name of the figure
 * @param {(row: Row) => number | null | undefined} value
 */
export function columnOf(name, value) {
  const { title, heading, quantity } = /** @type {Figure} */ (figureNamed(name));
  return { title, ...(heading && { heading }), quantity, value };
}
