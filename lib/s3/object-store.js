/**
 * @import { KeepAliveAgent } from '../http/keep-alive-agent.js'
 * @import { AttemptError } from './s3-error.js'
 * @import { Credentials } from './sigv4.js'
 * @import { Transfer } from './transfer.js'
 */

/**
 * What the stages see of a store: one connection for each thread, four operations, one attempt each. An implementation
 * sends exactly one request for a call and never tries again by itself; the retry policy stands outside.
 *
 * @typedef {object} ObjectStore
 * @property {(thread: number) => ObjectConnection} openConnection
 * @property {() => Promise<void>} close ends all connections
 */

/**
 * One thread's way to the store. It carries one attempt at a time. Every method throws an AttemptError (s3-error.js)
 * where the attempt did not succeed.
 *
 * @typedef {object} ObjectConnection
 * @property {Reply} reply what the last successful attempt was answered with
 * @property {number} startedAt monotonic ms at which the attempt under way began; 0 while there is none. Set from outside
 * @property {number} moved bytes of objects sent and received so far, whatever became of the attempts
 * @property {number} movedBefore what `moved` was when the attempt under way began
 * @property {number} answeredAt monotonic ms at which the answer to the last GET began
 * @property {number} idleSince monotonic ms at which the attempt before it ended. Set from outside
 * @property {(bucket: string, key: string, body: Buffer | Iterable<Buffer>, size: number) => Promise<void>} put
 * @property {(bucket: string, key: string, sink: BodySink) => Promise<void>} get resolves once the whole body has passed
 *   through the sink
 * @property {(bucket: string, key: string) => Promise<void>} head
 * @property {(bucket: string, key: string) => Promise<void>} remove
 * @property {() => Transfer | null} transfer how far the object of the attempt under way has come; null where none of it
 *   has been moved
 * @property {(error: AttemptError) => void} abort ends the attempt under way with that error and
 *   destroys its socket
 */

/**
 * @typedef {object} BodySink
 * @property {(chunk: Buffer) => void} accept takes the next bytes of a body; they are only valid during the call
 */

/**
 * One object that serves a connection for the whole run, so that an answer costs no allocation.
 *
 * @typedef {object} Reply
 * @property {number} etagDigest see etag-digest.js; of PUT and HEAD
 * @property {number} contentLength bytes, of GET and HEAD; -1 where the answer did not say
 */

/**
 * @typedef {object} StoreOptions
 * @property {KeepAliveAgent} agent where the sockets come from
 * @property {boolean} useTls
 * @property {string} hostname
 * @property {number} port
 * @property {string} region
 * @property {Credentials} credentials
 * @property {boolean} keepAlive
 * @property {number} threads
 * @property {() => number} now monotonic ms
 * @property {() => number} epochNow epoch ms, for signing
 */

/**
 * @param {'direct' | 'sdk'} client
 * @param {StoreOptions} options
 * @returns {Promise<ObjectStore>}
 */
export async function openStore(client, options) {
  if (client === 'sdk') {
    const { SdkStore } = await import('./sdk-store.js');
    return new SdkStore(options);
  }
  const { DirectStore } = await import('./direct-store.js');
  return new DirectStore(options);
}
