import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { runBareClient } from './bare-client.js';

// The cost of Node's sockets and OpenSSL alone. Sends the direct client's requests over one socket per thread, reads into a
// shared buffer, and looks only at the length of a response. No client on Node can be much cheaper.
//
//     node bench/bare-sockets.js <objects> <threads> <bytes>

const { S3_HOSTNAME: host, S3_PORT, S3_USE_SSL, NODE_EXTRA_CA_CERTS = '' } = process.env;
const useTls = S3_USE_SSL !== '0';

const OPENING_AT_ONCE = 50;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** All sockets can share it, because each read is processed before the next one begins. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
const secureContext = useTls ? tls.createSecureContext({ ca: readFileSync(NODE_EXTRA_CA_CERTS) }) : undefined;
/** @type {Buffer | undefined} */
let session;

class BareThread {
  #socket;
  /** Remaining bytes of the response; -1 before its head. */
  #left = -1;
  #hasBody = false;
  /** @type {() => void} */
  #resolve = () => {};

  constructor() {
    const onread = {
      buffer: readBuffer,
      callback: (/** @type {number} */ length) => {
        this.#receive(length);
        return true;
      },
    };
    const target = { host, port: Number(S3_PORT), onread };
    this.#socket = useTls
      ? tls.connect(/** @type {tls.ConnectionOptions} */ ({ ...target, secureContext, session, servername: '' }))
      : net.connect(target);
    this.#socket.setNoDelay(true).on('session', (/** @type {Buffer} */ ticket) => (session = ticket));
    this.opened = once(this.#socket, useTls ? 'secureConnect' : 'connect');
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Buffer | null} body
   * @returns {Promise<void>}
   */
  send(method, path, body) {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#hasBody = method !== 'HEAD';
      const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}:${S3_PORT}\r\nconnection: keep-alive\r\n`;
      if (body === null) {
        this.#socket.write(`${head}\r\n`, 'latin1');
        return;
      }
      this.#socket.cork();
      this.#socket.write(`${head}content-length: ${body.length}\r\n\r\n`, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    });
  }

  close() {
    this.#socket.destroy();
  }

  /** @param {number} length */
  #receive(length) {
    let body = length;
    if (this.#left < 0) {
      const headEnd = readBuffer.subarray(0, length).indexOf(END_OF_HEAD) + END_OF_HEAD.length;
      const [, size = '0'] = /\r\ncontent-length: *(\d+)/i.exec(readBuffer.toString('latin1', 0, headEnd)) ?? [];
      this.#left = this.#hasBody ? Number(size) : 0;
      body = length - headEnd;
    }
    this.#left -= body;
    if (this.#left === 0) {
      this.#left = -1;
      this.#resolve();
    }
  }
}

await runBareClient(async (threads) => {
  /** @type {BareThread[]} */
  const opened = [];
  while (opened.length < threads) {
    const count = Math.min(OPENING_AT_ONCE, threads - opened.length);
    const some = Array.from({ length: count }, () => new BareThread());
    await Promise.all(some.map((thread) => thread.opened));
    opened.push(...some);
  }
  return opened;
});
