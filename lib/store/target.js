import { isIP } from 'node:net';
import { UsageError } from '../options/usage-error.js';

/**
 * @import { Renewal } from '../aws/renewal.js'
 * @import { GivenStore, StoreConfig } from '../model/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Invocation } from './hint.js'
 *
 * @typedef {object} Target
 * @property {StoreConfig} store
 * @property {string[]} warnings
 * @property {string[]} notices which of several possible settings were used
 * @property {Record<string, string>} overrides variables that a later command needs to find the same store
 * @property {Renewal | null} renewal of temporary credentials, until the target is closed; null if they do not expire
 * @property {Promise<never> | null} failure rejects if a store that belongs to the run dies; null for any other store
 * @property {() => Promise<void>} close
 */

const DEFAULTS = Object.freeze({ warnings: [], notices: [], overrides: {}, renewal: null, failure: null });

/**
 * @param {OptionValues} options
 * @param {NodeJS.ProcessEnv} env
 * @param {FindContext} [context]
 * @returns {Promise<Target>}
 * @throws {UsageError}
 *
 * @typedef {object} FindContext
 * @property {Invocation} [invocation]
 * @property {GivenStore} [store] replaces the store of the options and the environment
 * @property {AbortSignal} [signal] ends the wait for credentials: the promise rejects with the signal's reason
 */
export async function openTarget(options, env, context = {}) {
  if (options.local) {
    const { startLocalEndpoint } = await import('./local-endpoint.js');
    const { endpoint, store: local } = await startLocalEndpoint(options, env);
    return { ...DEFAULTS, store: local, failure: endpoint.failure, close: () => endpoint.close() };
  }
  const found = await findStore(options, env, context);
  const store = withFamily(found.store, options);
  return { ...DEFAULTS, ...found, store, close: async () => found.renewal?.stop() };
}

/**
 * @param {StoreConfig} store
 * @param {Pick<OptionValues, 'ipv4' | 'ipv6'>} options
 * @returns {StoreConfig}
 * @throws {UsageError} if the store is given by an address of the other version
 */
function withFamily(store, { ipv4, ipv6 }) {
  if (!ipv4 && !ipv6) {
    return store;
  }
  const family = ipv4 ? 4 : 6;
  const version = isIP(store.hostname);
  if (version !== 0 && version !== family) {
    throw new UsageError([`--ipv${family}: expected a host name or an IPv${family} address, got ${store.hostname}`]);
  }
  return { ...store, family };
}

/**
 * @param {OptionValues} options
 * @param {NodeJS.ProcessEnv} env
 * @param {FindContext} context
 * @throws {UsageError}
 */
async function findStore(options, env, { invocation, store: given, signal }) {
  if (options.client === 'edge') {
    if (given !== undefined) {
      throw new UsageError(["--client edge: expected the store 'env', with EDGE_URL and EDGE_SECRET"]);
    }
    const { readEdgeConfig } = await import('./edge-config.js');
    return readEdgeConfig(env, options.envFile, invocation, options);
  }
  const find = async () => {
    if (given !== undefined) {
      const { readGivenStore } = await import('./given-store.js');
      return readGivenStore(given, signal);
    }
    const { readStoreConfig } = await import('./store-config.js');
    return readStoreConfig(env, options.envFile, invocation, options, signal);
  };
  if (options.client !== 'public') {
    return find();
  }
  const { withPublicUrl } = await import('./public-url.js');
  return withPublicUrl(find, env, options);
}
