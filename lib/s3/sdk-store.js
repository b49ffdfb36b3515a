import { Readable } from 'node:stream';
import * as sdk from '@aws-sdk/client-s3';
import { digestIn, mayResendAtOnce, withPlainKeys } from './object-connection.js';
import { isR2 } from './cloudflare.js';
import { S3_CALLS } from './s3-calls.js';
import { classifySdkError, createSdkClient, sendCommand } from './sdk-client.js';

/**
 * @import { BodySink, ObjectConnection, ObjectRequest, ObjectStore, Reply, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 * @import { AttemptError } from './s3-error.js'
 * @import { S3Client } from '@aws-sdk/client-s3'
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
   * @param {unknown} command
   * @param {AbortSignal} signal
   */
  async #output(command, signal) {
    try {
      return await sendCommand(this.#client, command, signal);
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
