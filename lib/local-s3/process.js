import { hash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { crc32 } from 'node:zlib';
import { ignoreEndingSignals } from '../measure/host/ending-signals.js';
import { openAccessLog } from './access-log.js';
import { Answer, Tally } from './answer.js';
import { FaultInjector } from './fault-injector.js';
import { KINDS, parseFaults, pass } from './faults.js';
import { ObjectTable, UploadTable } from './object-table.js';
import { OPERATION_TABLE, keysToDelete } from './operations.js';
import { receiveBody } from './receive-body.js';
import { route } from './router.js';
import { SignatureCheck } from './signature-check.js';
import { S3Error } from './xml.js';

/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { Request } from './operations.js'
 * @import { Operation, Target } from './router.js'
 * @import { Credentials } from './signature-check.js'
 */

/**
 * The program that start.js runs in a separate process. Calls arrive as messages, and their outcomes are sent back.
 * The first call is `listen`. The process ends when the channel closes, and therefore when its parent ends.
 *
 * @typedef {'listen' | 'report' | 'put' | 'list'} CallName
 *
 * @typedef {{ id: number, method: CallName, parameters: any[] }} Call
 *
 * @typedef {object} Outcome
 * @property {number | null} id null for an error outside any call, which ends the process
 * @property {unknown} [value]
 * @property {{ message: string, code?: string }} [error]
 */

/** @type {StoreServer} */
let endpoint;

/** @type {Record<CallName, (...parameters: any[]) => unknown>} */
const METHODS = {
  listen: ({ port = 0, ...options }) => {
    endpoint = new StoreServer(options);
    return endpoint.listen(port);
  },
  report: () => endpoint.report(),
  put: (bucket, key, body) => endpoint.put(bucket, key, Buffer.from(body)),
  list: (bucket) => endpoint.list(bucket),
};

process.on('disconnect', () => process.exit(0));
// The parent needs this process to clean up.
ignoreEndingSignals(process);
process.on('uncaughtException', (error) => {
  send({ id: null, error: plain(error) }, () => process.exit(1));
});
process.on('message', async (/** @type {Call} */ { id, method, parameters }) => {
  try {
    send({ id, value: await METHODS[method](...parameters) });
  } catch (error) {
    send({ id, error: plain(error) });
  }
});

/**
 * @param {Outcome} outcome
 * @param {() => void} [sent]
 */
function send(outcome, sent = () => {}) {
  process.send?.(outcome, sent);
}

/** @param {unknown} error */
function plain(error) {
  const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return { message, code };
}

/**
 * @typedef {object} EndpointOptions
 * @property {string[]} buckets
 * @property {Credentials} credentials accepted credentials
 * @property {readonly Credentials[]} [furtherCredentials] also accepted: successive temporary credentials
 * @property {string} [region] that requests must be signed for
 * @property {{ key: string, cert: string } | null} [tls] private key and certificate as PEM; null for plain HTTP
 * @property {string} [basePath] path before the bucket: '' or, for example, `/storage/v1/s3`
 * @property {string} [faults] a script, see parseFaults; '' for none
 * @property {string} [accessLog] file for a log of the requests, see openAccessLog
 */

/** Loopback only: other hosts cannot reach the embedded endpoint. */
const HOSTNAME = '127.0.0.1';

/** Thousands of clients may connect at the same moment. */
const BACKLOG = 4096;

/** Server limits must not disturb a benchmark: idle connections stay open, and slow requests are allowed to finish. */
const NO_LIMITS = Object.freeze({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, noDelay: true });

/** Digests of a body that clients may send. @type {readonly [header: string, digestOf: (body: Buffer) => string][]} */
const DIGESTS = [
  ['content-md5', (body) => hash('md5', body, 'base64')],
  // The AWS SDK's default.
  ['x-amz-checksum-crc32', (body) => Buffer.from(crc32(body).toString(16).padStart(8, '0'), 'hex').toString('base64')],
];

/** Time in ms after which every reader must see a write, even if its response was delayed. */
const SETTLED_AFTER_MS = 1000;

/** An S3 endpoint that keeps objects in memory and checks the signature of every request. */
class StoreServer {
  #tally = new Tally();
  #tables;
  /** @type {Map<string, UploadTable>} */
  #uploads;
  #signatures;
  #basePath;
  #faults;
  #skew;
  /** By the client's address and port. @type {Map<string, Socket>} */
  #sockets = new Map();
  #server;
  #log;

  /**
   * @param {EndpointOptions} options
   * @throws {Error} if the fault script is invalid, or the log cannot be written
   */
  constructor(options) {
    const { buckets, region = 'auto', credentials, furtherCredentials = [], tls = null, basePath = '' } = options;
    const plan = parseFaults(options.faults ?? '');
    this.#log = options.accessLog === undefined ? null : openAccessLog(options.accessLog);
    this.#skew = plan.skew;
    const keepsBefore = plan.items.some(({ name }) => name === 'stale');
    this.#faults = new FaultInjector(plan, buckets, () => performance.now());
    this.#tables = new Map(buckets.map((bucket) => [bucket, new ObjectTable({ keepsBefore })]));
    this.#uploads = new Map(buckets.map((bucket) => [bucket, new UploadTable()]));
    this.#basePath = basePath;
    this.#signatures = new SignatureCheck({
      credentials: [credentials, ...furtherCredentials],
      region,
      now: () => this.#now(),
    });
    const server = tls === null ? http.createServer(NO_LIMITS) : https.createServer({ ...NO_LIMITS, ...tls });
    server.on('request', (message, response) => void this.#handle(message, response));
    server.on('connection', (/** @type {Socket} */ socket) => this.#connected(socket));
    this.#server = server;
  }

  /**
   * @param {number} port 0 for any free port
   * @returns {Promise<{ hostname: string, port: number }>} rejects if the port is not available
   */
  listen(port) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: HOSTNAME, port, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        resolve({ hostname: HOSTNAME, port: /** @type {AddressInfo} */ (this.#server.address()).port });
      });
    });
  }

  /** @param {Socket} socket that a client has connected */
  #connected(socket) {
    const name = peerOf(socket);
    this.#sockets.set(name, socket);
    socket.on('close', () => {
      // The peer may have reconnected from the same port before this event.
      if (this.#sockets.get(name) === socket) {
        this.#sockets.delete(name);
      }
    });
    this.#tally.countConnection();
  }

  report() {
    return this.#tally.report({ objects: sizesOf(this.#tables), uploads: sizesOf(this.#uploads) });
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {Buffer} body
   */
  put(bucket, key, body) {
    this.#tableOf(bucket).put(key, body, this.#now());
  }

  /**
   * @param {string} bucket
   * @returns {string[]} its keys, in the order of their UTF-8 bytes
   */
  list(bucket) {
    return this.#tableOf(bucket).keys();
  }

  /**
   * Catches only S3Errors: any other error is a bug and must crash the endpoint.
   *
   * @param {IncomingMessage} message
   * @param {ServerResponse} response
   */
  async #handle(message, response) {
    const arrivedAt = performance.now();
    const { operation, target, refusal } = route(String(message.method), String(message.url), {
      basePath: this.#basePath,
      host: message.headers.host,
    });
    this.#tally.countRequest(operation);
    if (this.#skew !== 0) {
      response.setHeader('Date', new Date(this.#now()).toUTCString());
    }
    const answer = new Answer(response, { operation, arrivedAt, resource: target.path, tally: this.#tally });
    try {
      if (operation === 'OTHER') {
        throw refusal;
      }
      const body = await receiveBody(message, this.#faults.paceOf(operation, target.bucket));
      if (body !== null) {
        await this.#letIn(message, target, body);
        if (this.#log !== null) {
          this.#logAnswer(this.#log, { operation, arrivedAt, target, body, message }, answer);
        }
        await this.#answer(operation, { target, body, headers: message.headers }, answer);
      }
    } catch (error) {
      if (!(error instanceof S3Error)) {
        throw error;
      }
      answer.sendError(error);
    }
  }

  /**
   * @param {ReturnType<typeof openAccessLog>} log
   * @param {{ operation: Exclude<Operation, 'OTHER'>, arrivedAt: number, target: Target, body: Buffer, message: IncomingMessage }} request
   * @param {Answer} answer
   */
  #logAnswer(log, { operation, arrivedAt, target, body, message }, answer) {
    const { bucket, key, query } = target;
    const objects = this.#tableOf(bucket);
    const { length: sizeBefore = 0 } = objects.get(key)?.body ?? {};
    answer.onEnd = (status) =>
      log({
        operation: message.headers['x-amz-copy-source'] === undefined ? operation : 'COPY',
        time: Math.round(performance.timeOrigin + arrivedAt),
        bucket,
        method: String(message.method),
        url: String(message.url),
        keys: operation === 'POST' ? keysToDelete(body) : [key],
        query,
        status,
        received: body.length,
        sent: answer.bytes,
        size: objects.get(key)?.body.length ?? sizeBefore,
      });
  }

  /**
   * @param {IncomingMessage} message
   * @param {Target} target
   * @param {Buffer} body
   * @throws {S3Error} if the signature or a digest is invalid
   */
  async #letIn({ method, headers }, { path, query }, body) {
    await this.#signatures.check({ method: String(method), path, query, headers }, body);
    for (const [name, digestOf] of DIGESTS) {
      if (headers[name] !== undefined && headers[name] !== digestOf(body)) {
        throw new S3Error('BadDigest', `The ${name} you specified did not match what we received.`);
      }
    }
  }

  /**
   * The request takes effect after the delay, even if the client has given up by then.
   *
   * @param {Exclude<Operation, 'OTHER'>} operation
   * @param {Pick<Request, 'target' | 'body' | 'headers'>} request
   * @param {Answer} answer
   */
  async #answer(operation, request, answer) {
    const { bucket, key } = request.target;
    const table = this.#tableOf(bucket);
    const uploads = /** @type {UploadTable} */ (this.#uploads.get(bucket));
    const whole = () => ({ ...request, table, uploads, tableOf: this.#tableOf.bind(this), now: this.#now() });
    const perform = (/** @type {Partial<Request>} */ changes = {}) =>
      OPERATION_TABLE[operation]({ ...whole(), ...changes });
    const isConditional = request.headers['if-match'] !== undefined || request.headers['if-none-match'] !== undefined;
    const object = table.get(key);
    const size = object?.body.length;
    const hasBefore = object?.before !== undefined && this.#now() - object.lastModified >= SETTLED_AFTER_MS;
    const connection = answer.response.req.socket;
    const { delay, fault } = this.#faults.decide(operation, { bucket, size, connection, hasBefore, isConditional });
    await pass(delay);
    const pace = operation === 'GET' ? this.#faults.paceOf(operation, bucket) : null;
    if (fault === null) {
      const result = perform();
      await (pace === null ? answer.send(result) : answer.sendAtPace(result, pace));
    } else {
      await pass(pace?.(size ?? 0) ?? 0);
      this.#tally.countFault(fault.name);
      // Only a TCP socket can send RST; the one under a TLS socket is found by its peer.
      const reset = () => this.#sockets.get(peerOf(connection))?.resetAndDestroy();
      await KINDS[fault.name].answer?.({ fault, answer, request: whole(), perform, reset });
    }
  }

  /** @param {string} bucket */
  #tableOf(bucket) {
    const table = this.#tables.get(bucket);
    if (table === undefined) {
      throw new S3Error('NoSuchBucket', `The specified bucket does not exist: ${bucket}`);
    }
    return table;
  }

  #now() {
    return Date.now() + this.#skew;
  }
}

/** @param {ReadonlyMap<string, { size: number }>} tables by bucket */
function sizesOf(tables) {
  return Object.fromEntries([...tables].map(([bucket, { size }]) => [bucket, size]));
}

/** @param {Socket} socket */
function peerOf(socket) {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}
