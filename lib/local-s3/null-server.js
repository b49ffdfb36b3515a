import net from 'node:net';
import tls from 'node:tls';
import { Listener } from './listener.js';
import { NullAnswers } from './null-answers.js';
import { MalformedRequest, RequestReader } from './request-reader.js';
import { route } from './router.js';
import { Tally } from './tally.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Endpoint, EndpointOptions } from './endpoint.js'
 * @import { NullAnswer } from './null-answers.js'
 * @import { RequestHead } from './request-reader.js'
 */

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/**
 * An endpoint for measuring a client alone: it checks no signatures, stores nothing, and generates objects from their
 * keys. It implements HTTP/1.1 on plain sockets, because node:http would use more CPU than everything else.
 *
 * @implements {Endpoint}
 */
export class NullServer {
  #tally = new Tally(Date.now);
  #answers;
  #listener;
  #second = 0;
  #dateHeader = '';

  /**
   * @param {EndpointOptions} options
   * @throws {Error} if faults are given
   */
  constructor(options) {
    if (options.faults !== '') {
      throw new Error(`Null mode injects no faults: expected an empty script, got '${options.faults}'`);
    }
    this.#answers = new NullAnswers(options.objectSize);
    const serve = (/** @type {Socket} */ socket) => this.#serve(socket);
    const server =
      options.tls === null
        ? net.createServer({ noDelay: true }, serve)
        : tls.createServer({ ...options.tls, noDelay: true, ALPNProtocols: ['http/1.1'] }, serve);
    this.#listener = new Listener(server, () => this.#tally.countConnection());
  }

  /** @param {number} port */
  listen(port) {
    return this.#listener.listen(port);
  }

  report() {
    return this.#tally.report({ objects: {}, uploads: {} });
  }

  put() {
    throw new Error('Null mode keeps no objects: use mode store to add one');
  }

  list() {
    return [];
  }

  /** @param {Socket} socket */
  #serve(socket) {
    const reader = new RequestReader((request) => this.#answer(socket, request));
    // A client that disconnects is not an error of the endpoint.
    socket.on('error', () => socket.destroy());
    socket.on('data', (/** @type {Buffer} */ chunk) => {
      try {
        reader.accept(chunk);
      } catch (error) {
        if (!(error instanceof MalformedRequest)) {
          throw error;
        }
        socket.end(BAD_REQUEST);
      }
    });
  }

  /**
   * @param {Socket} socket
   * @param {RequestHead} request
   */
  #answer(socket, { method, url, isLast }) {
    const { operation, target, refusal } = route(method, url);
    this.#tally.countRequest(operation);
    const answer = this.#answers.answer(operation, target, refusal);
    const ending = isLast ? 'Connection: close\r\n\r\n' : '\r\n';
    send(socket, `${answer.head}${this.#date()}${ending}`, method === 'HEAD' ? '' : answer.body);
    this.#tally.countAnswer(operation, answer.status);
    if (isLast) {
      socket.end();
    }
  }

  /** The Date header, updated once per second. */
  #date() {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#dateHeader = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    }
    return this.#dateHeader;
  }
}

/**
 * Sends a response with as few system calls as possible.
 *
 * @param {Socket} socket
 * @param {string} head
 * @param {NullAnswer['body']} body
 */
function send(socket, head, body) {
  if (body === '') {
    socket.write(head, 'latin1');
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  for (const part of Buffer.isBuffer(body) ? [body] : body) {
    socket.write(part);
  }
  socket.uncork();
}
