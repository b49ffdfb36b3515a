import { mixIndex, seedOf } from './mix.js';

const RUN_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;
const PREFIX_PATTERN = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;
const DOTS_ALONE = /^\.+$/;
const NAME_PATTERN = /^[0-9a-f]{8}-(probe-)?(copy-)?(0|[1-9][0-9]{0,15})$/;
const CLAIM_PATTERN = /^-claim-(0|[1-9][0-9]{0,15})$/;

/** Leaves room for a run id and an object's name below the 1,024 bytes that S3 allows a key. */
const MAX_PREFIX_LENGTH = 512;

/**
 * A run id becomes a part of every key: it must neither widen the prefix nor need escaping.
 *
 * @param {string} runId
 * @returns {boolean}
 */
export function isRunId(runId) {
  return RUN_ID_PATTERN.test(runId) && !DOTS_ALONE.test(runId);
}

/**
 * @param {string} prefix what stands before `/<run id>/` in every key
 * @returns {boolean}
 */
export function isPrefix(prefix) {
  return (
    prefix.length <= MAX_PREFIX_LENGTH &&
    PREFIX_PATTERN.test(prefix) &&
    !prefix.split('/').some((segment) => DOTS_ALONE.test(segment))
  );
}

/**
 * @param {string} key
 * @param {string} prefix of all runs
 * @returns {boolean} whether a run gives this key to an object, a probe, a copy or a claim
 */
export function isRunKey(key, prefix) {
  return (keyspaceOf(key, prefix)?.recogniseName(key) ?? null) !== null;
}

/**
 * @param {string} key
 * @param {string} prefix of all runs
 * @returns {boolean} whether a run asks for this key, and gives it to nothing
 */
export function isAbsentKey(key, prefix) {
  return keyspaceOf(key, prefix)?.absentKey === key;
}

/**
 * @param {string} key
 * @param {string} prefix of all runs
 * @returns {Keyspace | null} of the run that its folder would be of
 */
function keyspaceOf(key, prefix) {
  const runId = key.slice(prefix.length + 1).split('/', 1)[0];
  return isRunId(runId) ? new Keyspace({ runId, prefix, buckets: [] }) : null;
}

/**
 * What a listed key was found to be of a run: one of its objects or one of its probes, or the copy of one.
 *
 * @typedef {object} OwnKey
 * @property {boolean} isProbe whether it is no object of a stage: claims are probes, too
 * @property {boolean} isCopy
 * @property {number} index of the object, or of the probe
 */

/**
 * Where objects are, or what takes their place.
 *
 * @typedef {Pick<Keyspace, 'buckets' | 'keyPrefix' | 'slotOf' | 'indexIn' | 'keyOf' | 'copyKeyOf' | 'spreadOf' | 'beforeKeyOf' | 'recogniseName'>} Places
 */

/**
 * Where each object of a run lives. Bucket and key of object i are pure functions of (run id, i), so that any host
 * that knows the run id can read, stat or remove the same objects, and a listed key can be checked to be the run's own.
 */
export class Keyspace {
  #seed;

  /**
   * @param {object} layout
   * @param {string} layout.runId
   * @param {string} layout.prefix
   * @param {readonly string[]} layout.buckets
   */
  constructor({ runId, prefix, buckets }) {
    this.runId = runId;
    this.buckets = buckets;
    /** What every key of the run begins with. */
    this.keyPrefix = `${prefix}/${runId}/`;
    this.#seed = seedOf(runId);
  }

  /**
   * Each block of as many objects as there are buckets meets every bucket once, in an order that changes from block to
   * block: consecutive indices are spread exactly evenly, and hosts that take every Nth index are not stuck to one bucket.
   *
   * @param {number} index
   * @returns {string}
   */
  bucketOf(index) {
    return this.buckets[this.slotOf(index, this.buckets.length)];
  }

  /**
   * @param {number} index
   * @param {number} count of buckets that a run with this id might have been given
   * @returns {number} which of them the object would be in, from 0
   */
  slotOf(index, count) {
    if (count === 1) {
      return 0;
    }
    const block = Math.floor(index / count);
    return (index + mixIndex(block, this.#seed)) % count;
  }

  /**
   * The inverse of {@link bucketOf}: the objects of one bucket, one after the other.
   *
   * @param {number} bucket its place among the buckets, from 0
   * @param {number} number of the object among those of the bucket, from 0
   * @returns {number} the object's index
   */
  indexIn(bucket, number) {
    const count = this.buckets.length;
    const turn = count === 1 ? 0 : mixIndex(number, this.#seed) % count;
    return number * count + ((bucket - turn + count) % count);
  }

  /**
   * The leading hexadecimal digits spread the keys over the store's key space; the index after them can be read back.
   *
   * @param {number} index
   * @returns {string}
   */
  keyOf(index) {
    return `${this.keyPrefix}${this.#spread(index)}-${index}`;
  }

  /**
   * Probes are what a run writes in addition to the objects of its stages: preflight tries them, and the unloaded latency
   * is measured on them. Their names differ from those of all objects, so that a run of any size leaves the objects of
   * another with the same run id alone. Probe i is in the bucket of object i.
   *
   * @param {number} index unique in the run: see globalIndex
   * @returns {string}
   */
  probeKeyOf(index) {
    return `${this.keyPrefix}${this.#spread(index)}-probe-${index}`;
  }

  /**
   * The copy of an object stands in the bucket of the object.
   *
   * @param {number} index of the object
   * @returns {string}
   */
  copyKeyOf(index) {
    return `${this.keyPrefix}${this.#spread(index)}-copy-${index}`;
  }

  /**
   * A claim stands for a part of the run that only one of several may carry out. A store lists it before all objects, so that
   * it is on none of their pages. Claim i is in the bucket of object i.
   *
   * @param {number} index unique in the run: see globalIndex
   * @returns {string}
   */
  claimKeyOf(index) {
    return `${this.keyPrefix}-claim-${index}`;
  }

  /** What no object of a run is called: a request for it shows how the store answers for an absent object. */
  get absentKey() {
    return `${this.keyPrefix}preflight`;
  }

  /** @param {number} index of a probe */
  #probeCopyKeyOf(index) {
    return `${this.keyPrefix}${this.#spread(index)}-probe-copy-${index}`;
  }

  /** The probes, as if they were the objects. @returns {Places} */
  get probes() {
    return this.#placesOf((index) => this.probeKeyOf(index));
  }

  /** The copies of probes, likewise. @returns {Places} */
  get probeCopies() {
    return this.#placesOf((index) => this.#probeCopyKeyOf(index));
  }

  /**
   * @param {(index: number) => string} keyOf
   * @returns {Places}
   */
  #placesOf(keyOf) {
    return {
      buckets: this.buckets,
      keyPrefix: this.keyPrefix,
      spreadOf: (index) => this.spreadOf(index),
      beforeKeyOf: (index) => this.beforeKeyOf(index),
      recogniseName: (key) => this.recogniseName(key),
      slotOf: (index, count) => this.slotOf(index, count),
      indexIn: (bucket, number) => this.indexIn(bucket, number),
      keyOf,
      copyKeyOf: (index) => this.#probeCopyKeyOf(index),
    };
  }

  /**
   * The index of a listed object, or -1 for one that is no object of this run's stages.
   *
   * @param {string} bucket
   * @param {string} key
   * @returns {number}
   */
  indexOf(bucket, key) {
    const own = this.recognise(bucket, key);
    return own === null || own.isProbe || own.isCopy ? -1 : own.index;
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @returns {OwnKey | null} null for a key that this run cannot have written there
   */
  recognise(bucket, key) {
    const named = this.recogniseName(key);
    return named !== null && this.bucketOf(named.index) === bucket ? named : null;
  }

  /**
   * @param {string} key in whatever bucket
   * @returns {OwnKey | null} null for a key that this run gives nothing, whatever its buckets
   */
  recogniseName(key) {
    if (!key.startsWith(this.keyPrefix)) {
      return null;
    }
    const name = key.slice(this.keyPrefix.length);
    const claim = Number(CLAIM_PATTERN.exec(name)?.[1] ?? NaN);
    if (Number.isSafeInteger(claim)) {
      return { isProbe: true, isCopy: false, index: claim };
    }
    const match = NAME_PATTERN.exec(name);
    if (match === null) {
      return null;
    }
    const [isProbe, isCopy] = [match[1] !== undefined, match[2] !== undefined];
    const index = Number(match[3]);
    const isNamed = Number.isSafeInteger(index) && key === this.#nameOf(isProbe, isCopy, index);
    return isNamed ? { isProbe, isCopy, index } : null;
  }

  /**
   * The objects of a bucket are listed by this number, from the least to the largest; of the first 2^32 no two have the same.
   *
   * @param {number} index
   * @returns {number} an unsigned 32-bit integer
   */
  spreadOf(index) {
    return mixIndex(index, this.#seed);
  }

  /**
   * @param {number} index
   * @returns {string} what comes right before the keys of the object and of its probe, and after those of all objects that
   *   are listed before it
   */
  beforeKeyOf(index) {
    return this.keyPrefix + this.#spread(index);
  }

  /**
   * @param {boolean} isProbe
   * @param {boolean} isCopy
   * @param {number} index
   */
  #nameOf(isProbe, isCopy, index) {
    if (isProbe) {
      return isCopy ? this.#probeCopyKeyOf(index) : this.probeKeyOf(index);
    }
    return isCopy ? this.copyKeyOf(index) : this.keyOf(index);
  }

  /** @param {number} index */
  #spread(index) {
    return this.spreadOf(index).toString(16).padStart(8, '0');
  }
}
