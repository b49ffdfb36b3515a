import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { startProcess } from '../../bench/studies/started-process.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

const RELAY = new URL('../../bench/studies/distance/relay.js', import.meta.url);
const ROUND_TRIP = 10;

/**
 * @param {TestContext} t
 * @param {(socket: Socket) => void} serve
 */
async function connectThroughRelay(t, serve) {
  const server = createServer({ allowHalfOpen: true }, serve).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const relay = await startProcess(RELAY, { port, roundTrip: ROUND_TRIP });
  const client = connect({ host: '127.0.0.1', port: relay.offer.port });
  t.after(() => client.destroy());
  return { client, relay };
}

test('the first answer takes two round trips, the next takes one, and the relay counts the flights', async (t) => {
  const { client, relay } = await connectThroughRelay(t, (socket) => socket.pipe(socket));
  for (const roundTrips of [2, 1, 1]) {
    const askedAt = performance.now();
    client.write('ask');
    const [answer] = await once(client, 'data');
    assert.equal(String(answer), 'ask');
    assert.ok(performance.now() - askedAt >= roundTrips * ROUND_TRIP);
  }
  client.end();
  await once(client, 'end');
  assert.deepEqual(await relay.stop(), { connections: 1, flights: 3, most: 3, median: 3 });
});

test('a connection that the server breaks off breaks off for the client', async (t) => {
  const { client, relay } = await connectThroughRelay(t, (socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  );
  client.on('error', () => {});
  client.write('ask');
  await once(client, 'close');
  assert.deepEqual(await relay.stop(), { connections: 1, flights: 1, most: 1, median: 1 });
});
