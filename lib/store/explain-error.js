import { connectionHostname, endpointUrl } from './address.js';
import { CLOCK_SKEW, FULL, NOT_FOUND, NO_PORT, NO_STORE, isTokenError } from './s3-error.js';

/**
 * @import { SettingNames, StoreConfig } from '../result/config.js'
 * @import { AttemptError } from './s3-error.js'
 */

/** Names of the settings for a store that is configured by S3_… variables. @type {Readonly<SettingNames>} */
const S3_VARIABLES = Object.freeze({
  buckets: 'S3_BUCKET',
  hostname: 'S3_HOSTNAME',
  port: 'S3_PORT',
  tls: 'S3_USE_SSL',
  plainHttp: 'S3_USE_SSL=0',
  region: 'S3_REGION',
  keys: 'S3_ACCESS_KEY, S3_SECRET_KEY',
  sessionToken: 'S3_SESSION_TOKEN',
  authorities: 'NODE_EXTRA_CA_CERTS=<file> adds your own certificate authority',
});

/** The first action of a run. Any response to it proves that the store is reachable. */
export const FIRST_ACTION = 'the first request';

/**
 * @typedef {Pick<StoreConfig, 'hostname' | 'port' | 'useTls' | 'basePath' | 'addressing' | 'settings'>} Store
 *
 * @typedef {object} Place the location of an error
 * @property {Store} store
 * @property {readonly string[]} buckets
 * @property {string} action what was attempted, such as `read`, or FIRST_ACTION
 * @property {number} now epoch ms
 */

/**
 * Explains in one line an error that ends a run: what happened, and what the user can do.
 *
 * @param {AttemptError} error
 * @param {Place} place
 */
export function explainError(error, { store, buckets, action, now }) {
  const { message } = error;
  const { port, addressing } = store;
  const hostname = connectionHostname({ ...store, buckets });
  const settings = { ...S3_VARIABLES, ...store.settings };
  const byPath = addressing === 'virtual' ? '; if the store expects the bucket in the path, use --addressing path' : '';
  const where = `${buckets.length === 1 ? 'bucket' : 'buckets'} ${buckets.map((bucket) => `"${bucket}"`).join(', ')}`;
  if (error.publicUrl !== '') {
    return `${action} through the public URL ${error.publicUrl} failed (${message}): ${error.advice}`;
  }
  switch (error.kind) {
    case 'denied':
      return `${action} in ${where} ${action.includes(' and ') ? 'were' : 'was'} refused (${message}): ${checkOf(error, settings, { ...store, buckets })}`;
    case FULL:
      return `${action} failed because ${where} on ${hostname} or the account is full (${message}): free some space, or raise the quota`;
    case 'no-bucket':
      return `${action} failed because there ${buckets.length === 1 ? 'is' : 'are'} no ${where} on ${hostname} (${message}): check ${enumerate(settings.buckets, settings.hostname)}; a bucket in a jurisdiction has its own hostname${byPath}`;
    case CLOCK_SKEW:
      return `this host's clock is ${describeOffset(now - error.serverTime, error.serverTime)} (${message}): set the clock and run again`;
    case 'redirect':
      return `${hostname} redirects requests for ${where} (${message}): check ${enumerate(settings.hostname, settings.region, settings.tls)}`;
    case 'certificate':
      return `the certificate of ${hostname} ${certificateProblem(error, settings)}`;
    case 'tls':
      return `no TLS connection to ${hostname}:${port} (${message}): ${tlsProblem(error, settings)}`;
    case 'name':
      return `the name ${hostname} does not resolve (${message}): check ${settings.hostname}${byPath}`;
    case NO_STORE:
      return `${hostname}:${port} ${message}: check ${settings.hostname}`;
    case NO_PORT:
      return `this host has no free local address or port for a connection to ${hostname}:${port} (${message}): close other connections, or widen net.ipv4.ip_local_port_range`;
    case 'connect':
    case 'timeout':
      if (error.wasMoving) {
        return `${action} in ${where} on ${hostname}:${port} took too long (${message})`;
      }
      if (action !== FIRST_ACTION) {
        return `${action} in ${where} on ${hostname}:${port} got no response (${message}): check that the store is up and --timeout is long enough`;
      }
      return `no connection to ${hostname}:${port} (${message}): check ${enumerate(settings.hostname, settings.port)}, and whether the store is up`;
    default:
      return `${action} in ${where} on ${hostname}:${port} failed (${message})${error.kind === NOT_FOUND ? byPath : defaultAdvice(error, action, store.useTls, settings)}`;
  }
}

/**
 * @param {AttemptError} error
 * @param {string} action
 * @param {boolean} useTls
 * @param {SettingNames} settings
 */
function defaultAdvice(error, action, useTls, { tls }) {
  if (isTransient(error)) {
    return ': the store has an internal problem; try again later';
  }
  if (error.advice !== '') {
    return `: ${error.advice}`;
  }
  // A server that expects TLS responds to plain HTTP with a page, with a TLS alert, or not at all.
  const mayExpectTls = error.status === 400 ? error.code === '' : ['connection', 'protocol'].includes(error.kind);
  return mayExpectTls && !useTls && action === FIRST_ACTION ? `: the port may expect TLS: check ${tls}` : '';
}

/** What a response without TLS looks like as a TLS record. Any other failure comes from a server that speaks TLS. */
const PLAIN_HTTP = /wrong.version.number|packet.length.too.long|http.request|unknown.protocol/i;

/**
 * @param {Pick<AttemptError, 'code' | 'message'>} error
 * @param {SettingNames} settings
 * @returns {string} what the user can do
 */
function tlsProblem({ code, message }, { port, plainHttp }) {
  return PLAIN_HTTP.test(`${code} ${message}`)
    ? `check ${port}; use ${plainHttp} for plain HTTP`
    : "the store's TLS version or ciphers are too old, or it requires a client certificate, which this tool does not send";
}

/** Codes of certificates without a trusted issuer. Trusting another authority fixes these errors and no others. */
const NOT_TRUSTED = /^(CERT_UNTRUSTED|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

const WRONG_HOST = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;

/**
 * @param {Pick<AttemptError, 'code' | 'message'>} error of a connection that failed because of the certificate
 * @param {SettingNames} settings
 * @returns {string} the reason, and what the user can do
 */
function certificateProblem({ code, message }, { hostname, authorities }) {
  if (NOT_TRUSTED.test(code)) {
    return `is not trusted (${message}): ${authorities}`;
  }
  return WRONG_HOST.test(code)
    ? `is for another host (${message}): check ${hostname}`
    : `is not valid (${message}): check this host's clock; if it is right, the store needs another certificate`;
}

/**
 * @param {Pick<AttemptError, 'code'>} error with which the store denied access
 * @param {SettingNames} settings
 * @param {Store & { buckets: readonly string[] }} store
 * @returns {string} what the user can do
 */
function checkOf({ code }, { region, keys, sessionToken }, store) {
  if (isTokenError(code)) {
    return `check ${sessionToken}: it works only with the keys it was issued with, and expires with them`;
  }
  if (code === 'SignatureDoesNotMatch') {
    const { host } = new URL(endpointUrl({ ...store, hostname: connectionHostname(store) }));
    const path = `${store.basePath ?? ''}/${store.addressing === 'virtual' ? '' : `${store.buckets[0]}/`}`;
    return `check ${keys}; in a file, put a value that contains # in quotes; the signature covers the Host header ${host} and the path ${path}…, which a proxy must not change`;
  }
  return code === 'AuthorizationHeaderMalformed'
    ? `check ${region}, and ${keys}`
    : `check ${keys} and their permissions`;
}

/** @param {readonly string[]} names may repeat, because one URL sets host, port and TLS */
function enumerate(...names) {
  const distinct = [...new Set(names)];
  const last = distinct[distinct.length - 1];
  return distinct.length === 1 ? last : `${distinct.slice(0, -1).join(', ')} and ${last}`;
}

/**
 * Whether the state of the store caused the error, rather than its configuration or credentials, so that a later run may
 * succeed.
 *
 * @param {AttemptError} error
 */
export function isTransient({ handling, kind, status }) {
  return kind === FULL || (handling === 'retry' && status > 0);
}

/**
 * @param {number} offset ms by which this host's clock is ahead of the store's
 * @param {number} serverTime epoch ms; 0 if the store did not send it
 */
function describeOffset(offset, serverTime) {
  if (serverTime === 0) {
    return "too far from the store's, which did not send its time";
  }
  return `${Math.round(Math.abs(offset) / 1000)}s ${offset < 0 ? 'behind' : 'ahead of'} the store's`;
}
