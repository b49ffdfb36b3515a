import { createRequire } from 'node:module';

/**
 * @import { KeepAliveAgent } from './http/keep-alive-agent.js'
 * @import { ClientName, PublicUrl } from '../result/config.js'
 * @import { CacheStatus } from './public-store.js'
 * @import { LiveCredentials } from './live-credentials.js'
 * @import { S3Call } from './s3-calls.js'
 * @import { AttemptError } from './s3-error.js'
 */

export { S3_CALLS } from './s3-calls.js';

/**
 * The store as operations see it: one connection per thread, which sends S3 calls. An implementation sends exactly one
 * request per call and never retries, because all implementations share one retry policy.
 *
 * @typedef {object} ObjectStore
 * @property {(thread: number) => ObjectConnection} openConnection
 * @property {() => Promise<void>} close closes all connections
 */

/**
 * One thread's connection to the store. It carries one attempt at a time.
 *
 * @typedef {object} ObjectConnection
 * @property {Reply} reply the response to the last attempt, if it succeeded
 * @property {number} startedAt monotonic ms at which the current attempt began; 0 when idle. Set by the caller
 * @property {number} moved bytes of objects sent and received so far, whatever the outcome of the attempts
 * @property {number} movedBefore value of `moved` when the current attempt began
 * @property {number} answeredAt monotonic ms at which the last response with an object in its body began
 * @property {number} [innerRetries] attempts that failed within the last one, for a client that retries itself
 * @property {number} idleSince monotonic ms at which the previous attempt ended. Set by the caller
 * @property {(call: S3Call, request: ObjectRequest) => Promise<void>} send resolves once the whole response has
 *   arrived, and its object, if any, has passed through the request's sink. Throws an AttemptError if the attempt fails
 * @property {(error: AttemptError) => void} abort ends the current attempt with that error and destroys its socket
 */

/**
 * The parts of a request. A thread's operation record implements this type, so that a request allocates no object. A
 * call uses the members that it needs.
 *
 * @typedef {object} ObjectRequest
 * @property {string} bucket
 * @property {string} key
 * @property {number} size bytes of the body
 * @property {Buffer | Iterable<Buffer> | null} body for a call that sends an object; each attempt iterates it again
 * @property {BodySink} sink for a call that receives an object
 * @property {boolean} [byApi] whether to use the S3 API even if the client has another way to read
 * @property {Readonly<Record<string, any>>} [input] additional members of the call's input, with the S3 API's names
 */

/**
 * @typedef {{ accept: (chunk: Buffer) => void }} BodySink takes the next bytes of a body, valid only during the call
 */

/**
 * A response. One object serves a connection for the whole run, so that a response allocates nothing.
 *
 * @typedef {object} Reply
 * @property {number} status the HTTP status
 * @property {number} etagDigest see object-connection.js; 0 if the response has no ETag
 * @property {number} contentLength bytes; -1 if unknown
 * @property {string} contentRange the header exactly as the store sent it; '' if absent
 * @property {CacheStatus} [cacheStatus] for a client that reads through a cache; also set on errors
 * @property {boolean} [isCopy] for a client that reads through a cache: whether a cache served a possibly older copy
 * @property {string} [publicUrl] for a client that reads through a cache: the URL that responded
 * @property {boolean} [isPage] for a client that reads through a cache: whether the response is HTML
 * @property {number} [age] for a client that reads through a cache: the Age header in s; -1 if absent
 * @property {number} [bindingTime] for a client with a Worker: ms that its call of the bucket binding took; -1 if unknown
 * @property {boolean} [isFirstByteTime] whether `bindingTime` ends at the first byte of a large body
 * @property {Readonly<Record<string, any>>} output members of the last call's output, with the SDK's names
 * @property {() => { requestId: string | null, ray: string | null }} [identify] what identifies the response; absent for
 *   a client that does not know it
 */

/**
 * @typedef {object} StoreOptions
 * @property {KeepAliveAgent} agent provides the sockets
 * @property {boolean} useTls
 * @property {string} [certificate] see StoreConfig
 * @property {4 | 6} [family] see StoreConfig
 * @property {string} hostname
 * @property {number} port
 * @property {string} [basePath] see StoreConfig
 * @property {'path' | 'virtual'} [addressing] see StoreConfig
 * @property {readonly string[]} buckets
 * @property {PublicUrl} [publicUrl] for the public client's reads
 * @property {string} region that requests are signed for
 * @property {LiveCredentials} credentials
 * @property {boolean} keepAlive
 * @property {boolean} [keysAreForeign] whether the run did not write the objects, so that their keys can need escaping
 * @property {number} threads
 * @property {boolean} [sdkDefaults] see LoadConfig
 * @property {boolean} [presigned] see LoadConfig
 * @property {() => number} now monotonic ms
 * @property {() => number} epochNow epoch ms, for signing
 * @property {(colo: string) => void} [onColo] called with the Cloudflare data centre of a connection's first response
 */

/**
 * @typedef {object} Client
 * @property {string} about a description for the user; '' if its name is enough
 * @property {(options: StoreOptions) => Promise<ObjectStore>} open
 * @property {boolean} readsStreams whether it reads from Node streams instead of a buffer that all sockets share
 * @property {boolean} readsCache whether a cache can serve its reads
 * @property {boolean} timesBinding whether its responses contain the time of a Worker's binding
 * @property {readonly string[]} packages besides Node whose versions affect its figures
 */

/** @type {Readonly<Client>} */
const direct = Object.freeze({
  about: '',
  open: async (options) => new (await import('./direct-store.js')).DirectStore(options),
  readsStreams: false,
  readsCache: false,
  timesBinding: false,
  packages: [],
});

/** Keyed by the names of --client. @satisfies {Readonly<Record<ClientName, Readonly<Client>>>} */
export const CLIENTS = Object.freeze({
  direct,
  sdk: Object.freeze({
    about: 'AWS SDK',
    open: async (/** @type {StoreOptions} */ options) => new (await import('./sdk-store.js')).SdkStore(options),
    readsStreams: true,
    readsCache: false,
    timesBinding: false,
    packages: ['@aws-sdk/client-s3'],
  }),
  edge: Object.freeze({
    ...direct,
    about: 'Worker',
    timesBinding: true,
    open: async (/** @type {StoreOptions} */ options) => new (await import('./edge-store.js')).EdgeStore(options),
  }),
  public: Object.freeze({
    ...direct,
    about: 'URL',
    readsCache: true,
    open: async (/** @type {StoreOptions} */ options) => new (await import('./public-store.js')).PublicStore(options),
  }),
});

/** @type {readonly ClientName[]} */
export const CLIENT_NAMES = Object.freeze(/** @type {ClientName[]} */ (Object.keys(CLIENTS)));

/**
 * @param {ClientName} client
 * @param {StoreOptions} options
 * @returns {Promise<ObjectStore>}
 */
export function openStore(client, options) {
  return CLIENTS[client].open(options);
}

const require = createRequire(import.meta.url);

/** @type {string} */
export const VERSION = require('../../package.json').version;

/**
 * The versions that affect a run's figures. The direct client depends on Node alone.
 *
 * @param {ClientName} client
 * @returns {Record<string, string>}
 */
export function versionsOf(client) {
  const packages = CLIENTS[client].packages.map((name) => [name, require(`${name}/package.json`).version]);
  return { 'r2-benchmark': VERSION, node: process.versions.node, ...Object.fromEntries(packages) };
}
