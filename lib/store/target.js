import { readEdgeConfig } from './edge-config.js';
import { startLocalEndpoint } from './local-endpoint.js';
import { readStoreConfig } from './store-config.js';

/**
 * @import { Renewal } from '../aws/renewal.js'
 * @import { StoreConfig } from '../model/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Invocation } from './hint.js'
 */

/**
 * The store that a run goes to.
 *
 * @typedef {object} Target
 * @property {StoreConfig} store
 * @property {string[]} warnings
 * @property {string[]} notices which settings were taken where there was a choice
 * @property {Record<string, string>} overrides variables that have to be set for a later command to find the same store
 * @property {Renewal | null} renewal of temporary credentials; null where they do not end
 * @property {Promise<never> | null} failure rejects where a store that belongs to the run has gone; null for any other
 * @property {() => Promise<void>} close
 */

/**
 * @param {OptionValues} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Pick<NodeJS.Process, 'availableMemory'>} process
 * @param {Invocation} invocation
 * @returns {Promise<Target>}
 * @throws {UsageError}
 */
export async function openTarget(options, env, process, invocation) {
  if (options.local) {
    // A system that does not know returns 0.
    const { endpoint, store } = await startLocalEndpoint(options, env, process.availableMemory() || Infinity);
    return {
      ...{ store, warnings: [], notices: [], overrides: {}, renewal: null },
      failure: endpoint.failure,
      close: () => endpoint.close(),
    };
  }
  const found =
    options.client === 'edge'
      ? readEdgeConfig(env, options.envFile, invocation, options)
      : await readStoreConfig(env, options.envFile, invocation, options);
  return { ...found, failure: null, close: async () => {} };
}
