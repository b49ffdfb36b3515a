import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';
import { formatPublicUrl, namesBucket } from '../options/values.js';
import { Variables } from './environment.js';
import { chooseProxy } from './proxy.js';

/**
 * @import { PublicUrl } from '../model/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { FoundStore } from './store-config.js'
 */

/**
 * Adds to a store the address from which the public client reads: --public-url, or else PUBLIC_URL.
 *
 * @param {() => Promise<FoundStore>} findStore
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {Pick<OptionValues, 'publicUrl' | 'envFile' | 'proxy'>} options
 * @returns {Promise<FoundStore>}
 * @throws {UsageError} with every problem
 */
export async function withPublicUrl(findStore, env, options) {
  const checks = new Checks();
  const found = await checks.run(findStore);
  const url = await checks.run(() => findUrl(env, options));
  checks.conclude();
  const { store, notices, ...other } = /** @type {FoundStore} */ (found);
  const { address, proxy } = /** @type {NonNullable<typeof url>} */ (url);
  if (store.buckets.length > 1 && !namesBucket(address)) {
    throw new UsageError([
      `--public-url: expected {bucket} in the URL for ${store.buckets.length} buckets, got ${formatPublicUrl(address)}`,
    ]);
  }
  return {
    ...other,
    store: { ...store, publicUrl: { ...address, ...(proxy.proxy === null ? {} : { proxy: proxy.proxy }) } },
    notices: [...notices, ...proxy.notices.filter((notice) => !notices.includes(notice))],
  };
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {Pick<OptionValues, 'publicUrl' | 'envFile' | 'proxy'>} options
 * @throws {UsageError}
 */
function findUrl(env, { publicUrl, envFile, proxy: choice }) {
  const { values, problems } =
    publicUrl === undefined ? new Variables(env, envFile).read(['publicUrl']) : { values: { publicUrl }, problems: [] };
  refuseIfAny(problems);
  const address = /** @type {PublicUrl} */ (values.publicUrl);
  const proxy = chooseProxy(env, address, choice);
  refuseIfAny(proxy.problems);
  return { address, proxy };
}
