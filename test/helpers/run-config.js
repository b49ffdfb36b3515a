import { DEFAULT_AMOUNTS } from '../../lib/operations/amounts.js';
import { WHOLE } from '../../lib/workload/shard.js';

/**
 * @import { RunConfig } from '../../lib/model/run-config.js'
 * @import { TestEndpoint } from './local-s3.js'
 */

/**
 * What a small run is told.
 *
 * @param {Pick<TestEndpoint, 'hostname' | 'port' | 'region' | 'credentials' | 'tls' | 'buckets'>} target
 * @param {Partial<RunConfig>} [overrides]
 * @returns {RunConfig}
 */
export function runConfig({ hostname, port, region, credentials, tls, buckets }, overrides = {}) {
  return {
    objects: 20,
    threads: 4,
    stages: ['write', 'read', 'stat', 'remove'],
    client: 'direct',
    size: 1000,
    amounts: DEFAULT_AMOUNTS,
    prefix: 'benchmark',
    runId: 'run-1',
    timeout: 10_000,
    retries: 19,
    keep: false,
    keepAlive: true,
    preflight: true,
    cores: 1,
    shard: WHOLE,
    gap: 0,
    arrival: 'constant',
    warmup: 0,
    availableCores: 2,
    store: { buckets, hostname, port, useTls: tls !== null, region, credentials, isEmbedded: true },
    ...overrides,
  };
}

/** A target that is never asked. */
export const NO_TARGET = Object.freeze({
  hostname: 'store.test',
  port: 443,
  region: 'auto',
  credentials: { accessKeyId: 'the-access-key', secretAccessKey: 'the-secret-key', sessionToken: 'the-session-token' },
  tls: { key: '', cert: '' },
  buckets: ['one', 'two'],
});
