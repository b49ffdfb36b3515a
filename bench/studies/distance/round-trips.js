import { linearRegression } from 'simple-statistics';

/**
 * The round trips of a request. In TLS 1.3, the client's second flight ends the handshake and can carry the request (RFC 8446,
 * section 2). Resuming a session saves the server's certificate, but no round trip: that would need early data, which HTTP
 * clients do not send by default.
 */
export const ROUND_TRIPS = { tcp: 1, tls: 1, request: 1 };

export const NEW_CONNECTION = ROUND_TRIPS.tcp + ROUND_TRIPS.tls + ROUND_TRIPS.request;

export const REUSED_CONNECTION = ROUND_TRIPS.request;

/** How many times longer a request takes on a new connection if only the distance counts. */
export const PREDICTED_FACTOR = NEW_CONNECTION / REUSED_CONNECTION;

/**
 * @typedef {object} RelayTally a relay's counts for one run
 * @property {number} connections
 * @property {number} flights on all connections together
 * @property {number} most maximum flights per connection
 * @property {number} median flights per connection
 */

/**
 * The round trips of a handshake and of a request, from the relay's counts with and without keep-alive. Without keep-alive, each
 * connection has a handshake and one request. With keep-alive, the busiest connection has a handshake and all requests of the
 * stage; the other connections belong to the preflight.
 *
 * @param {RelayTally} reused
 * @param {RelayTally} opened
 * @param {number} requests of the stage, more than one
 * @returns {{ handshake: number, request: number }}
 */
export function countRoundTrips(reused, opened, requests) {
  const together = opened.flights / opened.connections;
  const request = (reused.most - together) / (requests - 1);
  return { handshake: together - request, request };
}

/**
 * Finds how a latency grows with the distance: the round trips in it, and the latency at distance zero.
 *
 * @param {readonly (readonly [number, number])[]} points round-trip time and mean latency, both in ms
 * @returns {{ roundTrips: number, work: number }} work in ms
 */
export function fitRoundTrips(points) {
  const { m: roundTrips, b: work } = linearRegression(points.map(([roundTrip, latency]) => [roundTrip, latency]));
  return { roundTrips, work };
}
