import { createSecureContext } from 'node:tls';
import { Renewal, askInTime, expiryOf } from '../aws/renewal.js';
import { UsageError } from '../options/usage-error.js';
import { bucketNames, endpointUrl, oneOf, proxyUrl, region, secret } from '../options/values.js';
import { keepSecrets } from '../text/redact.js';
import { addressingProblems, placeOf } from './store-config.js';

/**
 * @import { Credentials, GivenCredentials, GivenStore } from '../model/config.js'
 * @import { FoundStore } from './store-config.js'
 */

const NAMES = ['endpoint', 'bucket', 'credentials', 'region', 'addressing', 'proxy', 'certificate'];

/**
 * @param {GivenStore} given
 * @param {AbortSignal} [signal] ends the wait for credentials
 * @returns {Promise<FoundStore>}
 * @throws {UsageError} with every problem
 */
export async function readGivenStore(given, signal) {
  const { bucket, credentials: keys, region: name = 'auto', addressing = 'path', certificate } = given;
  /** @type {string[]} */
  const problems = Object.keys(given).flatMap((key) =>
    NAMES.includes(key) ? [] : [`store.${key}: unknown setting, expected ${NAMES.join(', ')}`],
  );
  /**
   * @template Value
   * @param {string} setting
   * @param {() => Value} read
   */
  const attempt = (setting, read) => {
    try {
      return read();
    } catch (error) {
      problems.push(`store.${setting}: ${/** @type {Error} */ (error).message}`);
      return null;
    }
  };
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : '');
  const address = attempt('endpoint', () => endpointUrl(text(given.endpoint)));
  const buckets = attempt('bucket', () => bucketNames(Array.isArray(bucket) ? bucket.join(',') : text(bucket))) ?? [];
  const signedFor = attempt('region', () => region(text(name)));
  const style = attempt('addressing', () => oneOf('path', 'virtual')(text(addressing)));
  const proxy = given.proxy === undefined ? null : attempt('proxy', () => proxyUrl(text(given.proxy)));
  attempt('certificate', () => createSecureContext(certificate === undefined ? {} : { ca: certificate }));
  const provide = typeof keys === 'function' ? keys : async () => keys;
  const credentials = await readCredentials(provide, signal).catch((error) => {
    signal?.throwIfAborted();
    return attempt('credentials', () => {
      throw error;
    });
  });
  problems.push(
    ...addressingProblems(
      { value: String(style), from: 'store.addressing' },
      { hostname: address?.hostname ?? '', buckets },
    ),
  );
  if (problems.length > 0 || address === null || credentials === null || signedFor === null) {
    throw new UsageError(problems);
  }
  const { place, notices } = placeOf(address, buckets);
  return {
    store: {
      buckets: [...new Set(buckets)],
      ...place,
      ...(style === 'virtual' ? { addressing: style } : {}),
      ...(certificate === undefined || !address.useTls ? {} : { certificate }),
      ...(proxy === null ? {} : { proxy }),
      region: signedFor,
      credentials,
      settings: SETTINGS,
    },
    warnings: [],
    notices,
    overrides: {},
    renewal:
      typeof keys === 'function' && credentials.expiresAt !== undefined
        ? new Renewal(credentials, (ending) => readCredentials(keys, ending))
        : null,
  };
}

/** Names of the settings in messages. */
const SETTINGS = Object.freeze({
  buckets: 'store.bucket',
  hostname: 'store.endpoint',
  port: 'store.endpoint',
  tls: 'store.endpoint',
  plainHttp: 'a URL with http://',
  region: 'store.region',
  keys: 'store.credentials',
  sessionToken: 'store.credentials.sessionToken',
  authorities: 'only the authorities in store.certificate are trusted',
});

/**
 * @param {() => Promise<GivenCredentials>} provide
 * @param {AbortSignal} [signal] ends the wait
 * @returns {Promise<Credentials>}
 * @throws {Error} without a secret in its message
 */
async function readCredentials(provide, signal) {
  const given = await askInTime(async () => provide(), signal);
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = given ?? {};
  const values = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  for (const [member, value] of Object.entries(values)) {
    if (typeof value !== 'string' || value === '') {
      throw new Error(`expected accessKeyId and secretAccessKey, got no ${member}`);
    }
    secret(value);
  }
  keepSecrets({ secrets: [secretAccessKey, sessionToken ?? ''], ids: [accessKeyId] }, accessKeyId);
  return { ...values, ...expiryOf(expiration) };
}
