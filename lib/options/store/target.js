import { isIP } from 'node:net';
import { Checks, UsageError } from '../usage-error.js';
import { formatPublicUrl, namesBucket } from '../values.js';
import { FROM_CLONE, Variables, chooseProxy, proxyNotices, settingsOfUrl } from './environment.js';
import { startLocalEndpoint } from './local-endpoint.js';

/**
 * @import { Renewal } from '../../store/aws/credentials.js'
 * @import { GivenStore, PublicUrl, StoreConfig } from '../../result/config.js'
 * @import { OptionValues } from '../read-options.js'
 * @import { Invocation, VariableKey } from './environment.js'
 * @import { AddressOptions, FoundStore } from './store-config.js'
 */

/**
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
    return readEdgeConfig(env, options.envFile, invocation, options);
  }
  const { readGivenStore, readStoreConfig } = await import('./store-config.js');
  const find = async () =>
    given === undefined
      ? readStoreConfig(env, options.envFile, invocation, options, signal)
      : readGivenStore(given, signal);
  return options.client === 'public' ? withPublicUrl(find, env, options) : find();
}

/** The key ID that the Worker expects. It verifies signatures as an S3 store does. */
const ACCESS_KEY_ID = 'edge';

/**
 * Finds the Worker in the EDGE_… variables of the environment or of a file. The Worker acts as a store that supports
 * the S3 calls a run needs, for the buckets bound to it.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} file
 * @param {Invocation} [invocation]
 * @param {Pick<AddressOptions, 'bucket' | 'proxy'>} [options]
 * @returns {FoundStore}
 * @throws {UsageError} with every problem
 */
export function readEdgeConfig(env, file, invocation = FROM_CLONE, options = {}) {
  const variables = new Variables(env, file);
  /** @type {VariableKey[]} */
  const needed = [...(options.bucket === undefined ? /** @type {const} */ (['buckets']) : []), 'edgeUrl', 'edgeSecret'];
  const { values, problems, isLacking } = variables.read(needed);
  const chosen = chooseProxy(env, values.edgeUrl ?? null, options.proxy, problems);
  variables.refuse(problems, isLacking, invocation);
  const { hostname, port, useTls } = values.edgeUrl;
  return {
    store: {
      buckets: [...new Set(/** @type {string[]} */ (options.bucket ?? values.buckets))],
      hostname,
      port,
      useTls,
      ...(chosen && { proxy: chosen.proxy }),
      region: 'auto',
      credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: values.edgeSecret },
      settings: {
        ...settingsOfUrl('EDGE_URL'),
        region: 'EDGE_URL',
        keys: 'EDGE_SECRET',
        ...(options.bucket && { buckets: '--bucket' }),
      },
    },
    warnings: variables.warnings,
    notices: proxyNotices(chosen),
    overrides: variables.overrides(needed),
    renewal: null,
  };
}

/**
 * Adds to a store the address from which the public client reads: --public-url, or else PUBLIC_URL.
 *
 * @param {() => Promise<FoundStore>} find
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {Pick<OptionValues, 'publicUrl' | 'envFile' | 'proxy'>} options
 * @returns {Promise<FoundStore>}
 * @throws {UsageError} with every problem
 */
async function withPublicUrl(find, env, { publicUrl, envFile, proxy: choice }) {
  const checks = new Checks();
  const found = /** @type {FoundStore} */ (await checks.run(find));
  const variables = new Variables(env, envFile);
  const isGiven = publicUrl !== undefined;
  const { values, problems } = isGiven ? { values: { publicUrl }, problems: [] } : variables.read(['publicUrl']);
  const address = /** @type {PublicUrl} */ (values.publicUrl);
  const chosen = chooseProxy(env, address ?? null, choice, problems);
  checks.add(...problems);
  checks.conclude();
  const { store, notices } = found;
  if (store.buckets.length > 1 && !namesBucket(address)) {
    throw new UsageError([
      `--public-url: expected {bucket} in the URL for ${store.buckets.length} buckets, got ${formatPublicUrl(address)}`,
    ]);
  }
  return {
    ...found,
    overrides: { ...found.overrides, ...(isGiven ? {} : variables.overrides(['publicUrl'])) },
    store: { ...store, publicUrl: { ...address, ...(chosen && { proxy: chosen.proxy }) } },
    notices: [...new Set([...notices, ...proxyNotices(chosen)])],
  };
}
