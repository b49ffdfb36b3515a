import { COUNT_NAMES } from '../model/counters.js';
import { SCHEMA } from '../model/schema.js';

/**
 * @import { CountName } from '../model/result.js'
 * @import { LatencyName } from '../model/run-events.js'
 * @import { Instrument, InstrumentType } from './metric.js'
 */

// All metrics. Those that the semantic conventions of OpenTelemetry know have the name that they have there
// (https://opentelemetry.io/docs/specs/semconv/); the others begin with `r2_benchmark.`.

/** What UCUM calls the units of result.schema.json. */
const UNITS = /** @type {Readonly<Record<string, string>>} */ (
  Object.freeze({ operations: '{operation}', attempts: '{attempt}', objects: '{object}', bytes: 'By', ms: 's' })
);

/** The counters of a stage as result.schema.json has them: one more there is one more here. */
export const COUNTERS = /** @type {Readonly<Record<CountName, Instrument>>} */ (
  Object.fromEntries(
    COUNT_NAMES.map((name) => {
      const { 'x-unit': unit, description } = SCHEMA.$defs.counters.properties[name];
      const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, instrument(`r2_benchmark.${words}`, 'counter', UNITS[unit], description)];
    }),
  )
);

/** @type {Readonly<Record<LatencyName, Instrument>>} */
export const LATENCIES = {
  operations: instrument(
    'r2_benchmark.operation.duration',
    'histogram',
    's',
    'Successful operations after the warm-up, from the first attempt to success, pauses included; in an open loop from the moment at which the operation was to start.',
  ),
  attempts: instrument(
    'http.client.request.duration',
    'histogram',
    's',
    'Attempts after the warm-up, each by itself, failed ones included.',
  ),
  firstByte: instrument(
    'r2_benchmark.time_to_first_byte',
    'histogram',
    's',
    "Reads after the warm-up: from an attempt's start to the first byte of its answer.",
  ),
  startDelay: instrument('r2_benchmark.start_delay', 'histogram', 's', 'In an open loop: how late operations started.'),
  parts: instrument(
    'r2_benchmark.part.duration',
    'histogram',
    's',
    'Of objects that are written in parts, after the warm-up: from the first attempt of a part to its success.',
  ),
};

/** Not known without a client that reads through a cache. */
export const CACHE = instrument(
  'r2_benchmark.cache.operation.duration',
  'histogram',
  's',
  'As r2_benchmark.operation.duration, by what the cache in front of the public URL said.',
);

export const ERRORS = instrument(
  'r2_benchmark.errors',
  'counter',
  '{attempt}',
  'Failed attempts by kind; those that the end of the stage cut off are abandoned.',
);

export const BUCKETS = {
  operations: instrument('r2_benchmark.bucket.operations', 'counter', '{operation}', 'Operations that succeeded.'),
  failed: instrument(
    'r2_benchmark.bucket.failed',
    'counter',
    '{operation}',
    'Operations that did not, those with wrong content included.',
  ),
  failedAttempts: instrument(
    'r2_benchmark.bucket.failed_attempts',
    'counter',
    '{attempt}',
    'Failed attempts, without those that the end of the stage cut off.',
  ),
  throttled: instrument(
    'r2_benchmark.bucket.throttled',
    'counter',
    '{attempt}',
    'Attempts by whose answer the store asked for fewer requests.',
  ),
  latencies: instrument(
    'r2_benchmark.bucket.operation.duration',
    'histogram',
    's',
    'As r2_benchmark.operation.duration, by bucket; known at the end of a stage, or of each of its steps.',
  ),
};

export const CONNECTIONS = {
  opened: instrument(
    'r2_benchmark.connections.opened',
    'counter',
    '{connection}',
    'Connections opened since the stage before.',
  ),
  reused: instrument(
    'r2_benchmark.connections.reused',
    'counter',
    '{request}',
    'Requests that went over a connection that had carried one before.',
  ),
};

export const GAUGES = {
  inFlight: instrument('http.client.active_requests', 'sum', '{request}', 'Requests that are under way.'),
  open: instrument('http.client.open_connections', 'sum', '{connection}', 'Connections that are open, by state.'),
  threads: instrument('r2_benchmark.threads', 'sum', '{request}', 'Requests that may be under way at a time.'),
  rate: instrument(
    'r2_benchmark.rate.requested',
    'sum',
    '{operation}/s',
    'Operations a second that an open loop was asked for.',
  ),
  isRunning: instrument('r2_benchmark.stage.running', 'sum', '{stage}', '1 while the stage is under way, 0 otherwise.'),
  eventLoop: instrument(
    'nodejs.eventloop.utilization',
    'gauge',
    '1',
    'Share of the last second in which an event loop of the client was busy, by worker.',
  ),
  processCpu: instrument('process.cpu.time', 'counter', 's', 'CPU time of the client since its start, by mode.'),
  memory: instrument('process.memory.usage', 'sum', 'By', 'Memory of the client that is resident.'),
  hostCpu: instrument(
    'system.cpu.utilization',
    'gauge',
    '1',
    'Share of the time of all CPUs of the host, by mode: busy, waiting for a disk, or given to others by the hypervisor.',
  ),
  pressure: instrument(
    'r2_benchmark.host.cpu.pressure',
    'gauge',
    '1',
    'Share of the time in which something on the host had to wait for a CPU.',
  ),
  network: instrument(
    'r2_benchmark.host.network.rate',
    'gauge',
    'By/s',
    'Traffic of the interface that leads to the store, whoever caused it, by direction.',
  ),
};

/** All of them, in the order in which they are shown. @type {readonly Instrument[]} */
export const INSTRUMENTS = Object.freeze([
  ...Object.values(COUNTERS),
  ERRORS,
  ...Object.values(LATENCIES),
  CACHE,
  ...Object.values(BUCKETS),
  ...Object.values(CONNECTIONS),
  ...Object.values(GAUGES),
]);

/**
 * @param {string} name
 * @param {InstrumentType} type
 * @param {string} unit
 * @param {string} description
 * @returns {Instrument}
 */
function instrument(name, type, unit, description) {
  const isWhole = unit === 'By' || unit.endsWith('}');
  return Object.freeze({ name, type, unit, description, isWhole });
}
