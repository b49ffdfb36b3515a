import { DEFAULT_AMOUNTS } from '../../lib/load/operations/registry.js';
import { WHOLE } from '../../lib/load/workload/keyspace.js';

/**
 * @import { Config } from '../../lib/result/config.js'
 * @import { TestEndpoint } from './local-s3.js'
 */

/**
 * @typedef {Partial<
 *   Omit<Config['objects'], 'count'> &
 *     Config['load'] &
 *     Config['schedule'] &
 *     Config['search'] &
 *     Config['output'] & { objects: number, findPeak: boolean, store: Config['store'] }
 * >} Overrides
 */

/**
 * @param {Pick<TestEndpoint, 'hostname' | 'port' | 'region' | 'credentials' | 'tls' | 'buckets'>} target
 * @param {Overrides} [overrides]
 * @returns {Config}
 */
export function runConfig({ hostname, port, region, credentials, tls, buckets }, overrides = {}) {
  const store = { buckets, hostname, port, useTls: tls !== null, region, credentials, isEmbedded: true };
  const { objects: count = 20, findPeak = false, ...others } = overrides;
  const of = (/** @type {readonly string[]} */ names) =>
    Object.fromEntries(Object.entries(others).filter(([name]) => names.includes(name)));
  return {
    store: others.store ?? store,
    objects: {
      count,
      runId: 'run-1',
      prefix: 'benchmark',
      size: 1000,
      shard: WHOLE,
      keep: false,
      ...of(['runId', 'prefix', 'size', 'sizes', 'shard', 'existing', 'keep', 'allowVersioned']),
    },
    load: {
      stages: ['write', 'read', 'stat', 'remove'],
      amounts: DEFAULT_AMOUNTS,
      client: 'direct',
      threads: 4,
      cores: 1,
      availableCores: 2,
      keepAlive: true,
      timeout: 10_000,
      retries: 19,
      arrival: 'constant',
      ...of(['stages', 'mix', 'access', 'amounts', 'multipart', 'client', 'threads', 'cores']),
      ...of(['availableCores', 'keepAlive', 'timeout', 'retries', 'rate', 'arrival']),
    },
    schedule: {
      preflight: true,
      warmup: 0,
      gap: 0,
      sharesSlots: false,
      warmupObjects: 0,
      minDuration: 0,
      ...of([
        'preflight',
        'startAt',
        'duration',
        'maxOperations',
        'warmup',
        'gap',
        'ramp',
        'warmupObjects',
        'minDuration',
        'sharesSlots',
        'maxCost',
      ]),
    },
    search: findPeak ? { peakOf: 'threads', ...of(['peakOf', 'target', 'slo']) } : null,
    output: { takesSnapshots: false, ...of(['takesSnapshots']) },
  };
}

/** Context for printed commands, of a store that needs no settings. */
export const LATER = Object.freeze({ options: {}, variables: {}, command: 'node r2-benchmark.js' });

/** A target that never gets a request. */
export const NO_TARGET = Object.freeze({
  hostname: 'store.test',
  port: 443,
  region: 'auto',
  credentials: { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-key', sessionToken: 'the-session-token' },
  tls: { key: '', cert: '' },
  buckets: ['one', 'two'],
});
