import { randomUUID } from 'node:crypto';
import { globalIndex } from '../../load/workload/keyspace.js';
import { asAttemptError } from '../../store/s3-error.js';

/**
 * @import { Keyspace, OwnKey } from '../../load/workload/keyspace.js'
 * @import { Shard } from '../../result/config.js'
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
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
  async place({ admin, retry }, wait) {
    const create = () => retry(() => admin.create(this.#bucket, this.#key, Buffer.from(this.#token)));
    let isMade = false;
    try {
      isMade = await create();
      // A store that honours the condition refuses the second one.
      if (isMade && (await create())) {
        await wait(START_MS);
        isMade = false;
      }
      this.isPlaced = isMade || (await retry(() => admin.read(this.#bucket, this.#key))) === this.#token;
      return this.isPlaced;
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
  async remove({ admin, retry }) {
    const [bucket, key] = [this.#bucket, this.#key];
    try {
      for (let removal = 0; removal < MAX_REMOVALS; removal++) {
        await retry(() => admin.deleteObject(bucket, key)).catch(async (error) => {
          falseIfDenied(error);
          // Some credentials may delete objects only in batches.
          if ((await retry(() => admin.deleteBatch(bucket, [key]))).length > 0) {
            throw error;
          }
        });
        if (!(await retry(() => admin.has(bucket, key).catch(falseIfDenied)))) {
          return null;
        }
      }
      return `the store confirmed that it deleted ${key}, which marks the run as under way, and keeps it`;
    } catch (error) {
      return `${key}, which marks the run as under way, may be left (${asAttemptError(error).message})`;
    }
  }
}

/** Without permission to ask, the answer to the deletion counts. @param {unknown} error */
function falseIfDenied(error) {
  if (asAttemptError(error).status !== 403) {
    throw error;
  }
  return false;
}
