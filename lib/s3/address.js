/** @import { StoreConfig } from '../model/config.js' */

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
