import { HostGauges } from './host-gauges.js';
import { BUCKETS, CACHE, CONNECTIONS, COUNTERS, ERRORS, GAUGES, INSTRUMENTS, LATENCIES } from './instruments.js';
import { StageTotals } from './stage-totals.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { CountName } from '../model/result.js'
 * @import { LatencyName, StageStart, StageSnapshot } from '../model/run-events.js'
 * @import { Attributes, Instrument, Metric, Point } from './metric.js'
 * @import { PlannedStage } from './telemetry.js'
 */

const MILLISECONDS = 1000;

/**
 * What is to be known of a run at any moment while it goes on. It listens to the run, and works out nothing until somebody asks.
 */
export class RunMetrics {
  #config;
  #common;
  #methods;
  #epochNow;
  #beganAt;
  #host;
  /** By their names. @type {Map<string, StageTotals>} */
  #stages = new Map();
  #threads = 0;
  #openConnections = 0;

  /**
   * @param {object} options
   * @param {Config} options.config
   * @param {string} options.host
   * @param {readonly PlannedStage[]} options.stages of the run: they are there from the beginning, so that what is counted rises
   *   from nothing
   * @param {ReadonlyMap<string, string>} options.methods of HTTP, by operation
   * @param {() => number} options.now monotonic ms
   * @param {() => number} options.epochNow epoch ms
   */
  constructor({ config, host, stages, methods, now, epochNow }) {
    this.#config = config;
    this.#common = { 'host.name': host, 'r2_benchmark.run.id': config.objects.runId };
    this.#methods = methods;
    this.#epochNow = epochNow;
    this.#beganAt = epochNow();
    this.#host = new HostGauges({ now, store: config.store });
    for (const { stage, operations } of stages) {
      this.#stages.set(stage, this.#newTotals(operations));
    }
  }

  /** @param {Pick<StageStart, 'stage' | 'threads'>} plan */
  stageStarts({ stage, threads }) {
    this.#threads = threads;
    this.#totalsOf(stage).isRunning = true;
  }

  /**
   * @param {string} stage
   * @param {StageSnapshot} snapshot
   */
  snapshot(stage, snapshot) {
    this.#totalsOf(stage).take(snapshot);
    this.#openConnections = snapshot.connections.open ?? this.#openConnections;
  }

  /** @param {{ stage: string }} result */
  stage({ stage }) {
    this.#totalsOf(stage).end();
  }

  runEnds() {
    this.#stages.forEach((totals) => totals.end());
    this.#threads = 0;
    this.#openConnections = 0;
  }

  close() {
    this.#host.close();
  }

  /** @returns {Metric[]} with one point at least */
  collect() {
    const points = new Map(INSTRUMENTS.map((instrument) => [instrument, /** @type {Point[]} */ ([])]));
    /** @type {Add} */
    const add = (instrument, attributes, value, startedAt = this.#beganAt) =>
      points.get(instrument)?.push({ attributes: { ...attributes, ...this.#common }, startedAt, value });
    for (const [stage, totals] of this.#stages) {
      this.#addStage(add, stage, totals);
    }
    this.#addClient(add);
    this.#addHost(add);
    return INSTRUMENTS.map((instrument) => ({ ...instrument, points: points.get(instrument) ?? [] })).filter(
      (metric) => metric.points.length > 0,
    );
  }

  /**
   * @param {Add} add
   * @param {string} stage
   * @param {StageTotals} totals
   */
  #addStage(add, stage, totals) {
    const { kinds, buckets, connections } = totals.sums;
    const ofStage = { 'r2_benchmark.stage': stage };
    for (const [operation, { counts, latencies, cache = {} }] of kinds) {
      const ofKind = { ...ofStage, 'r2_benchmark.operation': operation };
      for (const [name, instrument] of /** @type {[CountName, Instrument][]} */ (Object.entries(COUNTERS))) {
        add(instrument, ofKind, instrument.unit === 's' ? counts[name] / MILLISECONDS : counts[name]);
      }
      for (const [status, values] of Object.entries(cache)) {
        add(CACHE, { ...ofKind, 'r2_benchmark.cache.status': status }, values);
      }
      for (const [kind, count] of Object.entries(counts.errors)) {
        add(ERRORS, { ...ofKind, 'error.type': kind }, count);
      }
      for (const [name, instrument] of /** @type {[LatencyName, Instrument][]} */ (Object.entries(LATENCIES))) {
        const values = latencies[name];
        const isUsual = name === 'operations' || name === 'attempts';
        if (isUsual || values.count > 0) {
          add(instrument, { ...ofKind, ...(name === 'attempts' ? this.#requestAttributes(operation) : {}) }, values);
        }
      }
    }
    for (const [bucket, figures] of buckets) {
      const ofBucket = { ...ofStage, 'aws.s3.bucket': bucket };
      add(BUCKETS.operations, ofBucket, figures.operations);
      add(BUCKETS.failed, ofBucket, figures.failed);
      add(BUCKETS.failedAttempts, ofBucket, figures.failedAttempts);
      add(BUCKETS.throttled, ofBucket, figures.throttled);
      if (figures.latencies !== null && figures.latencies.count > 0) {
        add(BUCKETS.latencies, ofBucket, figures.latencies);
      }
    }
    add(CONNECTIONS.opened, ofStage, connections.opened);
    add(CONNECTIONS.reused, ofStage, connections.reused);
    add(GAUGES.isRunning, ofStage, Number(totals.isRunning));
  }

  /** @param {Add} add */
  #addClient(add) {
    const current = [...this.#stages.values()].map((totals) => totals.current).find((each) => each !== null) ?? null;
    const inFlight = current?.inFlight ?? 0;
    const server = this.#server();
    add(GAUGES.inFlight, server, inFlight);
    const idle = Math.max(this.#openConnections - inFlight, 0);
    add(GAUGES.open, { ...server, 'http.connection.state': 'active' }, inFlight);
    add(GAUGES.open, { ...server, 'http.connection.state': 'idle' }, idle);
    add(GAUGES.threads, {}, this.#threads);
    if (this.#config.load.rate !== undefined) {
      add(GAUGES.rate, {}, this.#config.load.rate);
    }
    current?.loops.forEach((busy, worker) => add(GAUGES.eventLoop, { 'r2_benchmark.worker': worker }, busy));
    const { user, system } = process.cpuUsage();
    const startedAt = this.#epochNow() - MILLISECONDS * process.uptime();
    add(GAUGES.processCpu, { 'cpu.mode': 'user' }, user / 1e6, startedAt);
    add(GAUGES.processCpu, { 'cpu.mode': 'system' }, system / 1e6, startedAt);
    add(GAUGES.memory, {}, process.memoryUsage.rss());
  }

  /** @param {Add} add */
  #addHost(add) {
    const load = this.#host.look();
    const ofModes = Object.entries({ busy: load?.cpu?.busy, iowait: load?.cpu?.iowait, steal: load?.cpu?.steal });
    for (const [mode, share] of ofModes) {
      addKnown(add, GAUGES.hostCpu, { 'cpu.mode': mode }, share);
    }
    addKnown(add, GAUGES.pressure, {}, load?.pressure);
    addKnown(add, GAUGES.network, { 'network.io.direction': 'receive' }, load?.network?.received);
    addKnown(add, GAUGES.network, { 'network.io.direction': 'transmit' }, load?.network?.sent);
  }

  /** @param {string} stage */
  #totalsOf(stage) {
    const totals = this.#stages.get(stage) ?? this.#newTotals([]);
    this.#stages.set(stage, totals);
    return totals;
  }

  /** @param {readonly string[]} operations */
  #newTotals(operations) {
    return new StageTotals({ operations, buckets: this.#config.store.buckets });
  }

  #server() {
    const { hostname, port } = this.#config.store;
    return { 'server.address': hostname, 'server.port': port };
  }

  /** @param {string} operation */
  #requestAttributes(operation) {
    return { 'http.request.method': this.#methods.get(operation) ?? '_OTHER', ...this.#server() };
  }
}

/**
 * @callback Add a point of a metric
 * @param {Instrument} instrument
 * @param {Attributes} attributes beside those that all have
 * @param {Point['value']} value
 * @param {number} [startedAt] epoch ms, where it is not the beginning of the run
 * @returns {unknown}
 */

/**
 * @param {Add} add
 * @param {Instrument} instrument
 * @param {Attributes} attributes
 * @param {number | null | undefined} value that may not be known
 */
function addKnown(add, instrument, attributes, value) {
  if (typeof value === 'number') {
    add(instrument, attributes, value);
  }
}
