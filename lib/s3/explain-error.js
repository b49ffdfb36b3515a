import { CLOCK_SKEW, NO_PORT } from './s3-error.js';

/** @import { AttemptError } from './s3-error.js' */

/** What a run sends first: once it is answered, there is a connection. */
export const FIRST_ACTION = 'the first request';

/**
 * @typedef {object} Place where an error came up
 * @property {string} hostname
 * @property {number} port
 * @property {readonly string[]} buckets
 * @property {string} action what was tried, such as `read`, or FIRST_ACTION
 * @property {number} now epoch ms
 */

/**
 * One line about an error that ends a run: what happened, and what the user can do.
 *
 * @param {AttemptError} error
 * @param {Place} place
 * @returns {string}
 */
export function explainError(error, { hostname, port, buckets, action, now }) {
  const { message } = error;
  const where = `${buckets.length === 1 ? 'bucket' : 'buckets'} ${buckets.map((bucket) => `"${bucket}"`).join(', ')}`;
  switch (error.kind) {
    case 'denied':
      return `${action} in ${where} ${action.includes(' and ') ? 'were' : 'was'} refused (${message}): ${checkOf(error)}`;
    case 'no-bucket':
      return `${action} failed because there ${buckets.length === 1 ? 'is' : 'are'} no ${where} on ${hostname} (${message}): check S3_BUCKET and S3_HOSTNAME; a bucket in a jurisdiction has a host of its own`;
    case CLOCK_SKEW:
      return `this host's clock is ${describeOffset(now - error.serverTime, error.serverTime)} (${message}): set the clock and run again`;
    case 'redirect':
      return `${hostname} redirects requests for ${where} (${message}): check S3_HOSTNAME, S3_REGION and S3_USE_SSL`;
    case 'certificate':
      return `the certificate of ${hostname} ${certificateProblem(error)}`;
    case 'tls':
      return `no TLS connection to ${hostname}:${port} (${message}): check S3_PORT; S3_USE_SSL=0 means plain HTTP`;
    case 'name':
      return `the name ${hostname} does not resolve (${message}): check S3_HOSTNAME`;
    case NO_PORT:
      return `this host has no address or port left from which to connect to ${hostname}:${port} (${message}): close what holds connections, or widen net.ipv4.ip_local_port_range`;
    case 'connect':
    case 'timeout':
      if (error.wasMoving) {
        return `${action} in ${where} on ${hostname}:${port} took too long (${message})`;
      }
      if (action !== FIRST_ACTION) {
        return `${action} in ${where} on ${hostname}:${port} got no answer (${message}): is the store up, and --timeout long enough?`;
      }
      return `no connection to ${hostname}:${port} (${message}): check S3_HOSTNAME and S3_PORT, and whether the store is up`;
    default:
      return `${action} in ${where} on ${hostname}:${port} failed (${message})${mayPass(error) ? ': the store has trouble of its own; try again later' : ''}`;
  }
}

/** The codes of a certificate that nobody vouches for; no other becomes valid by another authority. */
const NOT_TRUSTED = /^(CERT_UNTRUSTED|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/**
 * @param {Pick<AttemptError, 'code' | 'message'>} error by which a certificate was refused
 * @returns {string} why, and what the user can do
 */
function certificateProblem({ code, message }) {
  if (NOT_TRUSTED.test(code)) {
    return `is not trusted (${message}): NODE_EXTRA_CA_CERTS=<file> adds an authority of your own`;
  }
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return `is that of another host (${message}): check S3_HOSTNAME`;
    case 'CERT_HAS_EXPIRED':
      return `has expired (${message}): check this host's clock; where it is right, the store needs a new certificate`;
    case 'CERT_NOT_YET_VALID':
      return `is not valid yet (${message}): check this host's clock; where it is right, the store needs another certificate`;
    default:
      return `is not valid (${message}): the store needs another one`;
  }
}

/**
 * @param {Pick<AttemptError, 'code'>} error by which the store refused
 * @returns {string} what the user can do
 */
function checkOf({ code }) {
  switch (code) {
    case 'AuthorizationHeaderMalformed':
      return 'check S3_REGION, and S3_ACCESS_KEY, S3_SECRET_KEY';
    case 'SignatureDoesNotMatch':
      return 'check S3_ACCESS_KEY, S3_SECRET_KEY; in a file, a value with # stands between quotes';
    case 'InvalidToken':
    case 'InvalidTokenId':
    case 'ExpiredToken':
      return 'check S3_SESSION_TOKEN, which belongs to one pair of keys and ends with it';
    default:
      return 'check S3_ACCESS_KEY, S3_SECRET_KEY and what they permit';
  }
}

/**
 * @param {AttemptError} error
 * @returns {boolean} whether the store answered with a trouble of its own, which the user can but wait out
 */
export function mayPass({ handling, status }) {
  return handling === 'retry' && status > 0;
}

/**
 * @param {number} offset ms by which this host's clock is ahead of the store's
 * @param {number} serverTime epoch ms, 0 where the store did not send it
 */
function describeOffset(offset, serverTime) {
  if (serverTime === 0) {
    return 'too far from the store’s, which did not say what time it has';
  }
  return `${Math.round(Math.abs(offset) / 1000)}s ${offset < 0 ? 'behind' : 'ahead of'} the store's`;
}
