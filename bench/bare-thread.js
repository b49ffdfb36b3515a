import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';

/**
 * A store, and what connections to it share.
 *
 * @typedef {object} Target
 * @property {string} host
 * @property {number} port
 * @property {tls.SecureContext | null} secureContext null without TLS
 * @property {Buffer | undefined} session the last one, for the next connection
 */

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** All sockets can share it, because each read is processed before the next one begins. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * @param {NodeJS.ProcessEnv} env of an endpoint
 * @returns {Target}
 */
export function targetOf({ S3_HOSTNAME: host = '', S3_PORT, S3_USE_SSL, NODE_EXTRA_CA_CERTS = '' }) {
  const secureContext = S3_USE_SSL === '0' ? null : tls.createSecureContext({ ca: readFileSync(NODE_EXTRA_CA_CERTS) });
  return { host, port: Number(S3_PORT), secureContext, session: undefined };
}

/** Sends requests one at a time over a socket, and looks only at the length of a response. */
export class BareThread {
  #socket;
  #hostHeader;
  /** Remaining bytes of the response; -1 before its head. */
  #left = -1;
  #hasBody = false;
  /** @type {() => void} */
  #resolve = () => {};

  /** @param {Target} target */
  constructor(target) {
    this.#hostHeader = `${target.host}:${target.port}`;
    const onread = {
      buffer: readBuffer,
      callback: (/** @type {number} */ length) => {
        this.#receive(length);
        return true;
      },
    };
    const { secureContext } = target;
    const options = { host: target.host, port: target.port, onread };
    this.#socket =
      secureContext === null
        ? net.connect(options)
        : tls.connect(
            /** @type {tls.ConnectionOptions} */ ({
              ...options,
              secureContext,
              session: target.session,
              servername: '',
            }),
          );
    this.#socket.setNoDelay(true).on('session', (/** @type {Buffer} */ ticket) => (target.session = ticket));
    this.opened = once(this.#socket, secureContext === null ? 'connect' : 'secureConnect');
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
      const head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#hostHeader}\r\nconnection: keep-alive\r\n`;
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
