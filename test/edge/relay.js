import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { TestContext } from 'node:test' */

/** In the first line of a request that runs a slice. */
const SLICE = '?slice';

/**
 * Relays traffic between a client and the Worker. When the first slice arrives over a connection that was used before,
 * it closes that connection instead, as a server does after an idle timeout.
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
