import { NullServer } from './null-server.js';
import { StoreServer } from './store-server.js';

/**
 * @import { Credentials } from './signature-check.js'
 * @import { Report } from './tally.js'
 *
 * @typedef {object} EndpointOptions
 * @property {string[]} buckets
 * @property {Credentials} credentials accepted credentials
 * @property {readonly Credentials[]} furtherCredentials also accepted: successive temporary credentials
 * @property {string} region that requests must be signed for
 * @property {{ key: string, cert: string } | null} tls private key and certificate as PEM; null for plain HTTP
 * @property {string} basePath path before the bucket: '' or, for example, `/storage/v1/s3`
 * @property {string} faults a script, see parseFaults; '' for none
 * @property {'store' | 'null'} mode `store` checks signatures and keeps objects; `null` does neither, at the lowest
 *   possible cost, for measuring a client alone
 * @property {number} objectSize null mode: size of every object in bytes
 * @property {number} port 0 for any free port
 *
 * @typedef {object} Endpoint
 * @property {(port: number) => Promise<number>} listen resolves to the port
 * @property {() => Report} report
 * @property {(bucket: string, key: string, body: Buffer) => void} put
 * @property {(bucket: string) => string[]} list keys of a bucket, in the order of their UTF-8 bytes
 */

/** @type {Omit<EndpointOptions, 'buckets' | 'credentials'>} */
const DEFAULTS = Object.freeze({
  region: 'auto',
  furtherCredentials: Object.freeze([]),
  tls: null,
  basePath: '',
  faults: '',
  mode: 'store',
  objectSize: 0,
  port: 0,
});

/**
 * @param {Pick<EndpointOptions, 'buckets' | 'credentials'> & Partial<EndpointOptions>} options
 * @returns {EndpointOptions}
 */
export function withDefaults(options) {
  return { ...DEFAULTS, ...options };
}

/**
 * @param {EndpointOptions} options
 * @returns {Endpoint} not yet listening
 * @throws {Error} if the fault script is invalid, or is set in null mode
 */
export function createEndpoint(options) {
  return options.mode === 'null' ? new NullServer(options) : new StoreServer(options);
}
