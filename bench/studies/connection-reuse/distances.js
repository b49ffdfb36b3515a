/**
 * @import { Certificate } from '../certificate.js'
 * @import { RelayTally } from '../distance/round-trips.js'
 * @import { Latencies } from '../measurement.js'
 * @import { ToolResult } from './measure-tool.js'
 */

/**
 * @typedef {object} Load what a client should measure
 * @property {number} port of the relay
 * @property {Certificate} certificate to trust
 * @property {boolean} keepAlive whether to use one connection for all requests
 *
 * @typedef {object} Measured
 * @property {ToolResult} tool
 * @property {RelayTally} tally for the tool's relay
 * @property {Latencies | null} oha
 *
 * @typedef {object} Distance
 * @property {number} roundTrip ms
 * @property {Measured} reused one connection for all requests
 * @property {Measured} opened one connection per request
 *
 * @typedef {keyof typeof KINDS} Kind of a run
 */

export const KINDS = /** @type {const} */ ({ reused: 'keep-alive', opened: 'a connection each' });

export const KIND_NAMES = /** @type {Kind[]} */ (Object.keys(KINDS));
