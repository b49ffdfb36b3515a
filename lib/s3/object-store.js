/**
 * @import { KeepAliveAgent } from '../http/keep-alive-agent.js'
 * @import { Transfer } from './object-connection.js'
 * @import { CacheStatus } from './cache-status.js'
 * @import { S3Call } from './s3-calls.js'
 * @import { AttemptError } from './s3-error.js'
 * @import { LiveCredentials } from './live-credentials.js'
 * @import { SigningRegion } from './signing-region.js'
 * @import { ClientName, PublicUrl } from '../model/config.js'
 */

export { S3_CALLS } from './s3-calls.js';

/**
 * What operations see of a store: one connection for each thread, which sends calls of the S3 API. An implementation sends
 * exactly one request for a call and never retries by itself: there is one retry policy for all of them.
 *
 * @typedef {object} ObjectStore
 * @property {(thread: number) => ObjectConnection} openConnection
 * @property {() => Promise<void>} close ends all connections
 */

/**
 * One thread's way to the store. It carries one attempt at a time.
 *
 * @typedef {object} ObjectConnection
 * @property {Reply} reply what the last attempt was answered with, where it has succeeded
 * @property {number} startedAt monotonic ms at which the attempt under way began; 0 while there is none. Set from outside
 * @property {number} moved bytes of objects sent and received so far, whatever became of the attempts
 * @property {number} movedBefore what `moved` was when the attempt under way began
 * @property {number} answeredAt monotonic ms at which the last answer began that has an object for its body
 * @property {number} idleSince monotonic ms at which the attempt before it ended. Set from outside
 * @property {(call: S3Call, request: ObjectRequest) => Promise<void>} send resolves once the whole answer has come, and an
 *   object in it has passed through the request's sink. Throws an AttemptError where the attempt did not succeed
 * @property {() => Transfer | null} transfer how far the object of the attempt under way has come; null where none of it
 *   has been moved
 * @property {(error: AttemptError) => void} abort ends the attempt under way with that error and
 *   destroys its socket
 */

/**
 * What a request is made of. A thread's operation record is one, so that a request costs no object of its own; a call
 * takes of it what it needs.
 *
 * @typedef {object} ObjectRequest
 * @property {string} bucket
 * @property {string} key
 * @property {number} size bytes of the body
 * @property {Buffer | Iterable<Buffer> | null} body of a call that sends an object; it can be walked again for each attempt
 * @property {BodySink} sink of a call that receives one
 * @property {boolean} [byApi] whether it goes over the S3 API, also where a client has another way to read
 * @property {Readonly<Record<string, any>>} [input] further members of the call's input, as the S3 API names them
 */

/**
 * @typedef {object} BodySink
 * @property {(chunk: Buffer) => void} accept takes the next bytes of a body; they are only valid during the call
 */

/**
 * One object that serves a connection for the whole run, so that an answer costs no allocation.
 *
 * @typedef {object} Reply
 * @property {number} status of HTTP
 * @property {number} etagDigest see object-connection.js; 0 where the answer names no ETag
 * @property {number} contentLength bytes; -1 where the answer does not say
 * @property {string} contentRange the header of that name, as the store wrote it; '' where the answer has none
 * @property {string} [encryption] how the store has encrypted the object, as S3 names it; '' where it does not say, or nobody
 *   looks: see keysAreForeign
 * @property {CacheStatus} [cacheStatus] of a client that reads through a cache, also where the answer is an error
 * @property {boolean} [isCopy] likewise, whether that is the answer of a cache with what the store may have had some time ago
 * @property {string} [publicUrl] likewise, where it came from
 * @property {boolean} [isPage] likewise, whether it is HTML
 * @property {number} [age] likewise, in s; -1 where the answer has none
 * @property {Readonly<Record<string, any>>} output members of the last output that was a document, as the SDK names them
 */

/**
 * @typedef {object} StoreOptions
 * @property {KeepAliveAgent} agent where the sockets come from
 * @property {boolean} useTls
 * @property {string} hostname
 * @property {number} port
 * @property {string} [basePath] see StoreConfig
 * @property {'path' | 'virtual'} [addressing] see StoreConfig
 * @property {readonly string[]} buckets
 * @property {PublicUrl} [publicUrl] from which the public client reads
 * @property {SigningRegion} region
 * @property {LiveCredentials} credentials
 * @property {boolean} keepAlive
 * @property {boolean} [keysAreForeign] whether the objects are not the run's: their keys may need escaping, and their ETags be no
 *   MD5s
 * @property {number} threads
 * @property {() => number} now monotonic ms
 * @property {() => number} epochNow epoch ms, for signing
 * @property {(colo: string) => void} [onColo] the first answer over a connection came from that Cloudflare data center, see cloudflare.js
 */

/**
 * What there is to know of a client: how it sends requests, and how it is chosen.
 *
 * @typedef {object} Client
 * @property {string} about what it is, for the user; '' where its name says it
 * @property {(options: StoreOptions) => Promise<ObjectStore>} open
 * @property {boolean} readsStreams whether it reads from streams of Node, and not from a buffer that all sockets share
 * @property {boolean} readsCache whether a cache may answer its reads
 * @property {readonly string[]} packages on whose versions its figures depend, besides Node's
 */

/** @type {Readonly<Client>} */
const direct = Object.freeze({
  about: '',
  open: async (options) => {
    const { DirectStore } = await import('./direct-store.js');
    return new DirectStore(options);
  },
  readsStreams: false,
  readsCache: false,
  packages: [],
});

/** By the names of --client. @satisfies {Readonly<Record<ClientName, Readonly<Client>>>} */
export const CLIENTS = Object.freeze({
  direct,
  sdk: Object.freeze({
    about: 'the AWS SDK',
    open: async (/** @type {StoreOptions} */ options) => {
      const { SdkStore } = await import('./sdk-store.js');
      return new SdkStore(options);
    },
    readsStreams: true,
    readsCache: false,
    packages: ['@aws-sdk/client-s3'],
  }),
  // It sends to a Worker what the direct one sends to a store.
  edge: Object.freeze({ ...direct, about: 'a Worker' }),
  public: Object.freeze({
    ...direct,
    readsCache: true,
    open: async (/** @type {StoreOptions} */ options) => {
      const { PublicStore } = await import('./public-store.js');
      return new PublicStore(options);
    },
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
