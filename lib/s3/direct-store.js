import { Client } from 'undici';
import { headerOf, isNamed } from '../http/raw-headers.js';
import { parseErrorBody } from './error-response.js';
import { etagDigest, mayResendAtOnce, transferOf } from './object-connection.js';
import { redactor } from './redact.js';
import { S3_CALLS } from './s3-calls.js';
import { AttemptError, classifyAnswer, classifyFailure, unreadableAnswer } from './s3-error.js';
import { EMPTY_PAYLOAD_HASH, RequestSigner, UNSIGNED_PAYLOAD, canonicalQuery, payloadHash } from './sigv4.js';

/**
 * @import { BodySink, ObjectConnection, ObjectRequest, ObjectStore, Reply, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 */

/** As much of an error's body as is kept to read its code from. */
const MAX_ERROR_BODY_LENGTH = 8192;

/** Longer than any pause between two requests of a run; a shorter one that the store announces goes before. */
const KEEP_ALIVE_TIMEOUT_MS = 600_000;

/** How long before the end that a store announces with `Keep-Alive: timeout=` a connection is given up. */
const KEEP_ALIVE_MARGIN_MS = 500;

/** S3 begins to answer some requests before it has carried them out: what goes wrong then stands in the body of a 200. */
const ERROR_BODY = '<Error>';

/**
 * The direct client: requests signed here, sent over undici, one keep-alive connection a thread. It is made to cost as
 * little as possible for each operation, so that what is measured is the store.
 *
 * @implements {ObjectStore}
 */
export class DirectStore {
  #options;
  #origin;
  #signer;
  #redact;
  /** @type {DirectConnection[]} */
  #connections = [];

  /** @param {StoreOptions} options */
  constructor(options) {
    const { useTls, hostname, port, credentials, region, epochNow } = options;
    this.#options = options;
    this.#origin = new URL(
      `${useTls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`,
    );
    this.#signer = new RequestSigner({ credentials, region, host: this.#origin.host, now: epochNow });
    this.#redact = redactor(credentials);
  }

  openConnection() {
    const connection = new DirectConnection(this.#origin, this.#signer, this.#redact, this.#options);
    this.#connections.push(connection);
    return connection;
  }

  async close() {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}

/**
 * One thread's connection, and at the same time the handler of the request that it carries: undici calls the on…
 * methods. Its raw form of a handler is used because it leaves the headers unparsed.
 *
 * @implements {ObjectConnection}
 */
class DirectConnection {
  #origin;
  #signer;
  #redact;
  #agent;
  #keepAlive;
  #now;
  #epochNow;
  #payloadIsSigned;
  /** @type {Client} */
  #client;
  /** Reused for every request: undici copies what it needs. @type {any} */
  #request;
  /** @type {(resolve: () => void, reject: (error: Error) => void) => void} */
  #dispatch;
  /** Of the attempt under way. @type {S3Call} */
  #call = S3_CALLS.HeadObject;
  /** Where an object in the answer goes; null where none is expected. @type {BodySink | null} */
  #sink = null;
  /** The answer of a call whose output is a document. @type {Buffer[]} */
  #document = [];
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};
  /** @type {((error: Error) => void) | null} */
  #abortRequest = null;
  /** The connection has just been handed over by the agent: the request on it will be its first. */
  #isFresh = false;
  /** The store may have closed the connection before the request was sent. */
  #hasWaited = false;
  #status = 0;
  /** @type {Buffer[]} */
  #headers = [];
  #failureBody = '';
  /** Bytes of the object that is being written. */
  #size = 0;

  /** @type {Reply} */
  reply = { etagDigest: 0, contentLength: -1, output: {} };
  startedAt = 0;
  moved = 0;
  movedBefore = 0;
  answeredAt = 0;
  idleSince = 0;

  /**
   * @param {URL} origin
   * @param {RequestSigner} signer
   * @param {(text: string) => string} redact takes secrets out of the store's answers
   * @param {StoreOptions} options
   */
  constructor(origin, signer, redact, { agent, keepAlive, useTls, now, epochNow }) {
    this.#origin = origin;
    this.#signer = signer;
    this.#redact = redact;
    this.#agent = agent;
    this.#keepAlive = keepAlive;
    this.#now = now;
    this.#epochNow = epochNow;
    this.#payloadIsSigned = !useTls;
    // Unless this is set, undici closes the connection after each HEAD.
    this.#request = { path: '', method: '', body: null, headers: null, reset: !keepAlive };
    this.#dispatch = (resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#client.dispatch(this.#request, /** @type {any} */ (this));
    };
    this.#client = this.#openClient();
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   * @returns {Promise<void>}
   */
  send(call, request) {
    const { method, query, sendsObject } = call;
    const path = call.hasKey ? `/${request.bucket}/${request.key}` : `/${request.bucket}`;
    const body = sendsObject ? request.body : null;
    let headers;
    if (query !== null) {
      const canonical = canonicalQuery(queryOf(call, query, request.input));
      headers = this.#signer.sign(method, path, EMPTY_PAYLOAD_HASH, canonical);
      this.#request.path = `${path}?${canonical}`;
    } else {
      headers = this.#signer.sign(method, path, body === null ? EMPTY_PAYLOAD_HASH : this.#hashOf(body));
      this.#request.path = path;
    }
    if (body !== null && !Buffer.isBuffer(body)) {
      headers.push('content-length', String(request.size));
    }
    this.#request.method = method;
    this.#request.headers = headers;
    this.#request.body = body;
    this.#call = call;
    this.#size = request.size;
    this.#sink = call.receivesObject ? request.sink : null;
    this.#status = 0;
    this.#failureBody = '';
    this.#hasWaited = false;
    this.movedBefore = this.moved;
    return new Promise(this.#dispatch);
  }

  transfer() {
    return transferOf(this, this.#call.sendsObject ? this.#size : null);
  }

  /** @param {AttemptError} error */
  abort(error) {
    if (this.#abortRequest !== null) {
      this.#abortRequest(error);
      return;
    }
    // The request still waits for its connection, where undici offers no way to take it back alone.
    const client = this.#client;
    this.#client = this.#openClient();
    client.destroy(error, () => {});
  }

  close() {
    return this.#client.destroy();
  }

  // What undici calls while a request runs.

  /** @param {(error: Error) => void} abort */
  onConnect(abort) {
    this.#abortRequest = abort;
    if (this.#isFresh) {
      this.#isFresh = false;
    } else {
      this.#hasWaited = true;
      this.#agent.reused += 1;
    }
  }

  /** @param {Buffer} chunk of a body, which the connection has taken */
  onBodySent(chunk) {
    this.moved += chunk.length;
  }

  /**
   * @param {number} status
   * @param {Buffer[]} headers name, value, name, value, …
   */
  onHeaders(status, headers) {
    if (status < 200) {
      return true;
    }
    this.#status = status;
    if (this.#sink !== null) {
      this.answeredAt = this.#now();
    }
    this.#headers = headers;
    if (status < 300) {
      this.#readReply(headers);
    }
    return true;
  }

  /** @param {Buffer} chunk */
  onData(chunk) {
    if (this.#status < 300 && this.#sink !== null) {
      this.moved += chunk.length;
      this.#sink.accept(chunk);
    } else if (this.#status < 300 && this.#call.readOutput !== null) {
      this.#document.push(Buffer.from(chunk));
    } else if (this.#failureBody.length < MAX_ERROR_BODY_LENGTH) {
      this.#failureBody += chunk.toString('utf8', 0, MAX_ERROR_BODY_LENGTH);
    }
    return true;
  }

  onComplete() {
    this.#abortRequest = null;
    if (this.#status < 300 && this.#call.readOutput !== null) {
      this.#takeOutput(this.#call.readOutput);
    } else if (this.#status < 300 && !this.#failureBody.includes(ERROR_BODY)) {
      this.#resolve();
    } else {
      this.#reject(this.#refusal());
    }
  }

  /** @param {Error} error */
  onError(error) {
    const sent = this.#abortRequest !== null;
    this.#abortRequest = null;
    if (!sent && error instanceof AttemptError) {
      // The deadline came before the connection: nothing can have been carried out.
      error.sent = false;
      error.outcomeUnknown = false;
    }
    if (this.#status >= 300 && !(error instanceof AttemptError)) {
      // The status is enough, even where the connection ends within the body.
      this.#reject(this.#refusal());
      return;
    }
    this.#reject(
      classifyFailure(explained(error), {
        sent,
        answered: this.#status !== 0,
        stale: this.#hasWaited && mayResendAtOnce(this, this.#call.sendsObject),
      }),
    );
  }

  #refusal() {
    const { code, message } = parseErrorBody(this.#failureBody);
    return classifyAnswer({
      status: this.#status,
      // As it is read, not as XML writes it: a secret may come back in characters that are decoded only then.
      code: this.#redact(code),
      message: this.#redact(message),
      retryAfter: headerOf(this.#headers, 'retry-after'),
      date: headerOf(this.#headers, 'date'),
      now: this.#epochNow(),
    });
  }

  /** @param {Buffer | Iterable<Buffer>} body */
  #hashOf(body) {
    return this.#payloadIsSigned ? payloadHash(body) : UNSIGNED_PAYLOAD;
  }

  /** @param {NonNullable<S3Call['readOutput']>} readOutput */
  #takeOutput(readOutput) {
    const text = Buffer.concat(this.#document.splice(0)).toString('utf8');
    if (text.includes(ERROR_BODY)) {
      this.#failureBody = text.slice(0, MAX_ERROR_BODY_LENGTH);
      this.#reject(this.#refusal());
    } else {
      this.reply.output = readOutput(text);
      this.#resolve();
    }
  }

  #openClient() {
    const client = new Client(this.#origin, {
      pipelining: this.#keepAlive ? 1 : 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      // A deadline for the whole attempt is kept outside; undici's own timers would only cost.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: /** @type {any} */ (
        (/** @type {unknown} */ _options, /** @type {(error: Error | null, socket: unknown) => void} */ callback) =>
          this.#agent.connect(
            (error, socket, openedAhead) => {
              // A connection that comes after its attempt was aborted is that of a Client which has been given up.
              if (this.#client === client) {
                this.#isFresh = true;
                this.#hasWaited = openedAhead;
              }
              callback(error, socket);
            },
            () => !client.destroyed,
          )
      ),
    });
    return client;
  }

  /** @param {Buffer[]} headers */
  #readReply(headers) {
    const { reply } = this;
    reply.etagDigest = 0;
    reply.contentLength = -1;
    for (let field = 0; field < headers.length; field += 2) {
      const name = headers[field];
      if (name.length === 4 && isNamed(name, 'etag')) {
        reply.etagDigest = etagDigest(headers[field + 1]);
      } else if (name.length === 14 && isNamed(name, 'content-length')) {
        reply.contentLength = Number(headers[field + 1].toString('latin1'));
      }
    }
  }
}

/**
 * @param {S3Call} call
 * @param {Readonly<Record<string, string>>} always what the query of each request holds
 * @param {ObjectRequest['input']} input
 * @returns {[name: string, value: string][]}
 */
function queryOf({ queryNames }, always, input = {}) {
  return [
    ...Object.entries(always),
    ...Object.entries(input).map(
      ([member, value]) => /** @type {[string, string]} */ ([queryNames[member], String(value)]),
    ),
  ];
}

/**
 * @param {NodeJS.ErrnoException} error of undici
 * @returns {Error} the same, or what it means where undici's own message does not say
 */
function explained(error) {
  if (error.code === 'UND_ERR_SOCKET' && error.message === 'bad response') {
    return unreadableAnswer(
      'the store sent a "100 Continue" that was not requested, which the direct client does not accept; --client sdk does',
    );
  }
  if (error.code === 'ERR_ASSERTION' || error.message === 'bad upgrade') {
    return unreadableAnswer('the answer does not keep to the rules of HTTP');
  }
  return error;
}
