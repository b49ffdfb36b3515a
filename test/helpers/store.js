import { AddressBook } from '../../lib/store/http/address-book.js';
import { AttemptDeadlines } from '../../lib/store/retry.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { createReadBuffer } from '../../lib/store/http/socket-reader.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { S3_CALLS, openStore } from '../../lib/store/object-store.js';
import { trustCertificate } from './trust-certificate.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { BodySink, ObjectConnection, StoreOptions } from '../../lib/store/object-store.js'
 * @import { TestEndpoint } from './local-s3.js'
 *
 * @typedef {Pick<TestEndpoint, 'hostname' | 'port' | 'region' | 'credentials' | 'tls'>} Target
 *
 * @typedef {object} TestStore
 * @property {KeepAliveAgent} agent
 * @property {ObjectConnection[]} connections
 * @property {StoreOptions} options
 */

const MAX_CONNECT_MS = 10_000;

/**
 * Opens a store like a run does: an agent, a client, a connection per thread, and a deadline for attempts. Everything is
 * closed after the test.
 *
 * @param {TestContext} t
 * @param {'direct' | 'sdk'} client
 * @param {Target} target
 * @param {object} [choice]
 * @param {number} [choice.threads]
 * @param {boolean} [choice.keepAlive]
 * @param {number} [choice.timeout] ms per attempt
 * @param {string} [choice.name] host name for the client, which reaches the target under any name
 * @param {(colo: string) => void} [choice.onColo] see StoreOptions
 * @param {boolean} [choice.keysAreForeign] see StoreOptions
 * @param {boolean} [choice.trusting] whether to trust the target's certificate
 * @returns {Promise<TestStore>}
 */
export async function openTestStore(t, client, target, choice = {}) {
  const { threads = 1, keepAlive = true, timeout = 10_000, trusting = true, name = target.hostname, onColo } = choice;
  const { keysAreForeign } = choice;
  if (target.tls !== null && trusting) {
    trustCertificate(t, target.tls.cert);
  }
  const { hostname, port, region, credentials } = target;
  const useTls = target.tls !== null;
  const now = () => performance.now();
  const agent = new KeepAliveAgent({
    hostname,
    addresses: new AddressBook(hostname, now),
    port,
    useTls,
    connectTimeout: MAX_CONNECT_MS,
    readBuffer: client === 'direct' ? createReadBuffer() : null,
    now,
    hooks: { opened() {} },
  });
  const options = {
    agent,
    useTls,
    hostname: name,
    port,
    region,
    credentials: new LiveCredentials(credentials),
    buckets: [],
    keepAlive,
    threads,
    now: performance.now.bind(performance),
    epochNow: Date.now,
    onColo,
    keysAreForeign,
  };
  const store = await openStore(client, options);
  const connections = Array.from({ length: threads }, (_, thread) => store.openConnection(thread));
  const deadlines = new AttemptDeadlines({ timeout, now, connections });
  deadlines.start();
  t.after(async () => {
    deadlines.stop();
    await store.close();
    agent.close();
  });
  return { agent, connections, options };
}

/**
 * Carries out one attempt like the retry policy, so that its deadline applies.
 *
 * @template Result
 * @param {ObjectConnection} connection
 * @param {() => Promise<Result>} request
 */
export async function attempt(connection, request) {
  const timed = connection;
  timed.startedAt = performance.now();
  try {
    return await request();
  } finally {
    timed.startedAt = 0;
    timed.idleSince = performance.now();
  }
}

/** @type {BodySink} */
const NOWHERE = { accept() {} };

/**
 * @param {ObjectConnection} connection
 * @param {string} bucket
 * @param {string} key
 * @param {Buffer | Iterable<Buffer>} body
 * @param {number} size bytes
 */
export function put(connection, bucket, key, body, size) {
  return connection.send(S3_CALLS.PutObject, { bucket, key, size, body, sink: NOWHERE });
}

/**
 * @param {ObjectConnection} connection
 * @param {string} bucket
 * @param {string} key
 * @param {BodySink} [sink]
 */
export function get(connection, bucket, key, sink = NOWHERE) {
  return connection.send(S3_CALLS.GetObject, { bucket, key, size: 0, body: null, sink });
}

/**
 * @param {ObjectConnection} connection
 * @param {string} bucket
 * @param {string} key
 */
export function head(connection, bucket, key) {
  return connection.send(S3_CALLS.HeadObject, { bucket, key, size: 0, body: null, sink: NOWHERE });
}

/**
 * @param {ObjectConnection} connection
 * @param {string} bucket
 * @param {string} key
 */
export function remove(connection, bucket, key) {
  return connection.send(S3_CALLS.DeleteObject, { bucket, key, size: 0, body: null, sink: NOWHERE });
}

export class BodyCollector {
  /** @type {Buffer[]} */
  #chunks = [];

  /** @param {Buffer} chunk valid only during the call */
  accept(chunk) {
    this.#chunks.push(Buffer.from(chunk));
  }

  get bytes() {
    return Buffer.concat(this.#chunks);
  }
}
