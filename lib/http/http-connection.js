import { connectionClosed } from './connection-errors.js';
import { ResponseParser } from './response-parser.js';
import { readFrom } from './socket-reader.js';

/**
 * @import { Socket } from 'node:net'
 * @import { KeepAliveAgent } from './keep-alive-agent.js'
 * @import { ResponseHandler } from './response-parser.js'
 */

/** A body is handed to the socket in pieces of at most so much, each once the one before has gone. Bytes. */
const MAX_PIECE_BYTES = 256 * 1024;

/** How long before the end that the other side announces (`Keep-Alive: timeout=`) a connection is given up. */
const KEEP_ALIVE_MARGIN_MS = 500;

/** How long the rest of an answer is waited for on a connection that takes no more. */
const LAST_WORDS_MS = 1000;

/**
 * What a request is made of. The texts go out as they are.
 *
 * @typedef {object} HttpRequest
 * @property {string} method
 * @property {string} target path and query, percent-encoded
 * @property {readonly string[]} headers name, value, name, value, …; without Host, Connection and those of a body
 * @property {Buffer | Iterable<Buffer> | null} body its bytes must stay as they are until the answer has come
 * @property {number} size bytes of the body
 */

/**
 * Who sends a request and listens to what becomes of it: in the end either `onEnd` or `onError` is called.
 *
 * @typedef {ResponseHandler & RequestHandler} HttpHandler
 *
 * @typedef {object} RequestHandler
 * @property {() => void} [onConnection] the request goes over a connection that has carried none before
 * @property {(bytes: number) => void} onSent so many more bytes of the body have been taken by the connection
 * @property {(isProven: boolean) => void} onEnd the answer is complete; not proven where its end is that of the connection:
 *   over TLS Node does not tell an orderly end from one that was forged, so size or content have to prove it
 * @property {(error: Error) => void} onError
 */

/**
 * One connection at a time, kept alive from request to request and opened anew where there is none. It carries one request
 * at a time. Where a request has no answer, nothing is sent again here: `isSent`, `hasWaited` and `hasAnswerBegun` say what
 * may have become of it.
 */
export class HttpConnection {
  #agent;
  #keepAlive;
  #now;
  #handler;
  #parser;
  /** What each head has behind its target. */
  #commonHeaders;
  /** @type {Socket | null} */
  #socket = null;
  /** Stands for a connection that is being opened. @type {object | null} */
  #opening = null;
  #isBusy = false;
  /** @type {HttpRequest | null} */
  #request = null;
  /** Of the body that is being sent. @type {Iterator<Buffer> | null} */
  #pieces = null;
  #pieceLength = 0;
  /** Bytes of it that the connection has not taken yet. */
  #bytesLeft = 0;
  /** A part of the request has not been taken by the connection yet. */
  #isSending = false;
  #isPaused = false;
  /** The answer is complete, and only waits for the connection to say that it has taken the request. */
  #isAnswered = false;
  /** Bytes are being looked at: nothing may change under the parser until it has returned. */
  #isAccepting = false;
  /** What the request fails with once the parser has returned. @type {Error | null} */
  #failure = null;
  /** What has come although nobody takes it. @type {Buffer[]} */
  #backlog = [];
  /** The other side has ended the connection behind what nobody has taken yet. */
  #endsAfterBacklog = false;
  /** Monotonic ms. */
  #usableUntil = Infinity;
  /** @type {(error?: Error | null) => void} */
  #pieceTaken = () => {};

  /** Whether the request has begun to be sent. */
  isSent = false;
  /** The connection had been open before the request: the other side may have closed it meanwhile. */
  hasWaited = false;

  /**
   * @param {HttpHandler} handler
   * @param {object} options
   * @param {KeepAliveAgent} options.agent that opens the connections
   * @param {string} options.host the value of the Host header
   * @param {boolean} options.keepAlive whether a connection may carry more than one request
   * @param {() => number} options.now monotonic ms
   */
  constructor(handler, { agent, host, keepAlive, now }) {
    this.#agent = agent;
    this.#keepAlive = keepAlive;
    this.#now = now;
    this.#handler = handler;
    this.#parser = new ResponseParser(handler);
    this.#commonHeaders = ` HTTP/1.1\r\nhost: ${host}\r\nconnection: ${keepAlive ? 'keep-alive' : 'close'}\r\n`;
  }

  /** Whether a byte of the answer to the last request has come. */
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
    if (this.#socket !== null && this.#now() >= this.#usableUntil) {
      this.#discard();
    }
    if (this.#socket === null) {
      this.#open();
    } else {
      this.hasWaited = true;
      this.#agent.reused += 1;
      this.#write(this.#socket);
    }
  }

  /**
   * Ends the request under way, and its connection. Within `onHeader`, `onHead` and `onBody` it takes effect once the bytes
   * at hand have been looked at.
   *
   * @param {Error} error that it fails with
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

  /** Stops the body that is coming in. What the system had handed over before still comes, once there is a {@link resume}. */
  pause() {
    if (this.#isBusy && !this.#isAnswered) {
      this.#isPaused = true;
      this.#socket?.pause();
    }
  }

  resume() {
    this.#isPaused = false;
    if (!this.#isAccepting) {
      this.#acceptBacklog();
    }
    if (!this.#isPaused) {
      this.#socket?.resume();
    }
  }

  /** Up to the next pause. */
  #acceptBacklog() {
    for (let bytes = this.#backlog.shift(); bytes !== undefined; bytes = this.#backlog.shift()) {
      this.#accept(bytes, bytes.length);
      if (this.#isPaused) {
        return;
      }
    }
    if (this.#endsAfterBacklog) {
      this.#endOfInput();
    }
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
    this.#usableUntil = Infinity;
    const isMine = () => this.#socket === socket;
    readFrom(socket, (bytes, length) => isMine() && this.#receive(bytes, length));
    socket.on('end', () => isMine() && this.#endOfInput());
    socket.on('error', (error) => isMine() && this.#broken(error));
    socket.on('close', () => isMine() && !this.#endsAfterBacklog && this.#broken(closedByOtherSide()));
    this.#pieceTaken = (error) => isMine() && this.#takePiece(error);
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error) => {
      if (isMine() && this.#isBusy && isFailedWrite(error)) {
        this.#awaitLastWords(() => {
          // Node says nothing of the end of a connection that it could not write to.
          if (isMine() && this.#isBusy && this.#parser.finish()) {
            this.#endOfInput();
          } else {
            destroy(error);
          }
        });
        return socket;
      }
      return destroy(error);
    };
  }

  /**
   * Node ends a socket that cannot be written to, although the reason may lie there unread: a store that refuses an upload
   * answers, and closes the connection. What came before the end is there already: a turn of the event loop reads it.
   *
   * @param {() => void} giveUp
   */
  #awaitLastWords(giveUp) {
    const giveUpUnlessAnswered = () => {
      if (this.hasAnswerBegun) {
        setTimeout(giveUp, LAST_WORDS_MS).unref();
      } else {
        giveUp();
      }
    };
    // The first may still be one of the turn under way.
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
      // Head and body leave together.
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
    // An error comes as one of the socket, too.
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
      // Nobody asked for it: it is the other side's farewell, such as a 408.
      this.#discard();
    } else if (this.#isPaused) {
      this.#backlog.push(Buffer.from(bytes.subarray(0, length)));
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
      this.#complete(end === length && this.#backlog.length === 0);
    }
  }

  /** @param {boolean} isClean whether nothing came behind the answer */
  #complete(isClean) {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket?.resume();
    }
    if (this.#isSending && isClean && !this.#isAnswered) {
      this.#awaitSent();
    } else {
      this.#finish(isClean);
    }
  }

  /**
   * Over TLS a write is only said to be done at the end of a turn of the event loop, and an answer may be faster. What is
   * not said to be done by then is not: the answer came early.
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
    const { isPersistent, keepAliveTimeout } = this.#parser;
    this.#isBusy = false;
    this.#isAnswered = false;
    const isUsable = this.#socket?.writable === true && !this.#isSending && !this.#endsAfterBacklog;
    if (this.#keepAlive && isPersistent && isClean && isUsable) {
      this.#usableUntil =
        keepAliveTimeout === Infinity ? Infinity : this.#now() + keepAliveTimeout - KEEP_ALIVE_MARGIN_MS;
    } else {
      this.#discard();
    }
    this.#handler.onEnd(true);
  }

  #endOfInput() {
    if (this.#isPaused) {
      this.#endsAfterBacklog = true;
    } else if (this.#isBusy && this.#parser.finish()) {
      this.#isBusy = false;
      this.#discard();
      this.#handler.onEnd(false);
    } else {
      this.#broken(closedByOtherSide());
    }
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
    this.#isPaused = false;
    this.#backlog = [];
    this.#endsAfterBacklog = false;
    socket?.destroy();
  }
}

/**
 * @param {Iterable<Buffer>} parts
 * @returns {Generator<Buffer, void, undefined>} the same bytes in pieces that are short enough
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

/** @param {NodeJS.ErrnoException} [error] */
function isFailedWrite(error) {
  return error?.syscall === 'write';
}
