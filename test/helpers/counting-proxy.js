import { Agent, createServer, request } from 'node:http';
import { once } from 'node:events';
import { pipeline } from 'node:stream';

/**
 * @import { IncomingMessage } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/**
 * A server in front of an endpoint, which counts requests by R2's billing classes.
 *
 * @param {TestContext} t
 * @param {number} endpointPort
 */
export async function startCountingProxy(t, endpointPort) {
  const counts = { A: 0, B: 0, free: 0 };
  /** Names of headers about checksums. @type {Set<string>} */
  const checksums = new Set();
  /** Targets of all requests. @type {string[]} */
  const targets = [];
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ noDelay: true }, (incoming, answer) => {
    counts[classOf(incoming)] += 1;
    targets.push(incoming.url ?? '');
    Object.keys(incoming.headers)
      .filter((name) => name.startsWith('x-amz-checksum'))
      .forEach((name) => checksums.add(name));
    const { method, url, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: endpointPort, method, path: url, headers, agent });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 0, response.rawHeaders);
      pipeline(response, answer, () => {});
    });
    pipeline(incoming, outgoing, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { port: /** @type {AddressInfo} */ (server.address()).port, counts, checksums, targets };
}

/** @param {IncomingMessage} request @returns {'A' | 'B' | 'free'} */
function classOf({ method, url = '' }) {
  if (method === 'DELETE' || /[?&]delete/.test(url)) {
    return 'free';
  }
  return method === 'HEAD' || (method === 'GET' && !/[?&](list-type|uploads)/.test(url)) ? 'B' : 'A';
}
