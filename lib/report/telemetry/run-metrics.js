import { ValueType } from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, MeterProvider } from '@opentelemetry/sdk-metrics';
import { COUNT_NAMES, sumOf } from '../../result/counters.js';
import { LATENCIES } from '../../result/figures/catalogue.js';
import { Histogram as Decoded, UNKNOWN_LATENCY } from '../../result/histogram.js';
import { sumOfSnapshots } from '../../result/records.js';
import { SCHEMA } from '../../result/schema.js';

/**
 * @import { Attributes, HrTime } from '@opentelemetry/api'
 * @import { Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics'
 * @import { Config } from '../../result/config.js'
 * @import { LatencyKind } from '../../result/figures/catalogue.js'
 * @import { KindRecord, LatencyRecord, StageSnapshot } from '../../result/records.js'
 * @import { CountName } from '../../result/result.js'
 * @import { StageStart } from '../../result/run-events.js'
 * @import { OtlpExporter } from './otlp-exporter.js'
 * @import { ScrapeServer } from './scrape-server.js'
 */

/** Latencies that every operation has. */
const ALWAYS = new Set(['operations', 'attempts']);

const { SUM, GAUGE, HISTOGRAM } = DataPointType;
const TYPES = { counter: SUM, sum: SUM, gauge: GAUGE, histogram: HISTOGRAM };

/**
 * @typedef {object} WatchedRun
 * @property {Config} config
 * @property {string} host
 * @property {readonly PlannedStage[]} stages whose metrics exist from the start, so that they rise from zero
 * @property {() => number} epochNow epoch ms
 * @typedef {{ stage: string, kinds: readonly PlannedKind[] }} PlannedStage
 * @typedef {{ operation: string, method: string }} PlannedKind
 * @typedef {(name: string, unit: string) => { name: string, unit: string }} Naming maps to the exported name and unit
 * @typedef {(instrument: Instrument, attributes: Attributes, value?: number | LatencyRecord | null,
 *   since?: HrTime) => void} Add adds a point unless its value is unknown, by default since the start of the run
 */

/** The current metrics of a run. Observes the run, and computes nothing until metrics are requested. */
export class RunMetrics {
  #config;
  #common;
  #server;
  #epochNow;
  #startTime;
  /** @type {Map<string, { kinds: readonly PlannedKind[], totals: StageTotals }>} */
  #stages;
  #threads = 0;
  #openConnections = 0;

  /** @param {WatchedRun} run */
  constructor({ config, host, stages, epochNow }) {
    this.#config = config;
    this.#common = { 'host.name': host, 'r2_benchmark.run.id': config.objects.runId };
    this.#server = { 'server.address': config.store.hostname, 'server.port': config.store.port };
    this.#epochNow = epochNow;
    this.#startTime = hrTimeOf(epochNow());
    this.#stages = new Map(stages.map(({ stage, kinds }) => [stage, { kinds, totals: new StageTotals() }]));
  }

  /** @param {Pick<StageStart, 'stage' | 'threads'>} plan */
  stageStarts({ stage, threads }) {
    this.#threads = threads;
    this.#totalsOf(stage).isRunning = true;
  }

  /** @type {(stage: string, ofWorkers: readonly StageSnapshot[]) => void} */
  snapshot(stage, ofWorkers) {
    this.#totalsOf(stage).take(ofWorkers);
    if (!ofWorkers[0].isFinal) {
      this.#openConnections = sumOf(ofWorkers.map(({ connections }) => connections.open)) ?? 0;
    }
  }

  /** @param {{ stage: string }} result */
  stage({ stage }) {
    this.#totalsOf(stage).end();
  }

  runEnds() {
    this.#stages.forEach(({ totals }) => totals.end());
    this.#threads = 0;
    this.#openConnections = 0;
  }

  /** Metrics with at least one point. @type {(named: Naming) => MetricData[]} */
  collect(named) {
    const endTime = hrTimeOf(this.#epochNow());
    const metrics = new Map(INSTRUMENTS.map((instrument) => [instrument, metricOf(instrument, named)]));
    /** @type {Add} */
    const add = (instrument, attributes, given = null, startTime = this.#startTime) => {
      if (given !== null) {
        const value = /** @type {any} */ (typeof given === 'number' ? given : histogramOf(given));
        const point = { attributes: { ...attributes, ...this.#common }, startTime, endTime, value };
        metrics.get(instrument)?.dataPoints.push(point);
      }
    };
    this.#stages.forEach(({ kinds, totals }, stage) => this.#addStage(add, stage, kinds, totals));
    this.#addMachine(add);
    return [...metrics.values()].filter(({ dataPoints }) => dataPoints.length > 0);
  }

  /** @type {(add: Add, stage: string, planned: readonly PlannedKind[], totals: StageTotals) => void} */
  #addStage(add, stage, planned, { sum, isRunning }) {
    const ofStage = { 'r2_benchmark.stage': stage };
    for (const { operation, latency, cache, ...counts } of sum?.kinds ?? planned.map(emptySumOf)) {
      const ofKind = { ...ofStage, 'r2_benchmark.operation': operation };
      const { method = '_OTHER' } = planned.find((kind) => kind.operation === operation) ?? {};
      for (const [name, instrument] of entriesOf(COUNTERS)) {
        const count = counts[name] ?? 0;
        add(instrument, ofKind, instrument.unit === 's' ? count / 1000 : count);
      }
      entriesOf(counts.errors).forEach(([error, count]) =>
        add(OTHERS.errors, { ...ofKind, 'error.type': error }, count),
      );
      const ofRequest = { ...ofKind, 'http.request.method': method, ...this.#server };
      for (const [key, instrument] of entriesOf(LATENCY_METRICS)) {
        const name = /** @type {LatencyKind} */ (key);
        const latencies = { latency: latency[name] ?? null, histogram: latency.histogram[name] ?? null };
        if (latencies.latency !== null || ALWAYS.has(name)) {
          add(instrument, name === 'attempts' ? ofRequest : ofKind, latencies);
        }
      }
      for (const { status, ...part } of cache) {
        add(OTHERS.cacheLatency, { ...ofKind, 'r2_benchmark.cache.status': status }, part);
      }
    }
    for (const bucket of this.#config.store.buckets) {
      const ofBucket = { ...ofStage, 'aws.s3.bucket': bucket };
      const counts = sum?.buckets.find((each) => each.bucket === bucket);
      entriesOf(BUCKET_COUNTERS).forEach(([name, instrument]) => add(instrument, ofBucket, counts?.[name] ?? 0));
      add(OTHERS.bucketLatency, ofBucket, counts?.latency ? counts : null);
    }
    entriesOf(CONNECTIONS).forEach(([name, instrument]) => add(instrument, ofStage, sum?.connections[name] ?? 0));
    add(GAUGES.isRunning, ofStage, Number(isRunning));
  }

  /** @param {Add} add */
  #addMachine(add) {
    const current = [...this.#stages.values()].map(({ totals }) => totals.current).find((each) => each !== null);
    const active = current?.inFlight ?? 0;
    const idle = Math.max(this.#openConnections - active, 0);
    add(GAUGES.inFlight, this.#server, active);
    add(GAUGES.open, { ...this.#server, 'http.connection.state': 'active' }, active);
    add(GAUGES.open, { ...this.#server, 'http.connection.state': 'idle' }, idle);
    add(GAUGES.threads, {}, this.#threads);
    add(GAUGES.rate, {}, this.#config.load.rate);
    current?.loops.forEach((busy, worker) => add(GAUGES.eventLoop, { 'r2_benchmark.worker': worker }, busy));
    const launched = hrTimeOf(this.#epochNow() - 1000 * process.uptime());
    for (const [mode, microseconds] of entriesOf(process.cpuUsage())) {
      add(GAUGES.processCpu, { 'cpu.mode': mode }, microseconds / 1e6, launched);
    }
    add(GAUGES.memory, {}, process.memoryUsage.rss());
  }

  /** @param {string} stage */
  #totalsOf(stage) {
    const { kinds, totals } = this.#stages.get(stage) ?? { kinds: [], totals: new StageTotals() };
    this.#stages.set(stage, { kinds, totals });
    return totals;
  }
}

/** @type {(instrument: Instrument, named: Naming) => MetricData} */
function metricOf({ name, type, unit, description }, named) {
  const valueType = /^By$|\}$/.test(unit) ? ValueType.INT : ValueType.DOUBLE;
  return /** @type {MetricData} */ ({
    descriptor: { ...named(name, unit), description, valueType },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: TYPES[type],
    isMonotonic: type === 'counter',
    dataPoints: [],
  });
}

/** @type {(kind: PlannedKind) => KindRecord} */
function emptySumOf({ operation }) {
  return /** @type {any} */ ({ operation, errors: {}, latency: UNKNOWN_LATENCY, cache: [] });
}

/** @type {<Name extends string, Value>(record: Readonly<Record<Name, Value>>) => [Name, Value][]} */
function entriesOf(record) {
  return /** @type {any} */ (Object.entries(record));
}

/** @type {(epochMs: number) => HrTime} */
function hrTimeOf(epochMs) {
  const seconds = Math.floor(epochMs / 1000);
  return [seconds, Math.floor((epochMs - 1000 * seconds) * 1e6)];
}

/** The counts of a stage over all of its steps. They never decrease, and finally equal the counts in the result. */
export class StageTotals {
  /** Sum of the finished steps. @type {StageSnapshot | null} */
  #over = null;
  /** Latest snapshots of the workers in the step in progress. @type {readonly StageSnapshot[]} */
  #ofWorkers = [];
  isRunning = false;

  /** @param {readonly StageSnapshot[]} ofWorkers at least one */
  take(ofWorkers) {
    this.#ofWorkers = ofWorkers;
    if (ofWorkers[0].isFinal) {
      this.#endStep();
    }
  }

  /** The step in progress; null if there is none. */
  get current() {
    return this.#ofWorkers.length === 0 ? null : sumOfSnapshots(this.#ofWorkers);
  }

  /** Ends the stage. If the last step has no final snapshot, its latest one counts. */
  end() {
    this.isRunning = false;
    this.#endStep();
  }

  /** Null before the first snapshot. */
  get sum() {
    const parts = [...(this.#over === null ? [] : [this.#over]), ...this.#ofWorkers];
    return parts.length === 0 ? null : sumOfSnapshots(parts);
  }

  #endStep() {
    this.#over = this.sum;
    this.#ofWorkers = [];
  }
}

/** µs, from 100 µs to 80 s in Renard steps (R10): each bound is about 1.26 times the previous one. */
const BOUNDS_US = [1, 10, 100, 1000, 10_000, 100_000].flatMap((power) =>
  [100, 125, 160, 200, 250, 315, 400, 500, 630, 800].map((step) => power * step),
);

/** Upper bounds of the buckets in seconds, in ascending order. One more bucket holds larger values. */
export const BOUNDS = BOUNDS_US.map((bound) => bound / 1e6);

/**
 * In seconds. Values are up to 0.1% too large: one just below a bound may count above it.
 *
 * @type {(record: LatencyRecord) => Histogram}
 */
export function histogramOf({ latency, histogram }) {
  const { values, counts } = histogram === null ? { values: [], counts: [] } : Decoded.decode(histogram).valueCounts();
  const ofBuckets = Array.from({ length: BOUNDS_US.length + 1 }, () => 0);
  values.forEach((value, index) => {
    const bucket = BOUNDS_US.findIndex((bound) => value <= bound);
    ofBuckets[bucket === -1 ? BOUNDS_US.length : bucket] += counts[index];
  });
  const buckets = { boundaries: BOUNDS, counts: ofBuckets };
  if (latency === null) {
    return { buckets, count: 0, sum: 0 };
  }
  const { count, mean, minimum, maximum } = latency;
  return { buckets, count, sum: (mean * count) / 1000, min: minimum / 1000, max: maximum / 1000 };
}

/** Suffixes of Prometheus names, by unit. @type {Readonly<Record<string, string>>} */
const UNIT_WORDS = { s: 'seconds', By: 'bytes', 1: 'ratio', '{operation}/s': 'per_second' };

/**
 * Exports the metrics of a run: at intervals to a collector, and to Prometheus on each scrape.
 *
 * @param {{ otlp: OtlpExporter | null, server: ScrapeServer | null }} outlets
 * @param {WatchedRun} run
 * @param {Attributes} attributes of the program and the run
 * @returns {RunMetrics} which the caller must subscribe to the run
 */
export function exportMetrics({ otlp, server }, run, attributes) {
  const metrics = new RunMetrics(run);
  const described = defaultResource().merge(resourceFromAttributes(attributes));
  const resource = described.merge(detectResources({ detectors: [envDetector] }));
  /** @type {(named: Naming) => MetricProducer} */
  const producer = (named) => ({
    collect: async () => {
      const scopeMetrics = [{ scope: { name: 'r2-benchmark' }, metrics: metrics.collect(named) }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  });
  const pushing = otlp?.reader(producer((name, unit) => ({ name, unit })));
  const pulled = server?.reader(producer(namedForPrometheus));
  new MeterProvider({ resource, readers: [pushing, pulled].filter((reader) => reader !== undefined) });
  return metrics;
}

/**
 * Adds the unit to the name, as a collector would but the exporter does not, so that the same queries work with both.
 *
 * @type {Naming}
 */
export function namedForPrometheus(name, unit) {
  const word = UNIT_WORDS[unit] ?? '';
  return { name: name.endsWith(word) ? name : `${name}_${word}`, unit: word };
}

// All metrics. Names are those of OpenTelemetry's semantic conventions if they define the metric
// (https://opentelemetry.io/docs/specs/semconv/); other names begin with `r2_benchmark.`.

/**
 * @typedef {object} Instrument
 * @property {string} name
 * @property {'counter' | 'sum' | 'gauge' | 'histogram'} type counters never decrease; sums add up over hosts
 * @property {string} unit in UCUM; braces enclose what is counted
 * @property {string} description one self-contained line
 */

/** UCUM units, by unit in result.schema.json. @type {Readonly<Record<string, string>>} */
const UNITS = { operations: '{operation}', attempts: '{attempt}', objects: '{object}', bytes: 'By', ms: 's' };

/** One metric per counter of a stage in result.schema.json. */
export const COUNTERS = /** @type {Readonly<Record<CountName, Instrument>>} */ (
  Object.fromEntries(
    COUNT_NAMES.map((name) => {
      const { 'x-unit': unit, description } = SCHEMA.$defs.counters.properties[name];
      const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, metric(`r2_benchmark.${words}`, 'counter', UNITS[unit], description)];
    }),
  )
);

/** The latencies of operations that a running stage counts. */
export const LATENCY_METRICS = Object.fromEntries(
  LATENCIES.flatMap(({ of, what, metric: name }) =>
    name === undefined ? [] : [[of, latencyMetric(name, `${what}.`)]],
  ),
);

const OTHERS = {
  errors: metric('r2_benchmark.errors', 'counter', '{attempt}', 'Failed attempts, by kind of error.'),
  // Only for clients that read through a cache.
  cacheLatency: latencyMetric(
    'r2_benchmark.cache.operation.duration',
    'Duration of operations through a cache, by cache status.',
  ),
  bucketLatency: latencyMetric('r2_benchmark.bucket.operation.duration', 'Duration of operations, by bucket.'),
};

const BUCKET_COUNTERS = {
  operations: metric('r2_benchmark.bucket.operations', 'counter', '{operation}', 'Successful operations, by bucket.'),
  failed: metric('r2_benchmark.bucket.failed', 'counter', '{operation}', 'Failed or wrong operations, by bucket.'),
  failedAttempts: metric('r2_benchmark.bucket.failed_attempts', 'counter', '{attempt}', 'Failed attempts, by bucket.'),
  throttled: metric('r2_benchmark.bucket.throttled', 'counter', '{attempt}', 'Throttled attempts, by bucket.'),
};

const CONNECTIONS = {
  opened: metric('r2_benchmark.connections.opened', 'counter', '{connection}', 'Connections opened for the stage.'),
  reused: metric('r2_benchmark.connections.reused', 'counter', '{request}', 'Requests over reused connections.'),
};

const GAUGES = {
  inFlight: metric('http.client.active_requests', 'sum', '{request}', 'Requests in flight.'),
  open: metric('http.client.open_connections', 'sum', '{connection}', 'Open connections, by state: active or idle.'),
  threads: metric('r2_benchmark.threads', 'sum', '{request}', 'Maximum number of requests in flight.'),
  rate: metric('r2_benchmark.rate.requested', 'sum', '{operation}/s', 'Operations to start per second (open loop).'),
  isRunning: metric('r2_benchmark.stage.running', 'sum', '{stage}', '1 while the stage runs, 0 before and after.'),
  eventLoop: metric('nodejs.eventloop.utilization', 'gauge', '1', 'Share of time the event loop was busy, by worker.'),
  processCpu: metric('process.cpu.time', 'counter', 's', 'CPU time of the client since its start, by mode.'),
  memory: metric('process.memory.usage', 'sum', 'By', 'Resident memory of the client.'),
};

/** In the order of export. @type {readonly Instrument[]} */
export const INSTRUMENTS = [COUNTERS, LATENCY_METRICS, OTHERS, BUCKET_COUNTERS, CONNECTIONS, GAUGES].flatMap((group) =>
  Object.values(group),
);

/** @type {(name: string, type: Instrument['type'], unit: string, description: string) => Instrument} */
function metric(name, type, unit, description) {
  return { name, type, unit, description };
}

/** @type {(name: string, description: string) => Instrument} */
function latencyMetric(name, description) {
  return metric(name, 'histogram', 's', description);
}
