import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ProtocolError } from '../http/response-parser.js';
import { connectionHostname, endpointUrl } from './address.js';
import { RAY_HEADER, coloOf } from './cloudflare.js';
import { decodeEntities } from '../text/entities.js';
import { MAX_DOCUMENT_BYTES, documentTooLong } from './object-connection.js';
import { parseUnexpectedBody, wordsOf } from './s3-error.js';
import { classifyAnswer, classifyFailure } from './s3-error.js';

/**
 * @import { S3ClientConfig } from '@aws-sdk/client-s3'
 * @import { LiveCredentials } from './live-credentials.js'
 * @import { ClientRequest } from 'node:http'
 * @import { SocketCallback } from '../http/keep-alive-agent.js'
 * @import { StoreOptions } from './object-store.js'
 */

/** @type {ReadonlySet<string | undefined>} */
const WRITES = new Set(['PutObjectCommand', 'UploadPartCommand']);

/** Without a logger, the SDK prints a warning for each failed attempt whose body exceeds a certain length. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Sockets of the SDK's own agent. */
const SDK_SOCKETS = 50;

/** @type {{ maxAttempts: number } & Pick<S3ClientConfig, 'requestChecksumCalculation' | 'responseChecksumValidation'> &
 *   { expectContinueHeader: boolean }} */
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
  // The agent has no limit, because the threads limit the concurrency. With a limit, a request that has to wait would
  // take over another request's socket, even without keepAlive, and the socket would not be counted as reused.
  const nodeAgent = sdkDefaults ? defaultAgent(options) : sharedAgent(options);
  const client = new S3Client({
    endpoint: endpointUrl(options),
    region: async () => region.current,
    credentials: credentialsFor(credentials),
    logger: SILENT,
    ...(sdkDefaults ? { forcePathStyle: addressing !== 'virtual' } : { ...plainAddresses(options), ...PLAIN }),
    requestHandler: new NodeHttpHandler({
      httpAgent: useTls ? undefined : /** @type {HttpAgent} */ (nodeAgent),
      httpsAgent: useTls ? /** @type {HttpsAgent} */ (nodeAgent) : undefined,
      logger: SILENT,
    }),
  });
  // The SDK turns a 200 with an error in its body into a 503, so keep the received status.
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = /** @type {any} */ (result.response);
      response.receivedStatus = response.statusCode;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'receivedStatus' },
  );
  client.middlewareStack.add(boundDocument, { step: 'deserialize', priority: 'low', name: 'boundDocument' });
  if (onColo !== undefined) {
    client.middlewareStack.add(coloMiddleware(onColo), { step: 'deserialize', priority: 'low', name: 'colo' });
  }
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
        signingProperties: { name: 's3', signingRegion: options.region.current },
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
 * Middleware that limits the length of documents. The SDK reads and parses documents of any length, which can take a
 * minute. A document whose length is unknown or above the limit is read here instead. So is the response to a write, which
 * has no body if it succeeds: the SDK looks only at its status.
 *
 * @param {any} next
 * @param {{ commandName?: string }} context
 * @returns {any}
 */
function boundDocument(next, { commandName }) {
  return async (/** @type {any} */ args) => {
    const result = await next(args);
    const { headers, body, statusCode: status } = result.response;
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
      result.response.body = Buffer.concat(parts);
      const text = isWritten ? result.response.body.toString() : '';
      if (text.trim() !== '') {
        throw classifyAnswer({ ...parseUnexpectedBody(text), status, now: 0 });
      }
    }
    return result;
  };
}

/**
 * @param {(colo: string) => void} onColo see StoreOptions
 * @returns {any} middleware that inspects the first response on each connection
 */
function coloMiddleware(onColo) {
  /** @type {WeakSet<object>} */
  const known = new WeakSet();
  return (/** @type {any} */ next) => async (/** @type {any} */ args) => {
    const result = await next(args);
    const { headers, body } = result.response;
    if (body?.socket && !known.has(body.socket)) {
      known.add(body.socket);
      const colo = coloOf(headers[RAY_HEADER] ?? '');
      if (colo !== null) {
        onColo(colo);
      }
    }
    return result;
  };
}

/**
 * Sends a command and always settles. The SDK alone would not: it ignores its abort signal if the response switches to
 * another protocol. It also treats a status below 200 as a success.
 *
 * @param {S3Client} client
 * @param {any} command
 * @param {AbortSignal} signal
 * @returns {Promise<any>} rejects with the signal's reason, or with what the SDK throws
 */
export function sendCommand(client, command, signal) {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    const settle = (/** @type {any} */ output) => {
      signal.removeEventListener('abort', giveUp);
      const status = output.$metadata.httpStatusCode;
      if (signal.aborted || status < 200) {
        output.Body?.destroy();
        reject(new ProtocolError(`invalid HTTP status ${status}`));
      } else {
        resolve(output);
      }
    };
    const fail = (/** @type {unknown} */ error) => {
      signal.removeEventListener('abort', giveUp);
      reject(error);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    client.send(command, { abortSignal: signal }).then(settle, fail);
  });
}

/**
 * @param {unknown} error what the SDK threw
 * @param {object} context
 * @param {boolean} context.stale see classifyFailure
 * @param {boolean} context.answered the response had begun
 * @param {boolean} [context.isR2]
 * @param {number} context.now epoch ms
 */
export function classifySdkError(error, { stale, answered, isR2, now }) {
  const { $metadata, $response, name, message, Code, Region, head } = /** @type {any} */ (error ?? {});
  const status = $response?.receivedStatus ?? $metadata?.httpStatusCode ?? $response?.statusCode ?? 0;
  if (status >= 300 || isErrorInSuccess(status, $response)) {
    // The SDK takes the elements of a well-formed page for members of an error.
    const page = typeof $response?.body === 'string' ? $response.body : `${head?.title ?? ''}`;
    const [code, text] = isUnread(message) ? ['', wordsOf(page)] : [Code ?? name, message];
    const headers = $response?.headers ?? {};
    return classifyAnswer({
      status,
      code: isGeneric(code) ? '' : code,
      // The SDK leaves some longer character references undecoded.
      message: isGeneric(text) ? wordsOf(page) : decodeEntities(text),
      region: typeof Region === 'string' ? Region : '',
      requestId: $metadata?.requestId,
      retryAfter: headers['retry-after'] ?? null,
      date: headers.date ?? null,
      isR2,
      now,
    });
  }
  const failure = isUnread(message) ? new ProtocolError(`the response (HTTP ${status}) is not an S3 response`) : error;
  return classifyFailure(failure, { sent: true, answered, stale });
}

/**
 * @param {number} received the status as the store sent it
 * @param {any} response as parsed by the SDK
 */
function isErrorInSuccess(received, response) {
  return received >= 200 && response?.statusCode >= 300;
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
