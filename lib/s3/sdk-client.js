import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ProtocolError } from '../http/protocol-error.js';
import { endpointUrl } from './address.js';
import { RAY_HEADER, coloOf } from './cloudflare.js';
import { decodeEntities } from './error-response.js';
import { MAX_DOCUMENT_BYTES, documentTooLong } from './object-connection.js';
import { classifyAnswer, classifyFailure } from './s3-error.js';

/**
 * @import { LiveCredentials } from './live-credentials.js'
 * @import { SocketCallback } from '../http/keep-alive-agent.js'
 * @import { StoreOptions } from './object-store.js'
 * @import { AttemptError } from './s3-error.js'
 */

/** Without a logger the SDK warns on the console, for each attempt that fails with a body of some length. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/**
 * The AWS SDK's client, set up for R2: no retries of its own, no checksums that a store may not know, one keep-alive
 * agent for all requests that takes its sockets from ours.
 *
 * @param {StoreOptions} options
 * @returns {S3Client}
 */
export function createSdkClient(options) {
  const { agent, keepAlive, useTls, addressing, region, credentials, threads, epochNow, onColo } = options;
  // The threads are the limit. Where the agent has one of its own, a socket that is being closed makes a request wait, and
  // the one that it is handed then is neither counted as reused nor, without keepAlive, a fresh one.
  const nodeAgent = new (useTls ? HttpsAgent : HttpAgent)({ keepAlive, maxFreeSockets: threads });
  const sockets = /** @type {any} */ (nodeAgent);
  sockets.createConnection = (/** @type {unknown} */ _options, /** @type {SocketCallback} */ created) =>
    agent.connect(created);
  const { reuseSocket } = nodeAgent;
  nodeAgent.reuseSocket = (socket, request) => {
    agent.reused += 1;
    reuseSocket.call(nodeAgent, socket, request);
  };
  const client = new S3Client({
    endpoint: endpointUrl(options),
    region: async () => region.current,
    credentials: credentialsFor(credentials),
    forcePathStyle: addressing !== 'virtual',
    maxAttempts: 1,
    logger: SILENT,
    // R2 does not know «100 Continue», which the SDK waits for before it sends bodies of 2 MiB and more.
    expectContinueHeader: false,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler({
      httpAgent: useTls ? undefined : /** @type {HttpAgent} */ (nodeAgent),
      httpsAgent: useTls ? /** @type {HttpsAgent} */ (nodeAgent) : undefined,
    }),
  });
  // The SDK turns a 200 whose body is an error into a 503: the status that was received is kept.
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
  // Asked for with each request, for the host's clock may be set in mid-run. What the SDK learns from answers is dropped.
  Object.defineProperty(client.config, 'systemClockOffset', { get: () => epochNow() - Date.now(), set() {} });
  return client;
}

/**
 * @param {LiveCredentials} credentials
 * @returns what the SDK takes: for credentials that end, a function that it calls for each request
 */
function credentialsFor(credentials) {
  if (credentials.current.expiresAt === undefined) {
    return credentials.current;
  }
  // The SDK would else keep what it was given until five minutes before its end.
  return Object.assign(async () => credentials.current, { memoized: true });
}

/**
 * The SDK would read and parse a document of any length, which takes it up to a minute.
 *
 * @param {any} next
 * @param {{ commandName?: string }} context
 * @returns {any} the middleware that reads documents whose length is not known to be a usual one
 */
function boundDocument(next, { commandName }) {
  return async (/** @type {any} */ args) => {
    const result = await next(args);
    const { headers, body } = result.response;
    if (commandName !== 'GetObjectCommand' && body && !(headers['content-length'] <= MAX_DOCUMENT_BYTES)) {
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
    }
    return result;
  };
}

/**
 * @param {(colo: string) => void} onColo see StoreOptions
 * @returns {any} the middleware that looks at the first answer over each connection
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
 * Sends a command, and settles whatever comes: the SDK forgets its abort signal where a store answers that it switches to
 * another protocol, and takes a status below 200 for a success.
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
        reject(new ProtocolError(`the answer has the status ${status}, which there is not`));
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
 * @param {boolean} context.answered the answer had begun
 * @param {boolean} [context.isR2] whether the store is R2
 * @param {number} context.now epoch ms
 * @returns {AttemptError}
 */
export function classifySdkError(error, { stale, answered, isR2, now }) {
  const { $metadata, $response, name, message, Code, Region } = /** @type {any} */ (error ?? {});
  const status = $response?.receivedStatus ?? $metadata?.httpStatusCode ?? $response?.statusCode ?? 0;
  if (status >= 300 || isErrorInSuccess(status, $response)) {
    const [code, text] = isUnread(message) ? ['', ''] : [Code ?? name, message];
    const headers = $response?.headers ?? {};
    return classifyAnswer({
      status,
      code: isGeneric(code) ? '' : code,
      // The SDK leaves the longer character references as they are.
      message: isGeneric(text) ? '' : decodeEntities(text),
      region: typeof Region === 'string' ? Region : '',
      retryAfter: headers['retry-after'] ?? null,
      date: headers.date ?? null,
      isR2,
      now,
    });
  }
  const failure = isUnread(message) ? new ProtocolError(`the answer (HTTP ${status}) is not what S3 answers`) : error;
  return classifyFailure(failure, { sent: true, answered, stale });
}

/**
 * @param {number} received
 * @param {any} response what the SDK made of it
 */
function isErrorInSuccess(received, response) {
  return received >= 200 && response?.statusCode >= 300;
}

/**
 * Where an answer is not what S3 answers, such as a proxy's page, name and message are those of the SDK's own parser.
 *
 * @param {unknown} message
 */
function isUnread(message) {
  return String(message).includes('Deserialization error: to see the raw response');
}

/**
 * What the SDK makes up where an answer had no body to read a code from.
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
