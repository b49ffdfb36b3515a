import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { TestContext } from 'node:test' */

/** What a request has in its first line that has a slice run. */
const SLICE = '?slice';

/**
 * Stands between a client and the Worker. It passes everything on, but for the first slice over a connection that has been used
 * before: that connection it closes instead, as a server does that has found it idle for too long.
 *
 * @param {Pick<TestContext, 'after'>} t
 * @param {URL} target
 */
export async function startRelay(t, { hostname, port }) {
  const relay = { port: 0, closed: 0 };
  const server = createServer((client) => {
    const worker = connect(Number(port), hostname);
    let slices = 0;
    client.on('data', (chunk) => {
      slices += Number(chunk.includes(SLICE));
      if (slices === 2 && relay.closed === 0) {
        relay.closed += 1;
        client.destroy();
        worker.destroy();
        return;
      }
      worker.write(chunk);
    });
    worker.on('data', (chunk) => client.write(chunk));
    for (const [one, other] of [
      [client, worker],
      [worker, client],
    ]) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  relay.port = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  return relay;
}
