/**
 * @typedef {object} Measured
 * @property {import('./measure-tool.js').ToolResult} tool
 * @property {import('./round-trips.js').RelayTally} tally of the tool's relay
 * @property {import('./measurement.js').Latencies | null} oha
 *
 * @typedef {object} Distance
 * @property {number} roundTrip ms
 * @property {Measured} reused one connection for all requests
 * @property {Measured} opened a connection for each request
 *
 * @typedef {keyof typeof KINDS} Kind of a run
 */

/** The kinds of a run, as tables and chart name them. */
export const KINDS = /** @type {const} */ ({ reused: 'keep-alive', opened: 'a connection each' });

export const KIND_NAMES = /** @type {Kind[]} */ (Object.keys(KINDS));
