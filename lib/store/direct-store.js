import { hash } from 'node:crypto';
import { plainText } from '../text/plain-text.js';
import { XmlElement, readXml } from '../text/xml.js';
import { RAY_HEADER, coloOf, connectionHostname, endpointUrl, isR2 } from './address.js';
import { HttpConnection } from './http/http-connection.js';
import { isNamed } from './http/response-parser.js';
import {
  MAX_DOCUMENT_BYTES,
  digestIn,
  documentTooLong,
  etagDigest,
  mayResendAtOnce,
  withPlainKeys,
} from './object-connection.js';
import { S3_CALLS } from './s3-calls.js';
import { AttemptError, classifyAnswer, classifyFailure, parseErrorBody, parseUnexpectedBody } from './s3-error.js';
import {
  EMPTY_PAYLOAD_HASH,
  RequestSigner,
  UNSIGNED_PAYLOAD,
  canonicalQuery,
  encodedPath,
  payloadHash,
} from './sigv4.js';

/**
 * @import { HttpHandler } from './http/http-connection.js'
 * @import { BodySink, ObjectConnection, ObjectRequest, ObjectStore, Reply, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 */

/** The rest of a longer error body is ignored. */
const MAX_ERROR_BODY_LENGTH = 8192;

const MD5_HEADER = 'content-md5';

const VERSION_ID = 'x-amz-version-id';
const REQUEST_ID = 'x-amz-request-id';

/** Where the ray ID starts among the copied identifiers: the length that each may have. */
const RAY_AT = 128;

/** The body of a PUT or POST without content, which must still have a Content-Length header. */
const NO_BYTES = Buffer.alloc(0);

/** @type {Reply['output']} */
const NO_OUTPUT = Object.freeze({});

/**
 * The direct client signs and sends requests itself, over one keep-alive connection per thread. It keeps the cost of
 * each operation minimal, so that a run measures the store and not the client.
 *
 * @implements {ObjectStore}
 */
export class DirectStore {
  #options;
  #host;
  #signer;
  #Connection;
  /** @type {DirectConnection[]} */
  #connections = [];

  /**
   * @param {StoreOptions} options
   * @param {typeof DirectConnection} [Connection]
   */
  constructor(options, Connection = DirectConnection) {
    const { credentials, region, epochNow } = options;
    this.#options = options;
    this.#Connection = Connection;
    // The URL's host omits the scheme's default port and puts an IPv6 address in brackets, as the Host header requires.
    this.#host = new URL(endpointUrl({ ...options, hostname: connectionHostname(options) })).host;
    this.#signer = new RequestSigner({ credentials, region, host: this.#host, now: epochNow });
  }

  openConnection() {
    const connection = new this.#Connection(this.#host, this.#signer, this.#options);
    this.#connections.push(connection);
    return connection;
  }

  async close() {
    this.#connections.forEach((connection) => connection.close());
  }
}

/**
 * One thread's connection to the store. Its HTTP connection reports progress and outcome to the on… methods.
 *
 * @implements {ObjectConnection}
 * @implements {HttpHandler}
 */
export class DirectConnection {
  #now;
  #epochNow;
  #presignsReads;
  #keysAreForeign;
  #onColo;
  /** Reused for every request. */
  #request = {
    method: '',
    target: '',
    headers: /** @type {string[]} */ ([]),
    body: /** @type {ObjectRequest['body']} */ (null),
    size: 0,
  };
  /** @type {(resolve: () => void, reject: (error: Error) => void) => void} */
  #dispatch;
  /** The call of the current attempt. @type {S3Call} */
  #call = S3_CALLS.HeadObject;
  /** Receives the object in the response; null if no object is expected. @type {BodySink | null} */
  #sink = null;
  /** @type {Buffer[]} */
  #document = [];
  #documentBytes = 0;
  /** @type {ObjectRequest['input']} */
  #input = undefined;
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};
  #status = 0;
  /** @type {string | null} */
  #retryAfter = null;
  /** @type {string | null} */
  #date = null;
  #failureBody = '';
  /** Whether the next response is the first on its connection. */
  #isFirstAnswer = false;
  /** What identifies the response: copied from its head, and decoded only on request. */
  #ids = { bytes: Buffer.alloc(2 * RAY_AT), end: 0, rayEnd: RAY_AT };
  /** @type {Reply} */
  reply = {
    status: 0,
    etagDigest: 0,
    contentLength: -1,
    contentRange: '',
    output: {},
    identify: () => identifiersIn(this.#ids),
  };
  startedAt = 0;
  moved = 0;
  movedBefore = 0;
  answeredAt = 0;
  idleSince = 0;

  /**
   * @param {string} host the value of the Host header
   * @param {Pick<RequestSigner, 'sign' | 'signHeaders' | 'presign'>} signer
   * @param {StoreOptions} options
   */
  constructor(host, signer, options) {
    const { now, epochNow, onColo = () => {}, keysAreForeign = false, presigned = false } = options;
    this.#presignsReads = presigned;
    this.#now = now;
    this.#epochNow = epochNow;
    this.#keysAreForeign = keysAreForeign;
    this.#onColo = onColo;
    /** Where the next requests go. */
    this.route = this.openRoute(host, signer, options);
    this.#dispatch = (resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.route.http.send(this.#request);
    };
  }

  /**
   * @param {string} host the value of the Host header
   * @param {Pick<RequestSigner, 'sign' | 'signHeaders' | 'presign'>} signer
   * @param {Pick<StoreOptions, 'agent' | 'hostname' | 'keepAlive' | 'useTls' | 'basePath' | 'addressing'>} options
   */
  openRoute(host, signer, { agent, hostname, keepAlive, useTls, basePath = '', addressing }) {
    return {
      signer,
      basePath,
      http: new HttpConnection(this, { agent, host, keepAlive }),
      payloadIsSigned: !useTls,
      bucketIsInPath: addressing !== 'virtual',
      isR2: isR2(hostname),
    };
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   * @returns {Promise<void>}
   */
  send(call, { bucket, key, body, size, sink, input }) {
    const { method, query, sendsObject } = call;
    const { signer, basePath, bucketIsInPath } = this.route;
    const start = bucketIsInPath ? `${basePath}/${bucket}` : basePath;
    const path = call.hasKey
      ? `${start}/${this.#keysAreForeign ? encodedPath(key) : key}`
      : bucketIsInPath
        ? start
        : `${start}/`;
    const request = this.#request;
    request.method = method;
    request.body = sendsObject ? body : null;
    request.size = size;
    if (call.writeInput !== null) {
      const document = Buffer.from(call.writeInput(input ?? {}), 'utf8');
      request.body = document;
      request.size = document.length;
    } else if (!sendsObject && (method === 'POST' || method === 'PUT')) {
      request.body = NO_BYTES;
      request.size = 0;
    }
    const canonical = query === null ? '' : canonicalQuery(queryOf(call, query, input));
    request.target = canonical === '' ? path : `${path}?${canonical}`;
    const hashed =
      call.signsDocument && Buffer.isBuffer(request.body) ? payloadHash(request.body) : this.#hashOf(request.body);
    if (this.#presignsReads && call.receivesObject) {
      request.target = signer.presign(method, path);
      request.headers = input && call.headerNames ? namedIn(call.headerNames, input).flat() : [];
    } else if (input !== undefined && call.headerNames !== null) {
      request.headers = signer.signHeaders(method, path, hashed, canonical, namedIn(call.headerNames, input));
    } else if (call.needsDigest && Buffer.isBuffer(request.body)) {
      const [name, value] = digestHeader(request.body);
      // Stores refuse x-amz-… headers that are not signed.
      request.headers = name.startsWith('x-amz-')
        ? signer.signHeaders(method, path, hashed, canonical, [[name, value]])
        : [...signer.sign(method, path, hashed, canonical), name, value];
    } else {
      request.headers = signer.sign(method, path, hashed, canonical);
    }
    if (call.writeInput !== null) {
      request.headers.push('content-type', 'application/xml');
    }
    this.#call = call;
    this.#input = input;
    this.#sink = call.receivesObject ? sink : null;
    this.#status = 0;
    this.#retryAfter = null;
    this.#date = null;
    this.#failureBody = '';
    this.#document.length = 0;
    this.#documentBytes = 0;
    this.#ids.end = 0;
    this.#ids.rayEnd = RAY_AT;
    this.reply.status = 0;
    this.reply.etagDigest = 0;
    this.reply.contentLength = -1;
    this.reply.contentRange = '';
    if (call.returnsEtag || call.returnsVersion) {
      this.reply.output = NO_OUTPUT;
    }
    this.movedBefore = this.moved;
    return new Promise(this.#dispatch);
  }

  /** @param {AttemptError} error */
  abort(error) {
    this.route.http.abort(error);
  }

  close() {
    this.route.http.close();
  }

  onConnection() {
    this.#isFirstAnswer = true;
  }

  /** @param {number} bytes */
  onSent(bytes) {
    if (this.#call.sendsObject) {
      this.moved += bytes;
    }
  }

  /**
   * @param {Buffer} bytes
   * @param {number} name
   * @param {number} nameEnd
   * @param {number} value
   * @param {number} valueEnd
   * @param {number} status
   */
  onHeader(bytes, name, nameEnd, value, valueEnd, status) {
    if (isNamed(bytes, name, nameEnd, RAY_HEADER)) {
      this.#ids.rayEnd = RAY_AT + bytes.copy(this.#ids.bytes, RAY_AT, value, valueEnd);
      if (this.#isFirstAnswer) {
        this.#takeColo(bytes.toString('latin1', value, valueEnd));
      }
    } else if (isNamed(bytes, name, nameEnd, REQUEST_ID)) {
      this.#ids.end = bytes.copy(this.#ids.bytes, 0, value, Math.min(valueEnd, value + RAY_AT));
    } else if (status < 300) {
      if (isNamed(bytes, name, nameEnd, 'etag')) {
        this.reply.etagDigest = etagDigest(bytes, value, valueEnd);
        if (this.#call.returnsEtag) {
          this.reply.output = { ETag: bytes.toString('latin1', value, valueEnd) };
        }
      } else if (this.#sink !== null && isNamed(bytes, name, nameEnd, 'content-range')) {
        this.reply.contentRange = bytes.toString('latin1', value, valueEnd);
      } else if (this.#call.returnsVersion && isNamed(bytes, name, nameEnd, VERSION_ID)) {
        this.reply.output = { VersionId: bytes.toString('latin1', value, valueEnd) };
      }
    } else if (isNamed(bytes, name, nameEnd, 'retry-after')) {
      this.#retryAfter = bytes.toString('latin1', value, valueEnd);
    } else if (isNamed(bytes, name, nameEnd, 'date')) {
      this.#date = bytes.toString('latin1', value, valueEnd);
    }
  }

  /**
   * @param {number} status
   * @param {number} contentLength bytes; -1 if unknown
   */
  onHead(status, contentLength) {
    this.#status = status;
    this.#isFirstAnswer = false;
    this.reply.status = status;
    this.reply.contentLength = contentLength;
    if (this.#sink !== null) {
      this.answeredAt = this.#now();
    }
  }

  /** @param {Buffer} chunk */
  onBody(chunk) {
    if (this.#status < 300 && this.#sink !== null) {
      this.moved += chunk.length;
      this.#sink.accept(chunk);
    } else if (this.#status < 300 && this.#call.readOutput !== null) {
      this.#addToDocument(chunk);
    } else if (this.#failureBody.length < MAX_ERROR_BODY_LENGTH) {
      this.#failureBody += chunk.toString('utf8', 0, MAX_ERROR_BODY_LENGTH);
    }
  }

  onEnd() {
    if (this.#status >= 300) {
      this.#reject(this.#refusal());
    } else if (this.#call.readOutput !== null) {
      this.#takeOutput(this.#call.readOutput);
    } else if (this.#hasFailureBody()) {
      this.#reject(this.#refusal());
    } else {
      this.#resolve();
    }
  }

  /** @param {Error} error */
  onError(error) {
    const { isSent, hasWaited, hasAnswerBegun } = this.route.http;
    if (!isSent && error instanceof AttemptError) {
      // The attempt ended before its connection opened, so the request cannot have been carried out.
      error.sent = false;
      error.outcomeUnknown = false;
    }
    if (this.#status >= 300 && !(error instanceof AttemptError)) {
      // The status already shows that the request failed, even if part of the body is missing.
      this.#reject(this.#refusal());
      return;
    }
    this.#reject(
      classifyFailure(error, {
        sent: isSent,
        answered: isSent && hasAnswerBegun,
        stale: hasWaited && mayResendAtOnce(this, this.#call, this.#now()),
      }),
    );
  }

  /** @param {Buffer} chunk */
  #addToDocument(chunk) {
    this.#documentBytes += chunk.length;
    if (this.#documentBytes <= MAX_DOCUMENT_BYTES) {
      this.#document.push(Buffer.from(chunk));
    } else {
      this.route.http.abort(documentTooLong());
    }
  }

  /** @param {string} ray */
  #takeColo(ray) {
    const colo = coloOf(ray);
    if (colo !== null) {
      this.#isFirstAnswer = false;
      this.#onColo(colo);
    }
  }

  /**
   * S3 begins some responses before it has carried out the request. A later error is then in the body of a 200. A
   * gateway may say anything there. A write that succeeds has no body.
   */
  #hasFailureBody() {
    const body = this.#failureBody.trim();
    return body !== '' && (this.#call.sendsObject || readXml(body).root.name === 'Error');
  }

  #refusal() {
    return classifyAnswer({
      ...(this.#status < 300 ? parseUnexpectedBody : parseErrorBody)(this.#failureBody),
      status: this.#status,
      retryAfter: this.#retryAfter,
      date: this.#date,
      isR2: this.route.isR2,
      now: this.#epochNow(),
    });
  }

  /** @param {ObjectRequest['body']} body */
  #hashOf(body) {
    if (body === null) {
      return EMPTY_PAYLOAD_HASH;
    }
    return this.route.payloadIsSigned ? payloadHash(body) : UNSIGNED_PAYLOAD;
  }

  /** @param {NonNullable<S3Call['readOutput']>} readOutput */
  #takeOutput(readOutput) {
    const text = Buffer.concat(this.#document.splice(0)).toString('utf8');
    const { root, keys, isWhole } = readXml(text, this.#call.keyedEntry);
    if (root.name === 'Error') {
      this.#failureBody = text.slice(0, MAX_ERROR_BODY_LENGTH);
      this.#reject(this.#refusal());
    } else {
      const output = isWhole ? readOutput(root, keys) : readOutput(new XmlElement(''), []);
      this.reply.output = withPlainKeys(output, this.#input);
      this.reply.etagDigest = digestIn(this.reply.output) || this.reply.etagDigest;
      this.#resolve();
    }
  }
}

/**
 * MD5 is the only checksum that all stores support, but in FIPS mode Node has none.
 *
 * @param {Buffer} body
 * @returns {[name: string, value: string]}
 */
function digestHeader(body) {
  try {
    return [MD5_HEADER, hash('md5', body, 'base64')];
  } catch {
    return ['x-amz-checksum-sha256', hash('sha256', body, 'base64')];
  }
}

/**
 * @param {S3Call} call
 * @param {Readonly<Record<string, string>>} always the parameters common to all requests
 * @param {ObjectRequest['input']} input
 * @returns {[name: string, value: string][]}
 */
function queryOf({ queryNames }, always, input = {}) {
  return [
    ...Object.entries(always),
    ...Object.entries(input).flatMap(([member, value]) =>
      value !== undefined && Object.hasOwn(queryNames, member)
        ? [/** @type {[string, string]} */ ([queryNames[member], String(value)])]
        : [],
    ),
  ];
}

/**
 * @param {Readonly<Record<string, string>>} names of headers, keyed by member of the input
 * @param {NonNullable<ObjectRequest['input']>} input
 * @returns {[name: string, value: string][]} headers for the members that the input has, in the order of `names`
 */
function namedIn(names, input) {
  /** @type {[name: string, value: string][]} */
  const found = [];
  for (const member of Object.keys(names)) {
    if (input[member] !== undefined) {
      found.push([names[member], String(input[member])]);
    }
  }
  return found;
}

/**
 * @param {{ bytes: Buffer, end: number, rayEnd: number }} ids
 * @returns {{ requestId: string | null, ray: string | null }} untrusted text
 */
function identifiersIn({ bytes, end, rayEnd }) {
  const textOf = (/** @type {number} */ from, /** @type {number} */ to) =>
    to > from ? plainText(bytes.toString('latin1', from, to)) : null;
  return { requestId: textOf(0, end), ray: textOf(RAY_AT, rayEnd) };
}

/** The Worker's entry in the header, next to which Cloudflare may add others. See withTime() in edge/s3-requests.js. */
const BINDING_TIME = /(?:^|,) *r2(-first-byte)?;dur=(\d{1,9})(?:$|[,; ])/;

/** Sends a Worker the requests that the direct client would send to a store. */
export class EdgeStore extends DirectStore {
  /** @param {StoreOptions} options */
  constructor(options) {
    super(options, EdgeConnection);
  }
}

/** One thread's connection to the Worker, which reports how long its call of the binding took. */
class EdgeConnection extends DirectConnection {
  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  send(call, request) {
    this.reply.bindingTime = -1;
    return super.send(call, request);
  }

  /**
   * @param {Buffer} bytes
   * @param {number} name
   * @param {number} nameEnd
   * @param {number} value
   * @param {number} valueEnd
   * @param {number} status
   */
  onHeader(bytes, name, nameEnd, value, valueEnd, status) {
    super.onHeader(bytes, name, nameEnd, value, valueEnd, status);
    if (isNamed(bytes, name, nameEnd, 'server-timing')) {
      const [, firstByte, time] = BINDING_TIME.exec(bytes.toString('latin1', value, valueEnd)) ?? [];
      if (time !== undefined) {
        this.reply.bindingTime = Number(time);
        this.reply.isFirstByteTime = firstByte !== undefined;
      }
    }
  }
}
