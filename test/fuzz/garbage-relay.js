import { once } from 'node:events';
import http from 'node:http';
import { UNUSABLE_ANSWERS, UNUSABLE_BODIES } from './garbage-answers.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

const ADDRESS = '127.0.0.1';

/**
 * @typedef {object} GarbageRelay
 * @property {number} port
 * @property {number} garbled answers so far
 */

/**
 * Starts a relay to a store that replaces the answer to every nth request for an object with garbage, each kind in turn. The
 * request itself takes effect.
 *
 * @param {TestContext} t
 * @param {{ port: number, nth: number }} options the port of the store
 * @returns {Promise<GarbageRelay>}
 */
export async function startGarbageRelay(t, { port: storePort, nth }) {
  const agent = new http.Agent({ keepAlive: true });
  const relay = { port: 0, garbled: 0 };
  let requests = 0;
  const server = http.createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    const { method = '', url = '', rawHeaders: headers, socket } = incoming;
    const onwards = http.request({ agent, host: ADDRESS, port: storePort, method, path: url, headers });
    incoming.pipe(onwards);
    const [answer] = await once(onwards, 'response');
    const body = Buffer.concat(await answer.toArray());
    const [path] = url.split('?');
    const isObject = path.includes('/benchmark/');
    requests += Number(isObject);
    if (isObject && requests % nth === 0) {
      garbageFor(method, relay.garbled)(socket);
      relay.garbled += 1;
    } else {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders).end(body);
    }
  });
  // Data on a connection that the client gives up is ignored.
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('connection', (socket) => socket.on('error', () => {}));
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  relay.port = /** @type {AddressInfo} */ (server.address()).port;
  t.after(() => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return relay;
}

/**
 * @param {string} method
 * @param {number} turn
 */
function garbageFor(method, turn) {
  const answers = Object.values(method === 'GET' ? { ...UNUSABLE_ANSWERS, ...UNUSABLE_BODIES } : UNUSABLE_ANSWERS);
  return answers[turn % answers.length];
}
