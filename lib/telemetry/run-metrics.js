import { ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import { sumOf } from '../model/counters.js';
import { UNKNOWN_LATENCY } from '../model/histogram.js';
import { histogramOf } from './histogram-buckets.js';
import { HostGauges } from './host-gauges.js';
import { BUCKET_COUNTERS, BUCKET_LATENCY, CACHE_LATENCY, CONNECTIONS, COUNTERS, ERRORS } from './instruments.js';
import { GAUGES, INSTRUMENTS, LATENCIES, canOccur } from './instruments.js';
import { StageTotals } from './stage-totals.js';

/**
 * @import { Attributes, HrTime } from '@opentelemetry/api'
 * @import { MetricData } from '@opentelemetry/sdk-metrics'
 * @import { Config } from '../model/config.js'
 * @import { KindRecord, LatencyRecord, StageSnapshot } from '../model/records.js'
 * @import { StageStart } from '../model/run-events.js'
 * @import { Instrument, Trait } from './instruments.js'
 */

const { SUM, GAUGE, HISTOGRAM } = DataPointType;
const TYPES = { counter: SUM, sum: SUM, gauge: GAUGE, histogram: HISTOGRAM };

/**
 * @typedef {object} WatchedRun
 * @property {Config} config
 * @property {string} host
 * @property {readonly PlannedStage[]} stages whose metrics exist from the start, so that they rise from zero
 * @property {() => number} now monotonic ms
 * @property {() => number} epochNow epoch ms
 * @typedef {{ stage: string, kinds: readonly PlannedKind[] }} PlannedStage
 * @typedef {{ operation: string, method: string, traits: ReadonlySet<Trait> }} PlannedKind
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
  #host;
  /** @type {Map<string, { kinds: readonly PlannedKind[], totals: StageTotals }>} */
  #stages;
  #threads = 0;
  #openConnections = 0;

  /** @param {WatchedRun} run */
  constructor({ config, host, stages, now, epochNow }) {
    this.#config = config;
    this.#common = { 'host.name': host, 'r2_benchmark.run.id': config.objects.runId };
    this.#server = { 'server.address': config.store.hostname, 'server.port': config.store.port };
    this.#epochNow = epochNow;
    this.#startTime = hrTimeOf(epochNow());
    this.#host = new HostGauges(now, config.store);
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

  close() {
    this.#host.close();
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
      const { method = '_OTHER', traits = new Set() } = planned.find((kind) => kind.operation === operation) ?? {};
      for (const [name, instrument] of entriesOf(COUNTERS)) {
        const count = counts[name] ?? 0;
        if (count > 0 || canOccur(name, traits)) {
          add(instrument, ofKind, instrument.unit === 's' ? count / 1000 : count);
        }
      }
      entriesOf(counts.errors).forEach(([error, count]) => add(ERRORS, { ...ofKind, 'error.type': error }, count));
      const ofRequest = { ...ofKind, 'http.request.method': method, ...this.#server };
      for (const [name, instrument] of entriesOf(LATENCIES)) {
        const latencies = { latency: latency[name] ?? null, histogram: latency.histogram[name] ?? null };
        if (latencies.latency !== null || canOccur(name, traits)) {
          add(instrument, name === 'attempts' ? ofRequest : ofKind, latencies);
        }
      }
      for (const { status, ...part } of cache) {
        add(CACHE_LATENCY, { ...ofKind, 'r2_benchmark.cache.status': status }, part);
      }
    }
    for (const bucket of this.#config.store.buckets) {
      const ofBucket = { ...ofStage, 'aws.s3.bucket': bucket };
      const counts = sum?.buckets.find((each) => each.bucket === bucket);
      entriesOf(BUCKET_COUNTERS).forEach(([name, instrument]) => add(instrument, ofBucket, counts?.[name] ?? 0));
      add(BUCKET_LATENCY, ofBucket, counts?.latency ? counts : null);
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
    const { cpu, pressure, network } = this.#host.look() ?? {};
    add(GAUGES.hostCpu, { 'cpu.mode': 'busy' }, cpu?.busy);
    add(GAUGES.hostCpu, { 'cpu.mode': 'iowait' }, cpu?.iowait);
    add(GAUGES.hostCpu, { 'cpu.mode': 'steal' }, cpu?.steal);
    add(GAUGES.pressure, {}, pressure);
    add(GAUGES.network, { 'network.io.direction': 'receive' }, network?.received);
    add(GAUGES.network, { 'network.io.direction': 'transmit' }, network?.sent);
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
