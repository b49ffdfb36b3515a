import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createSecureContext } from 'node:tls';
import { Keyspace } from '../lib/workload/keyspace.js';
import { startNullEndpoint } from './null-endpoint.js';
import { describeMachine } from './studies/machine.js';
import { formatTable } from './studies/table.js';

/** @import { ConnectionOptions, TLSSocket } from 'node:tls' */

// Measures memory per TLS connection in Node without any client: when open, after receiving an object, and after sending one.
// The figures are differences in memory use after garbage collection.
//
//     node --expose-gc bench/connection-memory.js [connections]

const OBJECT_SIZE = 16 * 1024;
const connections = Number(process.argv[2] ?? 1000);
const endpoint = await startNullEndpoint({ objectSize: OBJECT_SIZE, useTls: true });
const { S3_HOSTNAME: host, S3_PORT, S3_BUCKET: bucket, NODE_EXTRA_CA_CERTS: authority } = endpoint.env;
const port = Number(S3_PORT);
const path = `/${bucket}/${new Keyspace({ runId: 'memory', prefix: 'benchmark', buckets: [bucket] }).keyOf(0)}`;

/** All sockets can share it, because each read is processed before the next one begins. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);
const secureContext = createSecureContext({ ca: readFileSync(authority) });
const object = Buffer.alloc(OBJECT_SIZE);
/** @type {Buffer | undefined} */
let session;

class Connection {
  #received = 0;
  #expected = 0;
  /** @type {() => void} */
  #done = () => {};
  /** @type {TLSSocket} */
  #socket;

  constructor() {
    const callback = (/** @type {number} */ length) => {
      this.#received += length;
      if (this.#received >= this.#expected) {
        this.#done();
      }
      return true;
    };
    const options = { host, port, secureContext, session, servername: '', onread: { buffer, callback } };
    this.#socket = connect(/** @type {ConnectionOptions} */ (options));
    this.#socket.setNoDelay(true).on('session', (ticket) => (session = ticket));
    this.opened = once(this.#socket, 'secureConnect');
  }

  /**
   * @param {string} method
   * @param {number} expected minimum bytes of the response
   * @param {Buffer} [body]
   * @returns {Promise<void>}
   */
  send(method, expected, body) {
    this.#received = 0;
    this.#expected = expected;
    const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
    this.#socket.cork();
    this.#socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${length}\r\n`, 'latin1');
    if (body !== undefined) {
      this.#socket.write(body);
    }
    this.#socket.uncork();
    return new Promise((resolve) => (this.#done = resolve));
  }

  close() {
    this.#socket.destroy();
  }
}

/** @type {Connection[]} */
const opened = [];
const steps = {
  'open, and kept alive': async () => {
    const connection = new Connection();
    opened.push(connection);
    await connection.opened;
  },
  'has received 16 KiB': (/** @type {number} */ index) => opened[index].send('GET', OBJECT_SIZE),
  'has sent 16 KiB': (/** @type {number} */ index) => opened[index].send('PUT', 1, object),
};

const rows = [];
let before = usage();
for (const [step, work] of Object.entries(steps)) {
  for (let index = 0; index < connections; index++) {
    await work(index);
  }
  const after = usage();
  rows.push([step, perConnection(after.rss - before.rss), perConnection(after.heapUsed - before.heapUsed)]);
  before = after;
}
opened.forEach((connection) => connection.close());
await endpoint.close();
process.stdout.write(`${describeMachine([])}\n${connections} connections, KiB per connection\n\n`);
process.stdout.write(`${formatTable(['connection', 'resident', 'JavaScript'], rows)}\n`);

function usage() {
  globalThis.gc?.();
  return process.memoryUsage();
}

/** @param {number} bytes */
function perConnection(bytes) {
  return (bytes / connections / 1024).toFixed(1);
}
