import { connectionClosed } from './connection-errors.js';
import { ResponseParser } from './response-parser.js';
import { readFrom } from './socket-reader.js';

/**
 * @import { Socket } from 'node:net'
 * @import { KeepAliveAgent } from './keep-alive-agent.js'
 * @import { ResponseHandler } from './response-parser.js'
 */

/** Maximum bytes of a body to write to the socket at once. */
const MAX_PIECE_BYTES = 256 * 1024;

/** How long to wait for the rest of a response on a connection that accepts no more writes. */
const FINAL_RESPONSE_MS = 1000;

/**
 * @typedef {object} HttpRequest its strings are sent unchanged
 * @property {string} method
 * @property {string} target path and query, percent-encoded
 * @property {readonly string[]} headers name, value, name, value, …; without Host, Connection and Content-Length
 * @property {Buffer | Iterable<Buffer> | null} body its bytes must not change until the response has arrived
 * @property {number} size bytes of the body
 */

/**
 * Receives the outcome of a request: every request ends with exactly one call of either `onEnd` or `onError`.
 *
 * @typedef {ResponseHandler & RequestHandler} HttpHandler
 *
 * @typedef {object} RequestHandler
 * @property {() => void} [onConnection] called if the request is the first on its connection
 * @property {(bytes: number) => void} onSent called when the socket has accepted this many more bytes of the body
 * @property {() => void} onEnd called when the response is complete
 * @property {(error: Error) => void} onError
 */

/**
 * Sends one request at a time over one connection, which it keeps alive between requests and reopens when needed. It
 * never resends a request: `isSent`, `hasWaited` and `hasAnswerBegun` let the caller decide whether the server may have
 * processed a request without a response.
 */
export class HttpConnection {
  #agent;
  #keepAlive;
  #handler;
  #parser;
  /** The part of every request head that follows the target. */
  #commonHeaders;
  /** @type {Socket | null} */
  #socket = null;
  /** Identifies a connection that is being opened. @type {object | null} */
  #opening = null;
  #isBusy = false;
  /** @type {HttpRequest | null} */
  #request = null;
  /** The remaining pieces of the body being sent. @type {Iterator<Buffer> | null} */
  #pieces = null;
  #pieceLength = 0;
  /** Bytes of the body that the socket has not accepted yet. */
  #bytesLeft = 0;
  /** Whether some of the request body is still to be accepted by the socket. */
  #isSending = false;
  /** Whether the response is complete, but the write of the request is not confirmed yet. */
  #isAnswered = false;
  /** Whether the parser is running: its state must not be changed until it returns. */
  #isAccepting = false;
  /** The error to fail the request with once the parser has returned. @type {Error | null} */
  #failure = null;
  /** @type {(error?: Error | null) => void} */
  #pieceTaken = () => {};

  /** Whether sending of the request has begun. */
  isSent = false;
  /** Whether the connection was open before the request, so that the other side may have closed it in the meantime. */
  hasWaited = false;

  /**
   * @param {HttpHandler} handler
   * @param {{ agent: KeepAliveAgent, host: string, keepAlive: boolean }} options `host`: the value of the Host header;
   *   `keepAlive`: whether a connection may carry more than one request
   */
  constructor(handler, { agent, host, keepAlive }) {
    this.#agent = agent;
    this.#keepAlive = keepAlive;
    this.#handler = handler;
    this.#parser = new ResponseParser(handler);
    this.#commonHeaders = ` HTTP/1.1\r\nhost: ${host}\r\nconnection: ${keepAlive ? 'keep-alive' : 'close'}\r\n`;
  }

  /** Whether a byte of the response to the last request has arrived. */
  get hasAnswerBegun() {
    return this.#parser.hasBegun;
  }

  /** @param {HttpRequest} request */
  send(request) {
    this.#request = request;
    this.#isBusy = true;
    this.isSent = false;
    this.hasWaited = false;
    this.#parser.begin(request.method === 'HEAD');
    if (this.#socket === null) {
      this.#open();
    } else {
      this.hasWaited = true;
      this.#agent.reused += 1;
      this.#write(this.#socket);
    }
  }

  /**
   * Ends the current request and its connection. If called from `onHeader`, `onHead` or `onBody`, it takes effect once
   * the current bytes have been parsed.
   *
   * @param {Error} error to fail the request with
   */
  abort(error) {
    if (this.#isAccepting) {
      this.#failure ??= error;
    } else if (this.#isBusy) {
      this.#fail(error);
    }
  }

  close() {
    this.abort(connectionClosed('the connection was closed'));
    this.#discard();
  }

  #open() {
    const opening = {};
    this.#opening = opening;
    this.#agent.connect(
      (error, socket, openedAhead) => {
        if (this.#opening !== opening) {
          socket?.destroy();
          return;
        }
        this.#opening = null;
        if (socket === null) {
          this.#fail(/** @type {Error} */ (error));
          return;
        }
        this.hasWaited = openedAhead;
        this.#adopt(socket);
        this.#write(socket);
      },
      () => this.#opening === opening,
    );
  }

  /** @param {Socket} socket */
  #adopt(socket) {
    this.#socket = socket;
    this.#handler.onConnection?.();
    const isMine = () => this.#socket === socket;
    readFrom(socket, (bytes, length) => isMine() && this.#receive(bytes, length));
    socket.on('end', () => isMine() && this.#broken(closedByOtherSide()));
    socket.on('error', (error) => isMine() && this.#broken(error));
    socket.on('close', () => isMine() && this.#broken(closedByOtherSide()));
    this.#pieceTaken = (error) => isMine() && this.#takePiece(error);
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error) => {
      if (isMine() && this.#isBusy && /** @type {NodeJS.ErrnoException | undefined} */ (error)?.syscall === 'write') {
        this.#awaitLastWords(() => destroy(error));
        return socket;
      }
      return destroy(error);
    };
  }

  /**
   * When a write fails, Node destroys the socket, although a response may still be unread: a store that refuses an
   * upload responds, then closes the connection. The beginning of such a response has already arrived, and is read
   * within one turn of the event loop.
   *
   * @param {() => void} giveUp
   */
  #awaitLastWords(giveUp) {
    const giveUpUnlessAnswered = () => {
      if (this.hasAnswerBegun) {
        setTimeout(giveUp, FINAL_RESPONSE_MS).unref();
      } else {
        giveUp();
      }
    };
    // The first callback may still run in the current turn.
    setImmediate(() => setImmediate(giveUpUnlessAnswered));
  }

  /** @param {Socket} socket */
  #write(socket) {
    const { method, target, headers, body, size } = /** @type {HttpRequest} */ (this.#request);
    this.isSent = true;
    let head = `${method} ${target}${this.#commonHeaders}`;
    for (let place = 0; place < headers.length; place += 2) {
      head += `${headers[place]}: ${headers[place + 1]}\r\n`;
    }
    if (body === null) {
      socket.write(`${head}\r\n`, 'latin1');
      return;
    }
    head += `content-length: ${size}\r\n\r\n`;
    if (size === 0) {
      socket.write(head, 'latin1');
      return;
    }
    this.#isSending = true;
    this.#bytesLeft = size;
    if (Buffer.isBuffer(body) && size <= MAX_PIECE_BYTES) {
      this.#pieces = null;
      this.#pieceLength = size;
      // Send head and body in one write.
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body, this.#pieceTaken);
      socket.uncork();
      return;
    }
    this.#pieces = piecesOf(Buffer.isBuffer(body) ? [body] : body);
    socket.write(head, 'latin1');
    this.#writePiece(socket);
  }

  /** @param {Socket} socket */
  #writePiece(socket) {
    let piece;
    try {
      piece = this.#pieces?.next().value;
    } catch (error) {
      this.#fail(/** @type {Error} */ (error));
      return;
    }
    if (piece === undefined) {
      this.#isSending = false;
      return;
    }
    this.#pieceLength = piece.length;
    socket.write(piece, this.#pieceTaken);
  }

  /** @param {Error | null | undefined} error */
  #takePiece(error) {
    // The socket also emits the error as an event, which is handled elsewhere.
    if (error || !this.#isSending || this.#socket === null) {
      return;
    }
    this.#bytesLeft -= this.#pieceLength;
    this.#handler.onSent(this.#pieceLength);
    if (!this.#isAnswered) {
      this.#writePiece(this.#socket);
    } else {
      this.#isSending = this.#bytesLeft > 0;
      this.#complete(true);
    }
  }

  /**
   * @param {Buffer} bytes
   * @param {number} length
   */
  #receive(bytes, length) {
    if (!this.#isBusy) {
      // Unsolicited bytes mean that the other side is closing the connection, for example with a 408.
      this.#discard();
    } else {
      this.#accept(bytes, length);
    }
  }

  /**
   * @param {Buffer} bytes
   * @param {number} length
   */
  #accept(bytes, length) {
    let end = -1;
    this.#isAccepting = true;
    try {
      end = this.#parser.accept(bytes, 0, length);
    } catch (error) {
      this.#failure ??= /** @type {Error} */ (error);
    }
    this.#isAccepting = false;
    if (this.#failure !== null) {
      this.#fail(this.#failure);
    } else if (end >= 0) {
      this.#complete(end === length);
    }
  }

  /** @param {boolean} isClean whether nothing followed the response */
  #complete(isClean) {
    if (this.#isSending && isClean && !this.#isAnswered) {
      this.#awaitSent();
    } else {
      this.#finish(isClean);
    }
  }

  /**
   * Over TLS, a write is confirmed only at the end of the event loop's turn, so the response can come first. If the
   * write is still unconfirmed after the turn, the server responded before it had received the whole request.
   */
  #awaitSent() {
    const socket = this.#socket;
    this.#isAnswered = true;
    setImmediate(() => {
      if (this.#isAnswered && this.#socket === socket) {
        this.#finish(true);
      }
    });
  }

  /** @param {boolean} isClean */
  #finish(isClean) {
    this.#isBusy = false;
    this.#isAnswered = false;
    const isUsable = this.#socket?.writable === true && !this.#isSending;
    if (!(this.#keepAlive && this.#parser.isPersistent && isClean && isUsable)) {
      this.#discard();
    }
    this.#handler.onEnd();
  }

  /** @param {Error} error */
  #broken(error) {
    if (this.#isAnswered) {
      this.#finish(false);
    } else if (this.#isBusy) {
      this.#fail(error);
    } else {
      this.#discard();
    }
  }

  /** @param {Error} error */
  #fail(error) {
    this.#isBusy = false;
    this.#failure = null;
    this.#opening = null;
    this.#discard();
    this.#handler.onError(error);
  }

  #discard() {
    const socket = this.#socket;
    this.#socket = null;
    this.#isSending = false;
    this.#isAnswered = false;
    this.#pieces = null;
    socket?.destroy();
  }
}

/**
 * @param {Iterable<Buffer>} parts
 * @returns {Generator<Buffer, void, undefined>} the same bytes, in pieces of limited size
 */
function* piecesOf(parts) {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += MAX_PIECE_BYTES) {
      yield part.subarray(start, start + MAX_PIECE_BYTES);
    }
  }
}

function closedByOtherSide() {
  return connectionClosed('the other side closed the connection');
}
