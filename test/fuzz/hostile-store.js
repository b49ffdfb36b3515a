import { startSocketServer } from '../helpers/socket-server.js';

/**
 * @import { Target } from '../helpers/store.js'
 * @import { GarbageAnswer } from './garbage-answers.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} HostileStore
 * @property {number} port
 * @property {GarbageAnswer} answer to every request; may change between requests
 */

const CREDENTIALS = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };

const END_OF_HEAD = '\r\n\r\n';

/**
 * Starts a server that answers each request, after its head, with the given bytes.
 *
 * @param {TestContext} t
 * @param {GarbageAnswer} [answer]
 * @returns {Promise<HostileStore>}
 */
export async function startHostileStore(t, answer = () => {}) {
  const store = { port: 0, answer };
  const { port } = await startSocketServer(t, {
    onSocket: (socket) => {
      let head = '';
      socket.on('data', (chunk) => {
        head += chunk.toString('latin1');
        if (head.includes(END_OF_HEAD)) {
          // The rest is a body: the next request starts with its method.
          const request = head;
          head = '';
          store.answer(socket, request);
        }
      });
    },
  });
  store.port = port;
  return store;
}

/**
 * @param {HostileStore} store
 * @returns {Target} for a client
 */
export function targetOf({ port }) {
  return { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls: null };
}

/**
 * @param {Pick<HostileStore, 'port'>} store
 * @returns {Record<string, string>} the variables with its address
 */
export function environmentOf({ port }) {
  return {
    S3_BUCKET: 'bucket-a',
    S3_HOSTNAME: '127.0.0.1',
    S3_PORT: String(port),
    S3_USE_SSL: '0',
    S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
    S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
  };
}

/**
 * @param {number} status
 * @param {string | Buffer} content
 * @returns {GarbageAnswer} complete and well-formed, except for its content
 */
export function answerOf(status, content) {
  const head = `HTTP/1.1 ${status} X\r\nContent-Type: application/xml\r\nContent-Length: ${Buffer.byteLength(content)}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), Buffer.from(content)]);
  return (socket) => socket.write(bytes);
}
