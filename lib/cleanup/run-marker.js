import { randomUUID } from 'node:crypto';
import { asAttemptError } from '../s3/s3-error.js';
import { globalIndex } from '../workload/shard.js';

/**
 * @import { Shard } from '../model/config.js'
 * @import { Keyspace, OwnKey } from '../workload/keyspace.js'
 * @import { BucketAccess } from './bucket-access.js'
 */

/** Higher than the index of any probe. */
const LOCAL_INDEX = 4096;

/** Two runs that start together write their markers within this time. */
const START_MS = 2000;

const MAX_REMOVALS = 3;

/**
 * An object that shows that a shard of a run is under way, from before its first write until after its clean-up. It keeps
 * a second run with the same run ID from writing, and from removing, the same objects.
 */
export class RunMarker {
  #index;
  #bucket;
  #key;
  #token = randomUUID();
  /** Whether there may be a marker of this run. */
  isPlaced = false;

  /**
   * @param {Keyspace} keyspace
   * @param {Shard} shard
   */
  constructor(keyspace, shard) {
    this.#index = globalIndex(shard, LOCAL_INDEX);
    this.#bucket = keyspace.bucketOf(this.#index);
    this.#key = keyspace.markerKeyOf(this.#index);
  }

  /**
   * @param {BucketAccess} access
   * @param {(milliseconds: number) => Promise<unknown>} wait
   * @returns {Promise<boolean>} false if another run is under way
   */
  async place(access, wait) {
    const { admin, retry } = access;
    let isMade = false;
    try {
      isMade = await this.#create(access);
      // A store that honours the condition refuses the second one.
      if (isMade && (await this.#create(access))) {
        await wait(START_MS);
        isMade = false;
      }
      const isOwn = isMade || (await retry(() => admin.read(this.#bucket, this.#key))) === this.#token;
      this.isPlaced = isOwn;
      return isOwn;
    } catch (error) {
      // Preflight also writes, and reports what is wrong.
      const { status, outcomeUnknown } = asAttemptError(error);
      this.isPlaced = isMade || status === 0 || outcomeUnknown;
      return true;
    }
  }

  /** @param {OwnKey} own */
  is({ isProbe, isCopy, index }) {
    return isProbe && !isCopy && index === this.#index;
  }

  /**
   * @param {BucketAccess} access
   * @returns {Promise<string | null>} why it may still be there
   */
  async remove(access) {
    try {
      for (let removal = 0; removal < MAX_REMOVALS; removal++) {
        await this.#delete(access);
        if (!(await this.#isThere(access))) {
          return null;
        }
      }
      return `the store confirmed that it deleted ${this.#key}, which marks the run as under way, and keeps it`;
    } catch (error) {
      return `${this.#key}, which marks the run as under way, may be left (${asAttemptError(error).message})`;
    }
  }

  /** Some credentials may delete objects only in batches. @param {BucketAccess} access */
  async #delete({ admin, retry }) {
    try {
      await retry(() => admin.deleteObject(this.#bucket, this.#key));
    } catch (error) {
      if (asAttemptError(error).status !== 403) {
        throw error;
      }
      const refused = await retry(() => admin.deleteBatch(this.#bucket, [this.#key]));
      if (refused.length > 0) {
        throw error;
      }
    }
  }

  /** Without permission to ask, the answer to the deletion counts. @param {BucketAccess} access */
  async #isThere({ admin, retry }) {
    try {
      return await retry(() => admin.has(this.#bucket, this.#key));
    } catch (error) {
      if (asAttemptError(error).status === 403) {
        return false;
      }
      throw error;
    }
  }

  /** @param {BucketAccess} access @returns {Promise<boolean>} false if there is a marker already */
  #create({ admin, retry }) {
    return retry(() => admin.create(this.#bucket, this.#key, Buffer.from(this.#token)));
  }
}
