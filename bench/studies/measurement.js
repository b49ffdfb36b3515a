export const REQUESTS = 100;

/**
 * @typedef {object} Latencies of the requests in ms
 * @property {number} minimum
 * @property {number} mean
 * @property {number} p50
 * @property {number} p90
 * @property {number} p99
 * @property {number} maximum
 */

/**
 * A client with a different number of successful responses has measured something else.
 *
 * @param {string} client
 * @param {number} answers
 * @param {number} [expected]
 * @throws {Error}
 */
export function expectAllAnswers(client, answers, expected = REQUESTS) {
  if (answers !== expected) {
    throw new Error(`${client} got ${answers} successful responses, expected ${expected}`);
  }
}
