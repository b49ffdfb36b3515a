import { mixIndex, seedOf } from './mix.js';

/** @import { Shard } from '../../result/config.js' */

/** A leading hyphen would look like an option, and `cleanup list` lists the runs. */
const RUN_ID_PATTERN = /^(?!-|list$)[A-Za-z0-9._-]{1,64}$/;
const PREFIX_PATTERN = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;
const DOTS_ALONE = /^\.+$/;
const NAME_PATTERN = /^(?:[0-9a-f]{8})?-(probe-|running-)?(copy-)?(0|[1-9][0-9]{0,15})$/;

/** Leaves room for run ID and object name within S3's limit of 1,024 bytes per key. */
const MAX_PREFIX_LENGTH = 512;

/** A run ID becomes part of every key, so it must not add a folder or need escaping. @param {string} runId */
export function isRunId(runId) {
  return RUN_ID_PATTERN.test(runId) && !DOTS_ALONE.test(runId);
}

/** @param {string} prefix the part before `/<run id>/` in every key */
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
 * @returns {boolean} whether the key has the form of an object, probe or copy of a run
 */
export function isRunKey(key, prefix) {
  return (keyspaceOf(key, prefix)?.recogniseName(key) ?? null) !== null;
}

/**
 * @param {string} key
 * @param {string} prefix of all runs
 * @returns {boolean} whether it is a run's {@link Keyspace.absentKey}
 */
export function isAbsentKey(key, prefix) {
  return keyspaceOf(key, prefix)?.absentKey === key;
}

/**
 * @param {string} key
 * @param {string} prefix of all runs
 * @returns {Keyspace | null} of the run that the key's folder names; null if the folder is not a run ID
 */
function keyspaceOf(key, prefix) {
  const runId = key.slice(prefix.length + 1).split('/', 1)[0];
  return isRunId(runId) ? new Keyspace({ runId, prefix, buckets: [] }) : null;
}

/**
 * A listed key of a run: an object, a probe, or a copy of either.
 *
 * @typedef {object} OwnKey
 * @property {boolean} isProbe whether it is a probe or a copy of one: no stage uses these
 * @property {boolean} isCopy
 * @property {number} index of the object, or of the probe
 */

/**
 * Locates objects, probes or listed objects.
 *
 * @typedef {Pick<Keyspace, 'buckets' | 'keyPrefix' | 'slotOf' | 'keyOf' | 'copyKeyOf' | 'spreadOf' | 'beforeKeyOf' |
 *   'recogniseName'>} Places
 */

/**
 * Locates each object of a run. Bucket and key of object i are pure functions of (run ID, i), so that any host that
 * knows the run ID can read, stat or remove the same objects, and recognise listed keys of the run.
 */
export class Keyspace {
  #seed;

  /** @param {{ runId: string, prefix: string, buckets: readonly string[] }} layout */
  constructor({ runId, prefix, buckets }) {
    this.runId = runId;
    this.prefix = prefix;
    this.buckets = buckets;
    this.keyPrefix = `${prefix}/${runId}/`;
    this.#seed = seedOf(runId);
  }

  /**
   * With N buckets, each block of N objects uses every bucket once, in an order that varies between blocks. Consecutive
   * indices are spread evenly, and hosts that take every Nth index do not always get the same bucket.
   *
   * @param {number} index
   */
  bucketOf(index) {
    return this.buckets[this.slotOf(index, this.buckets.length)];
  }

  /**
   * @param {number} index
   * @param {number} count of buckets, which can differ from the run's
   * @returns {number} the zero-based index of the object's bucket among them
   */
  slotOf(index, count) {
    if (count === 1) {
      return 0;
    }
    const block = Math.floor(index / count);
    return (index + mixIndex(block, this.#seed)) % count;
  }

  /** Leading hex digits spread keys over the key space; the index after them can be read back. @param {number} index */
  keyOf(index) {
    return this.nameOf('', index);
  }

  /**
   * Probes are written in addition to the objects of the stages: by preflight, and to measure the unloaded latency.
   * Their names differ from the names of all objects, so that a run never touches the objects of another run with the
   * same run ID. Probe i is in the bucket of object i.
   *
   * @param {number} index unique in the run: see globalIndex
   */
  probeKeyOf(index) {
    return this.nameOf('probe-', index);
  }

  /** A copy is in the same bucket as its object. @param {number} index of the object */
  copyKeyOf(index) {
    return this.nameOf('copy-', index);
  }

  /**
   * The key of a marker, which counts as a probe. It sorts before all others, so that no page of a list contains it.
   *
   * @param {number} index of a probe
   */
  markerKeyOf(index) {
    return `${this.keyPrefix}-running-${index}`;
  }

  /** A key that is never written: a request for it shows how the store responds if an object does not exist. */
  get absentKey() {
    return `${this.keyPrefix}preflight`;
  }

  /** Locates probes as if they were objects. @returns {Places} */
  get probes() {
    return new Others(this, 'probe-');
  }

  /** Locates copies as if they were objects. @returns {Places} */
  get copies() {
    return new Others(this, 'copy-');
  }

  /** Locates copies of probes as if they were objects. @returns {Places} */
  get probeCopies() {
    return new Others(this, PROBE_COPY);
  }

  /**
   * @param {string} bucket
   * @param {string} key of a listed object
   * @returns {number} index of the object; -1 if no stage of this run uses it
   */
  indexOf(bucket, key) {
    const own = this.recognise(bucket, key);
    return own === null || own.isProbe || own.isCopy ? -1 : own.index;
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @returns {OwnKey | null} null for a key that this run cannot have written in that bucket
   */
  recognise(bucket, key) {
    const named = this.recogniseName(key);
    return named !== null && this.bucketOf(named.index) === bucket ? named : null;
  }

  /**
   * @param {string} key in any bucket
   * @returns {OwnKey | null} null for a key that this run cannot have written in any bucket
   */
  recogniseName(key) {
    if (!key.startsWith(this.keyPrefix)) {
      return null;
    }
    const match = NAME_PATTERN.exec(key.slice(this.keyPrefix.length));
    if (match === null) {
      return null;
    }
    const [, probe = '', copy = '', digits] = match;
    const index = Number(digits);
    const isNamed = key === this.nameOf(probe + copy, index) || key === this.markerKeyOf(index);
    return isNamed && Number.isSafeInteger(index) ? { isProbe: probe !== '', isCopy: copy !== '', index } : null;
  }

  /**
   * An unsigned 32-bit integer: stores list a bucket's objects in ascending order of it. It is unique among the first
   * 2^32 objects.
   *
   * @param {number} index
   */
  spreadOf(index) {
    return mixIndex(index, this.#seed);
  }

  /** Sorts before the keys of this object, and after the keys of all objects listed earlier. @param {number} index */
  beforeKeyOf(index) {
    return this.keyPrefix + this.#spread(index);
  }

  /**
   * @param {string} kind of the key, as part of its name
   * @param {number} index
   */
  nameOf(kind, index) {
    return `${this.keyPrefix}${this.#spread(index)}-${kind}${index}`;
  }

  /** @param {number} index */
  #spread(index) {
    return this.spreadOf(index).toString(16).padStart(8, '0');
  }
}

const PROBE_COPY = 'probe-copy-';

/** @implements {Places} */
class Others extends Keyspace {
  #kind;

  /**
   * @param {Keyspace} keyspace
   * @param {string} kind see nameOf
   */
  constructor({ runId, prefix, buckets }, kind) {
    super({ runId, prefix, buckets });
    this.#kind = kind;
  }

  /** @param {number} index */
  keyOf(index) {
    return this.nameOf(this.#kind, index);
  }

  /** @param {number} index */
  copyKeyOf(index) {
    return this.nameOf(PROBE_COPY, index);
  }
}

/** The shard of a run on a single host. @type {Readonly<Shard>} */
export const WHOLE = Object.freeze({ index: 0, count: 1 });

/**
 * Preflight uses the first probes of a shard, up to this number. The measurement of the unloaded latency uses those
 * after them, so that no key is written twice in a second.
 */
export const PREFLIGHT_PROBES = 1024;

/**
 * @param {Shard} shard
 * @param {number} local index of an object or probe within the shard
 * @returns {number} its index in the whole run
 */
export function globalIndex({ index, count }, local) {
  return local * count + index;
}

/**
 * @param {Shard} shard
 * @param {number} index of one of its objects or probes in the whole run
 */
export function localIndex({ count }, index) {
  return Math.floor(index / count);
}

/**
 * @param {Shard} shard
 * @param {number} index of an object or probe in the whole run
 * @returns {boolean} whether it belongs to that shard, whatever the number of objects
 */
export function isOfShard(shard, index) {
  return index % shard.count === shard.index;
}

/**
 * @param {Shard} shard
 * @param {number} index in the whole run
 * @param {number} objects of the shard
 * @returns {boolean} whether it is one of the shard's objects
 */
export function isInShard(shard, index, objects) {
  return isOfShard(shard, index) && index < globalIndex(shard, objects);
}
