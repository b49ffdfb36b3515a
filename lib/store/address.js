/** @import { StoreConfig } from '../result/config.js' */

/** @typedef {Pick<StoreConfig, 'hostname' | 'port' | 'useTls' | 'basePath' | 'addressing' | 'buckets'>} Address */

/**
 * @param {Pick<Address, 'hostname' | 'addressing' | 'buckets'>} address with a single bucket if `addressing` is `virtual`
 * @returns {string} the host to connect to
 */
export function connectionHostname({ hostname, addressing, buckets }) {
  return addressing === 'virtual' ? `${buckets[0]}.${hostname}` : hostname;
}

/**
 * @param {Pick<Address, 'hostname' | 'port' | 'useTls' | 'basePath'>} address
 * @returns {string} the URL of the endpoint, without a bucket
 */
export function endpointUrl({ hostname, port, useTls, basePath = '' }) {
  return `${useTls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}${basePath}`;
}

const R2_HOST = /\.r2\.cloudflarestorage\.com$/i;

/** Cloudflare's identifier of a request. It includes the data centre that responded. */
export const RAY_HEADER = 'cf-ray';

/**
 * Checks the hostname and not the response headers, because every store behind Cloudflare's proxy sends Cloudflare's
 * headers. R2 offers the S3 API only under this domain.
 *
 * @param {string} hostname of an endpoint
 */
export function isR2(hostname) {
  return R2_HOST.test(hostname);
}

/**
 * A ray ID consists of hexadecimal digits, a dash, and the airport code of the data centre («colo»):
 * https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-ray
 *
 * @param {string} ray the header's value, which is untrusted text
 * @returns {string | null} such as `FRA`; null if the value contains no data centre
 */
export function coloOf(ray) {
  return /^[0-9a-f]{1,32}-([A-Z]{3})$/.exec(ray)?.[1] ?? null;
}
