import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { median } from 'simple-statistics';
import { DelayLine } from './delay-line.js';
import { exactWake } from './exact-wake.js';
import { FlightCount } from './flight-count.js';

/** @import { AddressInfo, Socket } from 'node:net' */

/**
 * A relay in a separate process that simulates the distance between a client and a server: each direction takes half a
 * round trip. The kernel completes the TCP handshake before the relay sees the connection, so the relay holds each
 * connection's first bytes for a round trip instead.
 *
 *     node bench/studies/distance/relay.js '{"port":8443,"roundTrip":20}'
 *
 * It prints `{"port":…}` once it listens. When its standard input closes, it prints
 * `{"connections":…,"flights":…,"most":…,"median":…}`: the total flights, and the maximum and median per connection.
 */
const { port, roundTrip } = JSON.parse(process.argv[2]);
/** @type {FlightCount[]} */
const counts = [];

const relay = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const server = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
  const count = new FlightCount();
  counts.push(count);
  client.on('data', () => count.clientSpoke());
  server.on('data', () => count.serverSpoke());
  join(client, delayLine(roundTrip), server);
  join(server, delayLine(0), client);
});
relay.listen(0, '127.0.0.1', () => {
  const address = /** @type {AddressInfo} */ (relay.address());
  process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});
process.stdin.once('close', () => process.stdout.write(report(), () => process.exit(0))).resume();

function report() {
  const flights = counts.map((count) => count.flights);
  const total = flights.reduce((sum, count) => sum + count, 0);
  const summary =
    flights.length === 0 ? { most: 0, median: 0 } : { most: Math.max(...flights), median: median(flights) };
  return `${JSON.stringify({ connections: flights.length, flights: total, ...summary })}\n`;
}

/** @param {number} firstBytesHold ms */
function delayLine(firstBytesHold) {
  return new DelayLine({ delay: roundTrip / 2, firstBytesHold, now: () => performance.now(), wake: exactWake });
}

/**
 * @param {Socket} from
 * @param {DelayLine} line
 * @param {Socket} to
 */
function join(from, line, to) {
  pipeline(from, line, to, (error) => {
    // A reset of one side also resets the other.
    if (error) {
      from.destroy();
      to.destroy();
    }
  });
}
