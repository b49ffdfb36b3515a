import { readStoreConfig } from './environment.js';
import { startLocalEndpoint } from './local-endpoint.js';

/**
 * The store that a run goes to.
 *
 * @typedef {object} Target
 * @property {import('../run/run-config.js').StoreConfig} store
 * @property {string[]} warnings
 * @property {Record<string, string>} overrides variables that have to be set for a later command to find the same store
 * @property {Promise<never> | null} failure rejects where a store that belongs to the run has gone; null for any other
 * @property {() => Promise<void>} close
 */

/**
 * @param {import('./options.js').CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Pick<NodeJS.Process, 'availableMemory'>} process
 * @param {import('./invocation.js').Invocation} invocation
 * @returns {Promise<Target>}
 * @throws {import('./usage-error.js').UsageError}
 */
export async function openTarget(options, env, process, invocation) {
  if (options.local) {
    // A system that does not tell says 0.
    const { endpoint, store } = await startLocalEndpoint(options, env, process.availableMemory() || Infinity);
    return { store, warnings: [], overrides: {}, failure: endpoint.failure, close: () => endpoint.close() };
  }
  return { ...readStoreConfig(env, options.envFile, invocation), failure: null, close: async () => {} };
}
