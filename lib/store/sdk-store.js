import * as sdk from '@aws-sdk/client-s3';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { ProtocolError } from './http/response-parser.js';
import { decodeEntities } from '../text/entities.js';
import { RAY_HEADER, coloOf, connectionHostname, endpointUrl, isR2 } from './address.js';
import { MAX_DOCUMENT_BYTES, digestIn, documentTooLong, mayResendAtOnce, withPlainKeys } from './object-connection.js';
import { S3_CALLS } from './s3-calls.js';
import { classifyAnswer, classifyFailure, parseUnexpectedBody, wordsOf } from './s3-error.js';

/**
 * @import { S3ClientConfig } from '@aws-sdk/client-s3'
 * @import { ClientRequest } from 'node:http'
 * @import { SocketCallback } from './http/keep-alive-agent.js'
 * @import { LiveCredentials } from './live-credentials.js'
 * @import { BodySink, ObjectConnection, ObjectRequest, ObjectStore, Reply, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 * @import { AttemptError } from './s3-error.js'
 */

/**
 * Sends requests with the AWS SDK, to measure the performance of applications that use it. All threads share one client
 * and one agent.
 *
 * @implements {ObjectStore}
 */
export class SdkStore {
  #client;
  #options;

  /** @param {StoreOptions} options */
  constructor(options) {
    this.#options = options;
    this.#client = createSdkClient(options);
  }

  openConnection() {
    return new SdkConnection(this.#client, this.#options);
  }

  async close() {
    this.#client.destroy();
  }
}

/** @implements {ObjectConnection} */
class SdkConnection {
  #client;
  #keepAlive;
  #isR2;
  #now;
  #epochNow;
  /** @type {AbortController | null} */
  #controller = null;
  /** Why the attempt was aborted. @type {AttemptError | null} */
  #aborted = null;
  /** The call of the current attempt. @type {S3Call} */
  #call = S3_CALLS.HeadObject;

  /** @type {Reply} */
  reply = { status: 0, etagDigest: 0, contentLength: -1, contentRange: '', output: {} };
  startedAt = 0;
  moved = 0;
  movedBefore = 0;
  answeredAt = 0;
  idleSince = 0;
  innerRetries = 0;

  /**
   * @param {S3Client} client
   * @param {StoreOptions} options
   */
  constructor(client, { hostname, keepAlive, now, epochNow }) {
    this.#client = client;
    this.#keepAlive = keepAlive;
    this.#isR2 = isR2(hostname);
    this.#now = now;
    this.#epochNow = epochNow;
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  async send(call, request) {
    this.#call = call;
    this.#aborted = null;
    this.#controller = new AbortController();
    this.reply.status = 0;
    this.movedBefore = this.moved;
    const output = await this.#output(new (commandOf(call))(this.#inputOf(call, request)), this.#controller.signal);
    this.answeredAt = this.#now();
    this.innerRetries = output.$metadata.attempts - 1;
    this.reply.status = output.$metadata.httpStatusCode;
    this.reply.etagDigest = digestIn(output);
    this.reply.contentLength = output.ContentLength ?? -1;
    this.reply.contentRange = output.ContentRange ?? '';
    this.reply.output = withPlainKeys(output, request.input);
    if (call.receivesObject) {
      await this.#drain(output.Body, request.sink);
    }
  }

  /** @param {AttemptError} error */
  abort(error) {
    this.#aborted = error;
    this.#controller?.abort(error);
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  #inputOf({ hasKey, sendsObject }, { bucket, key, size, body, input }) {
    return {
      Bucket: bucket,
      ...(hasKey ? { Key: key } : {}),
      ...(sendsObject && body !== null ? { Body: this.#bodyOf(body), ContentLength: size } : {}),
      ...input,
    };
  }

  /** @param {Buffer | Iterable<Buffer>} body */
  #bodyOf(body) {
    if (Buffer.isBuffer(body)) {
      this.moved += body.length;
      return body;
    }
    return Readable.from(this.#counted(body), { objectMode: false });
  }

  /**
   * Settles with the signal at the latest. The SDK alone would wait forever for a response that switches to another protocol.
   *
   * @param {any} command
   * @param {AbortSignal} signal
   * @returns {Promise<any>}
   */
  async #output(command, signal) {
    const aborted = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return await Promise.race([aborted, this.#client.send(command, { abortSignal: signal })]);
    } catch (error) {
      const { $metadata } = /** @type {any} */ (error);
      this.innerRetries = ($metadata?.attempts ?? 1) - 1;
      throw this.#classify(error, false);
    }
  }

  /**
   * @param {Iterable<Buffer>} body
   * @returns {Generator<Buffer, void, undefined>} the same chunks, counted as they are consumed
   */
  *#counted(body) {
    for (const chunk of body) {
      this.moved += chunk.length;
      yield chunk;
    }
  }

  /**
   * Passes a body to a sink as it arrives. An abort destroys the stream, because the SDK ignores
   * its signal after the headers.
   *
   * @param {Readable} body
   * @param {BodySink} sink
   */
  async #drain(body, sink) {
    const signal = /** @type {AbortController} */ (this.#controller).signal;
    const destroy = () => body.destroy(this.#aborted ?? undefined);
    signal.addEventListener('abort', destroy, { once: true });
    try {
      await new Promise((resolve, reject) => {
        body.on('data', (chunk) => {
          this.moved += chunk.length;
          sink.accept(chunk);
        });
        body
          .once('end', resolve)
          .once('error', reject)
          .once('close', () => reject(cutShort()));
      });
    } catch (error) {
      throw this.#classify(error, true);
    } finally {
      signal.removeEventListener('abort', destroy);
    }
  }

  /**
   * @param {unknown} error
   * @param {boolean} answered
   */
  #classify(error, answered) {
    // The agent does not reveal which socket an attempt used, so assume that it was kept alive and then closed.
    const stale = this.#keepAlive && mayResendAtOnce(this, this.#call, this.#now());
    const context = { stale, answered, isR2: this.#isR2, now: this.#epochNow() };
    return this.#aborted ?? classifySdkError(error, context);
  }
}

/**
 * @param {S3Call} call
 * @returns {new (input: Record<string, unknown>) => unknown}
 */
function commandOf({ name }) {
  return /** @type {any} */ (sdk)[`${name}Command`];
}

function cutShort() {
  return Object.assign(new Error('the connection was closed before the body was complete'), { code: 'ECONNRESET' });
}

const WRITES = new Set(['PutObjectCommand', 'UploadPartCommand']);

/** Without a logger, the SDK prints a warning for each failed attempt whose body exceeds a certain length. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Sockets of the SDK's own agent. */
const SDK_SOCKETS = 50;

/** @type {Readonly<S3ClientConfig & { expectContinueHeader: boolean }>} */
const PLAIN = Object.freeze({
  maxAttempts: 1,
  // R2 does not support «100 Continue», which the SDK waits for before it sends bodies of 2 MiB and more.
  expectContinueHeader: false,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});

/**
 * Configures the AWS SDK's client for R2: no SDK retries, no checksums that a store might not support, and one
 * keep-alive agent for all requests, which takes its sockets from our own agent. With `sdkDefaults`, everything else is as
 * in an application: the SDK's limit on sockets, its retries, checksums and rules for endpoints.
 *
 * @param {StoreOptions} options
 */
export function createSdkClient(options) {
  const { useTls, addressing, region, credentials, sdkDefaults, epochNow, onColo } = options;
  const nodeAgent = sdkDefaults ? defaultAgent(options) : sharedAgent(options);
  const client = new S3Client({
    endpoint: endpointUrl(options),
    region,
    credentials: credentialsFor(credentials),
    logger: SILENT,
    ...(sdkDefaults ? { forcePathStyle: addressing !== 'virtual' } : { ...plainAddresses(options), ...PLAIN }),
    requestHandler: new NodeHttpHandler({
      httpAgent: useTls ? undefined : /** @type {HttpAgent} */ (nodeAgent),
      httpsAgent: useTls ? /** @type {HttpsAgent} */ (nodeAgent) : undefined,
      logger: SILENT,
    }),
  });
  client.middlewareStack.add(inspector(onColo), { step: 'deserialize', priority: 'low', name: 'inspector' });
  // Read the clock for each request, because the host's clock can be set during the run. Ignore the offset that the SDK
  // derives from responses.
  Object.defineProperty(client.config, 'systemClockOffset', { get: () => epochNow() - Date.now(), set() {} });
  return client;
}

/**
 * @param {StoreOptions} options
 * @returns an agent that takes its sockets from our own
 */
function sharedAgent({ agent, keepAlive, useTls, threads }) {
  // The agent has no limit, because the threads limit the concurrency. With a limit, a request that has to wait would
  // take over another request's socket, even without keepAlive, and the socket would not be counted as reused.
  const nodeAgent = new (useTls ? HttpsAgent : HttpAgent)({ keepAlive, maxFreeSockets: threads });
  const sockets = /** @type {any} */ (nodeAgent);
  sockets.createConnection = (/** @type {unknown} */ _options, /** @type {SocketCallback} */ created) =>
    agent.connect(created);
  const { reuseSocket } = nodeAgent;
  nodeAgent.reuseSocket = (socket, request) => {
    agent.reused += 1;
    reuseSocket.call(nodeAgent, socket, request);
  };
  return nodeAgent;
}

/**
 * @param {StoreOptions} options
 * @returns an agent as the SDK makes it, which counts its sockets, and the time that requests wait for one. It opens its
 *   sockets itself: Node's limit applies only to sockets that are created synchronously
 */
function defaultAgent({ agent, useTls, certificate, family, now }) {
  const settings = { keepAlive: true, maxSockets: SDK_SOCKETS, ca: certificate, family };
  const nodeAgent = new (useTls ? HttpsAgent : HttpAgent)(settings);
  const own = /** @type {any} */ (nodeAgent);
  const { createConnection, addRequest } = own;
  const used = new WeakSet();
  own.createConnection = (/** @type {unknown[]} */ ...parameters) => {
    agent.opened += 1;
    return createConnection.apply(own, parameters);
  };
  own.addRequest = (/** @type {ClientRequest} */ request, /** @type {unknown[]} */ ...rest) => {
    const since = now();
    request.once('socket', (socket) => {
      agent.socketWait += now() - since;
      agent.reused += Number(used.has(socket));
      used.add(socket);
    });
    addRequest.call(own, request, ...rest);
  };
  return nodeAgent;
}

/**
 * Replaces the SDK's rules for endpoints. They use other hosts, or other signatures, for buckets with certain names, and
 * for many AWS_… variables (S3 Express, FIPS, dual-stack, accelerate, multi-region).
 *
 * @param {StoreOptions} options
 */
function plainAddresses(options) {
  /** @type {Map<string, { url: URL, headers: {}, properties: {} }>} */
  const endpoints = new Map();
  return {
    endpointProvider: (/** @type {{ Bucket?: string }} */ { Bucket = '' }) => {
      const hostname = connectionHostname({ ...options, buckets: [Bucket] });
      const path = options.addressing === 'virtual' ? '' : `/${Bucket}`;
      const endpoint = endpoints.get(Bucket) ?? {
        url: new URL(`${endpointUrl({ ...options, hostname })}${path}`),
        headers: {},
        properties: {},
      };
      endpoints.set(Bucket, endpoint);
      return endpoint;
    },
    httpAuthSchemeProvider: () => [
      {
        schemeId: 'aws.auth#sigv4',
        signingProperties: { name: 's3', signingRegion: options.region },
        propertiesExtractor: (/** @type {unknown} */ config, /** @type {unknown} */ context) => ({
          signingProperties: { config, context },
        }),
      },
    ],
  };
}

/**
 * @param {LiveCredentials} credentials
 * @returns the SDK's form; for credentials that expire, a function that the SDK calls for each request
 */
function credentialsFor(credentials) {
  if (credentials.current.expiresAt === undefined) {
    return credentials.current;
  }
  // Without `memoized`, the SDK would keep the first credentials until five minutes before they expire.
  return Object.assign(async () => credentials.current, { memoized: true });
}

/**
 * Middleware that inspects responses before the SDK reads them, and limits the length of documents. The SDK reads and
 * parses documents of any length, which can take a minute. A document whose length is unknown or above the limit is read
 * here instead. So is the response to a write, which has no body if it succeeds: the SDK looks only at its status.
 *
 * @param {(colo: string) => void} [onColo] see StoreOptions
 * @returns {any}
 */
function inspector(onColo = () => {}) {
  /** @type {WeakSet<object>} */
  const known = new WeakSet();
  return (/** @type {any} */ next, /** @type {{ commandName: string }} */ { commandName }) =>
    async (/** @type {any} */ args) => {
      const result = await next(args);
      const { response } = result;
      const { headers, body, statusCode: status } = response;
      // The SDK turns a 200 with an error in its body into a 503.
      response.receivedStatus = status;
      if (body?.socket && !known.has(body.socket)) {
        known.add(body.socket);
        const colo = coloOf(headers[RAY_HEADER] ?? '');
        if (colo !== null) {
          onColo(colo);
        }
      }
      const length = headers['content-length'];
      const isWritten = WRITES.has(commandName) && status < 300 && length !== '0';
      if (commandName !== 'GetObjectCommand' && body && (isWritten || !(length <= MAX_DOCUMENT_BYTES))) {
        const parts = [];
        let bytes = 0;
        for await (const part of body) {
          bytes += part.length;
          if (bytes > MAX_DOCUMENT_BYTES) {
            throw documentTooLong();
          }
          parts.push(part);
        }
        response.body = Buffer.concat(parts);
        const text = isWritten ? response.body.toString() : '';
        if (text.trim() !== '') {
          throw classifyAnswer({ ...parseUnexpectedBody(text), status, now: 0 });
        }
      }
      return result;
    };
}

/**
 * @param {unknown} error what the SDK threw
 * @param {object} context
 * @param {boolean} context.stale see classifyFailure
 * @param {boolean} context.answered the response had begun
 * @param {boolean} [context.isR2]
 * @param {number} context.now epoch ms
 */
export function classifySdkError(error, { stale, answered, isR2: isFromR2, now }) {
  const { $metadata, $response, name, message, Code, head } = /** @type {any} */ (error ?? {});
  const status = $response?.receivedStatus ?? $metadata?.httpStatusCode ?? $response?.statusCode ?? 0;
  if (status >= 300 || (status >= 200 && $response?.statusCode >= 300)) {
    // The SDK takes the elements of a well-formed page for members of an error.
    const page = typeof $response?.body === 'string' ? $response.body : `${head?.title ?? ''}`;
    const [code, text] = isUnread(message) ? ['', wordsOf(page)] : [Code ?? name, message];
    const headers = $response?.headers ?? {};
    return classifyAnswer({
      status,
      code: isGeneric(code) ? '' : code,
      // The SDK leaves some longer character references undecoded.
      message: isGeneric(text) ? wordsOf(page) : decodeEntities(text),
      requestId: $metadata?.requestId,
      retryAfter: headers['retry-after'] ?? null,
      date: headers.date ?? null,
      isR2: isFromR2,
      now,
    });
  }
  const failure = isUnread(message) ? new ProtocolError(`the response (HTTP ${status}) is not an S3 response`) : error;
  return classifyFailure(failure, { sent: true, answered, stale });
}

/**
 * Recognises the message of the SDK's parser for a response that does not come from S3 but, say, from a proxy.
 *
 * @param {unknown} message
 */
function isUnread(message) {
  return String(message).includes('Deserialization error: to see the raw response');
}

/**
 * Recognises the SDK's placeholder for the error code or message of a response without a body.
 *
 * @param {unknown} text
 */
function isGeneric(text) {
  return (
    typeof text !== 'string' ||
    ['Error', 'Unknown', 'UnknownError', 'NotFound', 'Forbidden'].includes(text) ||
    /^\d+$/.test(text)
  );
}
