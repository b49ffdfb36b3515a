import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { concealer } from './conceal.js';
import { etagDigest } from './etag-digest.js';
import { classifySdkError, createSdkClient, sendCommand } from './sdk-client.js';
import { mayResendAtOnce } from './stale-connection.js';
import { transferOf } from './transfer.js';

/**
 * @import { BodySink, ObjectConnection, ObjectStore, StoreOptions } from './object-store.js'
 * @import { AttemptError } from './s3-error.js'
 * @import { S3Client } from '@aws-sdk/client-s3'
 */

/**
 * The AWS SDK as a store: what an application that uses it would see. All threads share one client and one agent.
 *
 * @implements {ObjectStore}
 */
export class SdkStore {
  #client;
  #conceal;
  #options;

  /** @param {StoreOptions} options */
  constructor(options) {
    this.#options = options;
    this.#client = createSdkClient(options);
    this.#conceal = concealer(options.credentials);
  }

  openConnection() {
    return new SdkConnection(this.#client, this.#conceal, this.#options);
  }

  async close() {
    this.#client.destroy();
  }
}

/**
 * @implements {ObjectConnection}
 */
class SdkConnection {
  #client;
  #keepAlive;
  #conceal;
  #now;
  #epochNow;
  /** @type {AbortController | null} */
  #controller = null;
  /** @type {AttemptError | null} why the attempt was aborted */
  #aborted = null;
  #isWrite = false;
  /** Bytes of the object that is being written. */
  #size = 0;

  reply = { etagDigest: 0, contentLength: -1 };
  startedAt = 0;
  moved = 0;
  movedBefore = 0;
  answeredAt = 0;
  idleSince = 0;

  /**
   * @param {S3Client} client
   * @param {(text: string) => string} conceal takes secrets out of what the store says
   * @param {StoreOptions} options
   */
  constructor(client, conceal, { keepAlive, now, epochNow }) {
    this.#client = client;
    this.#keepAlive = keepAlive;
    this.#conceal = conceal;
    this.#now = now;
    this.#epochNow = epochNow;
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {Buffer | Iterable<Buffer>} body
   * @param {number} size
   */
  async put(bucket, key, body, size) {
    this.#size = size;
    const content = Buffer.isBuffer(body) ? body : Readable.from(this.#counted(body), { objectMode: false });
    const { ETag } = await this.#send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body: content, ContentLength: size }),
    );
    this.reply.etagDigest = digestOf(ETag);
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {BodySink} sink
   */
  async get(bucket, key, sink) {
    const { Body, ContentLength } = await this.#send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    this.answeredAt = this.#now();
    this.reply.contentLength = ContentLength ?? -1;
    await this.#drain(/** @type {Readable} */ (Body), sink);
  }

  /**
   * @param {string} bucket
   * @param {string} key
   */
  async head(bucket, key) {
    const { ETag, ContentLength } = await this.#send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
    this.reply.etagDigest = digestOf(ETag);
    this.reply.contentLength = ContentLength ?? -1;
  }

  /**
   * @param {string} bucket
   * @param {string} key
   */
  async remove(bucket, key) {
    await this.#send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  }

  transfer() {
    return transferOf(this, this.#isWrite ? this.#size : null);
  }

  /** @param {AttemptError} error */
  abort(error) {
    this.#aborted = error;
    this.#controller?.abort(error);
  }

  /**
   * @param {any} command
   * @returns {Promise<any>}
   */
  async #send(command) {
    this.#isWrite = command instanceof PutObjectCommand;
    this.#aborted = null;
    this.#controller = new AbortController();
    this.movedBefore = this.moved;
    if (Buffer.isBuffer(command.input.Body)) {
      this.moved += command.input.Body.length;
    }
    try {
      return await sendCommand(this.#client, command, this.#controller.signal);
    } catch (error) {
      throw this.#classify(error, false);
    }
  }

  /**
   * @param {Iterable<Buffer>} body
   * @returns {Generator<Buffer, void, undefined>} the same, which counts what is taken of it
   */
  *#counted(body) {
    for (const chunk of body) {
      this.moved += chunk.length;
      yield chunk;
    }
  }

  /**
   * Passes a body through a sink chunk by chunk as it arrives. The SDK gives up its abort signal with the headers, so an
   * abort while the body streams destroys the stream.
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
    // Which socket an attempt went over is the agent's secret, so every kept-alive one may have been closed before.
    const stale = this.#keepAlive && mayResendAtOnce(this, this.#isWrite);
    return this.#aborted ?? classifySdkError(error, { stale, answered, conceal: this.#conceal, now: this.#epochNow() });
  }
}

/** @param {string | undefined} etag */
function digestOf(etag) {
  return etag === undefined ? 0 : etagDigest(Buffer.from(etag, 'latin1'));
}

function cutShort() {
  return Object.assign(new Error('the connection was closed before the body had ended'), { code: 'ECONNRESET' });
}
