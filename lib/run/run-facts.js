/**
 * What identifies a run and says how it was made; nothing in it is secret.
 *
 * @typedef {object} RunFacts
 * @property {string} run the run id
 * @property {string} host the name of the host that ran it
 * @property {string} start ISO time
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
 */

/**
 * @param {object} parts
 * @param {import('./run-config.js').RunConfig} parts.config
 * @param {string} parts.host
 * @param {number} parts.startedAt epoch ms
 * @param {Record<string, string>} parts.versions
 * @returns {RunFacts}
 */
export function runFacts({ config, host, startedAt, versions }) {
  const { objects, threads, size, stages, client, prefix, timeout, retries, keepAlive, cores, runId, store } = config;
  const endpoint = `${store.useTls ? 'https' : 'http'}://${store.hostname}:${store.port}`;
  return {
    run: runId,
    host,
    start: new Date(startedAt).toISOString(),
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
    },
  };
}
