import { Variables } from './environment.js';
import { FROM_CLONE, hintFor } from './hint.js';
import { chooseProxy } from './proxy.js';
import { UsageError } from '../options/usage-error.js';

/**
 * @import { VariableKey } from './environment.js'
 * @import { Invocation } from './hint.js'
 * @import { AddressOptions, FoundStore } from './store-config.js'
 */

/** The key ID that the Worker expects. It verifies signatures as an S3 store does. */
const ACCESS_KEY_ID = 'edge';

/** Names of the settings in messages. */
const SETTINGS = Object.freeze({
  hostname: 'EDGE_URL',
  port: 'EDGE_URL',
  tls: 'EDGE_URL',
  plainHttp: 'a URL with http://',
  region: 'EDGE_URL',
  keys: 'EDGE_SECRET',
});

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
  problems.unshift(...variables.problems(isLacking));
  const address = values.edgeUrl ?? null;
  const proxy = address === null ? null : chooseProxy(env, address, options.proxy);
  problems.push(...(proxy?.problems ?? []));
  if (problems.length > 0 || address === null || proxy === null) {
    throw new UsageError(problems, isLacking ? hintFor(file, variables.exists, invocation) : '');
  }
  const { hostname, port, useTls } = address;
  return {
    store: {
      buckets: [...new Set(/** @type {string[]} */ (options.bucket ?? values.buckets))],
      hostname,
      port,
      useTls,
      ...(proxy.proxy === null ? {} : { proxy: proxy.proxy }),
      region: 'auto',
      credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: values.edgeSecret },
      settings: { ...SETTINGS, ...(options.bucket === undefined ? {} : { buckets: '--bucket' }) },
    },
    warnings: variables.warnings,
    notices: proxy.notices,
    overrides: variables.overrides(needed),
    renewal: null,
  };
}
