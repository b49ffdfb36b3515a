import { NullServer } from './null-server.js';
import { StoreServer } from './store-server.js';

/**
 * @import { Credentials } from './signature-check.js'
 * @import { Report } from './tally.js'
 *
 * @typedef {object} EndpointOptions
 * @property {string[]} buckets the buckets that exist
 * @property {Credentials} credentials that are let in
 * @property {readonly Credentials[]} furtherCredentials let in as well: temporary ones that take over from each other
 * @property {string} region that requests have to be signed for
 * @property {{ key: string, cert: string } | null} tls private key and certificate as PEM; null for plain HTTP
 * @property {string} basePath what stands in front of the bucket in every path: '' or such as `/storage/v1/s3`
 * @property {string} faults a script, see parseFaults; '' for none
 * @property {'store' | 'null'} mode `store` checks signatures and keeps objects; `null` does neither and is as cheap as
 *   can be, for measuring a client alone
 * @property {number} objectSize null mode: the size of every object, in bytes
 * @property {number} port 0 for any that is free
 *
 * @typedef {object} Endpoint
 * @property {(port: number) => Promise<number>} listen gives the port
 * @property {() => Report} report
 * @property {(bucket: string, key: string, body: Buffer) => void} put plants an object
 * @property {(bucket: string) => string[]} list the keys of a bucket, in the order of their UTF-8 bytes
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
 * @returns {Endpoint} one that does not listen yet
 * @throws {Error} when the fault script has mistakes, or faults are given for the null mode
 */
export function createEndpoint(options) {
  return options.mode === 'null' ? new NullServer(options) : new StoreServer(options);
}
