/**
 * @import { RunConfig } from './run-config.js'
 * @import { ClockFacts } from '../clock/store-clock.js'
 */

/**
 * What identifies a run and says how it was made; nothing in it is secret.
 *
 * @typedef {object} RunFacts
 * @property {string} run the run id
 * @property {string} host the name of the host that ran it
 * @property {string} shard such as `0/1`
 * @property {string} start ISO time
 * @property {ClockFacts | null} clock of the store, by which all times of the run are given;
 *   null where it could not be measured, and the host's own clock is used
 * @property {Record<string, string>} versions of the tool and what it stands on
 * @property {RunOptions} options
 */

/**
 * @typedef {object} RunOptions
 * @property {number} objects
 * @property {number} threads
 * @property {number} size bytes of an object
 * @property {readonly string[]} stages
 * @property {'direct' | 'sdk'} client
 * @property {string} endpoint
 * @property {number} buckets how many
 * @property {string} prefix
 * @property {number} timeout ms of an attempt
 * @property {number} retries of an operation
 * @property {boolean} keepAlive
 * @property {number} cores
 * @property {number | null} duration ms of each stage, null where it is all objects that end it
 * @property {number} [gap] ms between the stages, where there is a duration
 * @property {number} [rate] ops/s of an open loop
 * @property {'constant' | 'poisson'} [arrival] of an open loop's operations
 * @property {number} [warmup] ms of each stage, where there is one
 * @property {true} [keep] where the objects were left
 * @property {true} [findPeak] where its stages are searches for the peak, and not one measurement each
 */

/**
 * @param {object} parts
 * @param {RunConfig} parts.config
 * @param {string} parts.host
 * @param {number} parts.startedAt epoch ms
 * @param {ClockFacts | null} parts.clock
 * @param {Record<string, string>} parts.versions
 * @returns {RunFacts}
 */
export function runFacts({ config, host, startedAt, clock, versions }) {
  const { objects, threads, size, stages, client, prefix, timeout, retries, keepAlive, cores, runId, store } = config;
  const { shard, duration = null } = config;
  const endpoint = `${store.useTls ? 'https' : 'http'}://${store.hostname}:${store.port}`;
  return {
    run: runId,
    host,
    shard: `${shard.index}/${shard.count}`,
    start: new Date(startedAt).toISOString(),
    clock,
    versions,
    options: {
      objects,
      threads,
      size,
      stages,
      client,
      endpoint,
      buckets: store.buckets.length,
      prefix,
      timeout,
      retries,
      keepAlive,
      cores,
      duration,
      ...furtherOptions(config),
    },
  };
}

/**
 * What most runs are not told stands only where they are: a machine line has room for so much.
 *
 * @param {RunConfig} config
 * @returns {Pick<RunOptions, 'gap' | 'rate' | 'arrival' | 'warmup' | 'keep' | 'findPeak'>}
 */
function furtherOptions({ duration, gap, rate, arrival, warmup, keep, findPeak }) {
  return {
    ...(duration === undefined ? {} : { gap }),
    ...(rate === undefined ? {} : { rate, arrival }),
    ...(warmup === 0 ? {} : { warmup }),
    ...(keep ? { keep } : {}),
    ...(findPeak ? { findPeak } : {}),
  };
}
