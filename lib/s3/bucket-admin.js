import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { timeoutError } from './s3-error.js';
import { classifySdkError, createSdkClient } from './sdk-client.js';

/**
 * Lists and deletes for clean-up, through the SDK: nothing here is measured.
 */
export class BucketAdmin {
  #client;
  #timeout;
  #epochNow;
  /** Requests sent. */
  requests = 0;

  /**
   * @param {import('./object-store.js').StoreOptions} options
   * @param {number} timeout ms for a request
   */
  constructor(options, timeout) {
    this.#client = createSdkClient(options);
    this.#timeout = timeout;
    this.#epochNow = options.epochNow;
  }

  /**
   * @param {string} bucket
   * @param {string} prefix
   * @param {string} startAfter the page begins behind this key
   * @returns {Promise<{ keys: string[], isLast: boolean }>} at most 1,000 keys in their order
   * @throws {import('./s3-error.js').AttemptError}
   */
  async listPage(bucket, prefix, startAfter) {
    const { Contents = [], IsTruncated = false } = await this.#send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: startAfter || undefined }),
    );
    return { keys: Contents.map((/** @type {{ Key: string }} */ { Key }) => Key), isLast: !IsTruncated };
  }

  /**
   * @param {string} bucket
   * @param {readonly string[]} keys at most 1,000, which is all that S3 allows
   * @returns {Promise<string[]>} for each key that the store did not delete, what it said about it
   * @throws {import('./s3-error.js').AttemptError}
   */
  async deleteBatch(bucket, keys) {
    const { Errors = [] } = await this.#send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true } }),
    );
    return Errors.map(
      (/** @type {Record<string, string>} */ { Key, Code, Message }) => `${Key}: ${Code} ${Message ?? ''}`,
    );
  }

  close() {
    this.#client.destroy();
  }

  /**
   * @param {any} command
   * @returns {Promise<any>}
   */
  async #send(command) {
    this.requests += 1;
    const deadline = AbortSignal.timeout(this.#timeout);
    try {
      return await this.#client.send(command, { abortSignal: deadline });
    } catch (error) {
      if (deadline.aborted) {
        throw timeoutError(this.#timeout);
      }
      throw classifySdkError(error, { stale: true, answered: false, now: this.#epochNow() });
    }
  }
}
