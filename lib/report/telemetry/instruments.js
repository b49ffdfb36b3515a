import { LATENCIES as ALL_LATENCIES } from '../../result/figures/catalogue.js';
import { COUNT_NAMES } from '../../result/counters.js';
import { SCHEMA } from '../../result/schema.js';

/** @import { CountName } from '../../result/result.js' */

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
export const LATENCIES = Object.fromEntries(
  ALL_LATENCIES.flatMap(({ of, what, metric: name }) => (name === undefined ? [] : [[of, latency(name, `${what}.`)]])),
);

/** Only for clients that read through a cache. */
export const CACHE_LATENCY = latency(
  'r2_benchmark.cache.operation.duration',
  'Duration of operations through a cache, by cache status.',
);

export const ERRORS = metric('r2_benchmark.errors', 'counter', '{attempt}', 'Failed attempts, by kind of error.');

export const BUCKET_COUNTERS = {
  operations: metric('r2_benchmark.bucket.operations', 'counter', '{operation}', 'Successful operations, by bucket.'),
  failed: metric('r2_benchmark.bucket.failed', 'counter', '{operation}', 'Failed or wrong operations, by bucket.'),
  failedAttempts: metric('r2_benchmark.bucket.failed_attempts', 'counter', '{attempt}', 'Failed attempts, by bucket.'),
  throttled: metric('r2_benchmark.bucket.throttled', 'counter', '{attempt}', 'Throttled attempts, by bucket.'),
};

export const BUCKET_LATENCY = latency('r2_benchmark.bucket.operation.duration', 'Duration of operations, by bucket.');

export const CONNECTIONS = {
  opened: metric('r2_benchmark.connections.opened', 'counter', '{connection}', 'Connections opened for the stage.'),
  reused: metric('r2_benchmark.connections.reused', 'counter', '{request}', 'Requests over reused connections.'),
};

export const GAUGES = {
  inFlight: metric('http.client.active_requests', 'sum', '{request}', 'Requests in flight.'),
  open: metric('http.client.open_connections', 'sum', '{connection}', 'Open connections, by state: active or idle.'),
  threads: metric('r2_benchmark.threads', 'sum', '{request}', 'Maximum number of requests in flight.'),
  rate: metric('r2_benchmark.rate.requested', 'sum', '{operation}/s', 'Operations to start per second (open loop).'),
  isRunning: metric('r2_benchmark.stage.running', 'sum', '{stage}', '1 while the stage runs, 0 before and after.'),
  eventLoop: metric('nodejs.eventloop.utilization', 'gauge', '1', 'Share of time the event loop was busy, by worker.'),
  processCpu: metric('process.cpu.time', 'counter', 's', 'CPU time of the client since its start, by mode.'),
  memory: metric('process.memory.usage', 'sum', 'By', 'Resident memory of the client.'),
  hostCpu: metric('system.cpu.utilization', 'gauge', '1', "Share of the host's CPU time: busy, iowait, or steal."),
  pressure: metric('r2_benchmark.host.cpu.pressure', 'gauge', '1', 'Share of time some process waited for a CPU.'),
  network: metric('r2_benchmark.host.network.rate', 'gauge', 'By/s', 'Traffic on the network interface to the store.'),
};

/** In the order of export. @type {readonly Instrument[]} */
export const INSTRUMENTS = [
  ...[
    ...Object.values(COUNTERS),
    ERRORS,
    ...Object.values(LATENCIES),
    CACHE_LATENCY,
    ...Object.values(BUCKET_COUNTERS),
  ],
  ...[BUCKET_LATENCY, ...Object.values(CONNECTIONS), ...Object.values(GAUGES)],
];

/** @type {(name: string, type: Instrument['type'], unit: string, description: string) => Instrument} */
function metric(name, type, unit, description) {
  return { name, type, unit, description };
}

/** @type {(name: string, description: string) => Instrument} */
function latency(name, description) {
  return metric(name, 'histogram', 's', description);
}
