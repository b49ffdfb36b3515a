import { linearRegression } from 'simple-statistics';

/**
 * What a request costs in round trips. TLS 1.3: the client's second flight is the last of the handshake and may carry the
 * request (RFC 8446, section 2). Resuming a session spares the server's certificate, not the round trip: that would take
 * early data, which HTTP clients do not send on their own.
 */
export const ROUND_TRIPS = { tcp: 1, tls: 1, request: 1 };

/** Of a request on a connection of its own. */
export const NEW_CONNECTION = ROUND_TRIPS.tcp + ROUND_TRIPS.tls + ROUND_TRIPS.request;

/** Of a request on a connection that is open already. */
export const REUSED_CONNECTION = ROUND_TRIPS.request;

/** By how much a new connection makes a request longer where nothing but the distance counts. */
export const PREDICTED_FACTOR = NEW_CONNECTION / REUSED_CONNECTION;

/**
 * What a relay counted during one run.
 *
 * @typedef {object} RelayTally
 * @property {number} connections
 * @property {number} flights of the clients, of all connections together
 * @property {number} most flights of one connection
 * @property {number} median flights of a connection
 */

/**
 * The round trips of a handshake and of a request on the wire, from what the relay counted with and without keep-alive.
 * Without, each connection has a handshake and one request; with it, the busiest has a handshake and all requests of the
 * stage. (The others are those of the tool's preflight.)
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
 * How a latency grows with the distance: the round trips that are in it, and what is left without any distance.
 *
 * @param {readonly (readonly [number, number])[]} points round-trip time and mean latency, both in ms
 * @returns {{ roundTrips: number, work: number }} work in ms
 */
export function fitRoundTrips(points) {
  const { m: roundTrips, b: work } = linearRegression(points.map(([roundTrip, latency]) => [roundTrip, latency]));
  return { roundTrips, work };
}
