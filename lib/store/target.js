import { UsageError } from '../options/usage-error.js';
import { readEdgeConfig } from './edge-config.js';
import { readGivenStore } from './given-store.js';
import { startLocalEndpoint } from './local-endpoint.js';
import { withPublicUrl } from './public-url.js';
import { readStoreConfig } from './store-config.js';

/**
 * @import { Renewal } from '../aws/renewal.js'
 * @import { GivenStore, StoreConfig } from '../model/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Invocation } from './hint.js'
 * @import { FoundStore } from './store-config.js'
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
 * @param {{ invocation?: Invocation, store?: GivenStore }} [context] `store` in place of the one that options and environment name
 * @returns {Promise<Target>}
 * @throws {UsageError}
 */
export async function openTarget(options, env, { invocation, store } = {}) {
  if (options.local) {
    const { endpoint, store: local } = await startLocalEndpoint(options, env);
    return {
      ...{ store: local, warnings: [], notices: [], overrides: {}, renewal: null },
      failure: endpoint.failure,
      close: () => endpoint.close(),
    };
  }
  return { ...(await findStore(options, env, invocation, store)), failure: null, close: async () => {} };
}

/**
 * @param {OptionValues} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Invocation} [invocation]
 * @param {GivenStore} [given]
 * @returns {Promise<FoundStore>}
 * @throws {UsageError}
 */
async function findStore(options, env, invocation, given) {
  if (options.client === 'edge') {
    if (given !== undefined) {
      throw new UsageError(["--client edge: expected the store 'env', with EDGE_URL and EDGE_SECRET"]);
    }
    return readEdgeConfig(env, options.envFile, invocation, options);
  }
  const find = () =>
    given === undefined ? readStoreConfig(env, options.envFile, invocation, options) : readGivenStore(given);
  return options.client === 'public' ? withPublicUrl(find, env, options) : find();
}
