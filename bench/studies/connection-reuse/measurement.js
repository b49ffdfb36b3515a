/** Requests of a measurement, one after the other. */
export const REQUESTS = 100;

/**
 * What a client is asked to measure.
 *
 * @typedef {object} Load
 * @property {number} port of the relay
 * @property {string} authorities file with the certificate to trust
 * @property {boolean} keepAlive one connection for all requests, or one for each
 *
 * @typedef {object} Latencies of the requests in ms
 * @property {number} minimum
 * @property {number} mean
 * @property {number} p50
 * @property {number} p90
 * @property {number} p99
 * @property {number} maximum
 */

/**
 * A client that gave another number of answers has measured something else.
 *
 * @param {string} client
 * @param {number} answers
 * @throws {Error}
 */
export function expectAllAnswers(client, answers) {
  if (answers !== REQUESTS) {
    throw new Error(`${client} got ${answers} good answers, expected ${REQUESTS}`);
  }
}
