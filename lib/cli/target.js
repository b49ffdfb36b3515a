import { readStoreConfig } from './environment.js';
import { startLocalEndpoint } from './local-endpoint.js';

/**
 * @import { Invocation } from './invocation.js'
 * @import { CommandLine } from './options.js'
 * @import { StoreConfig } from '../s3/store-config.js'
 */

/**
 * The store that a run goes to.
 *
 * @typedef {object} Target
 * @property {StoreConfig} store
 * @property {string[]} warnings
 * @property {Record<string, string>} overrides variables that have to be set for a later command to find the same store
 * @property {Promise<never> | null} failure rejects where a store that belongs to the run has gone; null for any other
 * @property {() => Promise<void>} close
 */

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Pick<NodeJS.Process, 'availableMemory'>} process
 * @param {Invocation} invocation
 * @returns {Promise<Target>}
 * @throws {UsageError}
 */
export async function openTarget(options, env, process, invocation) {
  if (options.local) {
    // A system that does not tell says 0.
    const { endpoint, store } = await startLocalEndpoint(options, env, process.availableMemory() || Infinity);
    return { store, warnings: [], overrides: {}, failure: endpoint.failure, close: () => endpoint.close() };
  }
  return { ...readStoreConfig(env, options.envFile, invocation), failure: null, close: async () => {} };
}
