import { createCipheriv, createHash } from 'node:crypto';
import { mix32, mixIndex, seedOf, unmix32 } from './mix.js';

/** Objects whose payloads are views of one block: one for each offset at which a view can begin. A power of two. */
const PLACES = 2 ** 23;

/** The longest view. After the last offset a block goes on for this long, so that a view never has to wrap. */
export const MAX_VIEW_BYTES = 2 ** 20;

const BLOCKS_KEPT = 2;

/** Bytes at the beginning of an object by which its version shows. */
export const VERSION_BYTES = 4;

/** So many bytes are those of no other version by chance. */
const BYTES_OF_ONE_VERSION = 8;

/** Odd, so that the first 2^23 versions of an object are views that begin at different places (2^23 divided by √3). */
const VERSION_STRIDE = 4843145;

/** Any odd number permutes the places; this one (2^23 divided by the golden ratio) sets neighbours far apart. */
const STRIDE = 5184305;

/** Likewise odd: how far a view is shifted with each block's length of an object, so that no two of its parts are alike. */
const LAP_STRIDE = 3199977;

/**
 * The bytes of a run's objects: pure functions of (run id, index, version), incompressible, and different for each object.
 *
 * A payload is a view of a block of random bytes that begins at an offset of its own, so that neither writing nor checking
 * it copies anything. After as many objects as a block has places, the next block, made from another key, takes over. An
 * object that is longer than a block goes round it, in laps that begin at other offsets: a part of it that was stored in
 * the place of another one shows.
 *
 * An object that is written again has another version, counted from 0: the view begins elsewhere, so that bytes of two
 * versions never pass for one, and the first bytes tell which version it is. They are those of version 0 combined with the
 * scrambled number, which leaves version 0 the view that it is.
 */
export class Payload {
  #runId;
  #shift;
  #partSeed;
  /** @type {Map<number, Buffer>} */
  #blocks = new Map();
  /** @type {Buffer} The block of the last object: nearly always that of the next one, too. */
  #block = Buffer.alloc(0);
  #generation = -1;

  /** @param {string} runId */
  constructor(runId) {
    this.#runId = runId;
    this.#shift = mix32(seedOf(runId));
    this.#partSeed = seedOf(`parts of ${runId}`);
  }

  /**
   * Makes the bytes that an object's payload is a view of, so that no operation has to wait for it.
   *
   * @param {number} index the object
   */
  prepare(index) {
    this.#blockOf(index);
  }

  /**
   * A part of an object's payload, without copying; it must not be written to.
   *
   * @param {number} index the object
   * @param {number} position where in the object the part begins, in bytes
   * @param {number} length bytes, at most {@link MAX_VIEW_BYTES}, and not beyond a multiple of 8 MiB, where a lap ends
   * @returns {Buffer}
   */
  view(index, position, length) {
    const block = this.#blockOf(index);
    const start = this.#placeOf(index, position);
    return block.subarray(start, start + length);
  }

  /**
   * Which part of an object is read when only one is: each is as likely as any other, and any host can tell afterwards.
   *
   * @param {number} index
   * @param {number} turn how often something was done before in the stage: the same object has other parts in later turns
   * @param {number} parts that the object has, at most 2^32
   * @returns {number} from 0
   */
  partOf(index, turn, parts) {
    return mixIndex(turn, mixIndex(index, this.#partSeed)) % parts;
  }

  /**
   * The payload, or a part of it, in the form a request takes as its body: one view, or, where it is longer than a view may
   * be, an iterable of views that can be walked again for each attempt.
   *
   * @param {number} index
   * @param {number} size bytes
   * @param {number} [position] where in the object it begins, in bytes
   * @returns {Buffer | Iterable<Buffer>}
   */
  body(index, size, position = 0) {
    return size <= viewLengthAt(position)
      ? this.view(index, position, size)
      : { [Symbol.iterator]: () => this.#views(index, size, position) };
  }

  /**
   * Compares received bytes with what the object holds at that position.
   *
   * @param {number} index
   * @param {number} position where in the object the bytes stand
   * @param {Buffer} received
   * @returns {number} the offset in the object of the first byte that differs, or -1
   */
  firstMismatch(index, position, received) {
    let done = 0;
    while (done < received.length) {
      const length = Math.min(received.length - done, viewLengthAt(position + done));
      const block = this.#blockOf(index);
      const start = this.#placeOf(index, position + done);
      if (received.compare(block, start, start + length, done, done + length) !== 0) {
        return position + done + firstDifference(received.subarray(done), block.subarray(start, start + length));
      }
      done += length;
    }
    return -1;
  }

  /**
   * As {@link body}, of any version. Those after version 0 are copies, since their first bytes are no part of a view.
   *
   * @param {number} index
   * @param {number} size bytes
   * @param {number} version
   * @returns {Buffer | Iterable<Buffer>}
   */
  bodyOf(index, size, version) {
    const view = this.body(index, size, shiftOf(version));
    if (version === 0) {
      return view;
    }
    if (!Buffer.isBuffer(view)) {
      return { [Symbol.iterator]: () => this.#viewsOf(index, size, version) };
    }
    const copy = Buffer.from(view);
    this.#headOf(index, version).copy(copy);
    return copy;
  }

  /**
   * @param {number} index
   * @param {Buffer} head the first {@link VERSION_BYTES} of an object
   * @returns {number} the version that they tell, an unsigned 32-bit integer: any number where they are no payload of ours
   */
  versionIn(index, head) {
    return unmix32(head.readUInt32BE(0) ^ this.view(index, 0, VERSION_BYTES).readUInt32BE(0));
  }

  /**
   * As {@link firstMismatch}, of any version.
   *
   * @param {number} index
   * @param {number} version
   * @param {number} position where in the object the bytes stand
   * @param {Buffer} received
   * @returns {number} the offset in the object of the first byte that differs, or -1
   */
  firstMismatchOf(index, version, position, received) {
    if (version === 0) {
      return this.firstMismatch(index, position, received);
    }
    const inHead = Math.min(Math.max(VERSION_BYTES - position, 0), received.length);
    if (inHead > 0) {
      const head = this.#headOf(index, version);
      for (let place = 0; place < inHead; place++) {
        if (received[place] !== head[position + place]) {
          return position + place;
        }
      }
    }
    const shift = shiftOf(version);
    const mismatch = this.firstMismatch(index, position + inHead + shift, received.subarray(inHead));
    return mismatch < 0 ? -1 : mismatch - shift;
  }

  /**
   * Finds out which versions a part of an object may be of. A version that is far from the first one takes long to be found: some
   * nanoseconds for each before it.
   *
   * @param {number} index
   * @param {number} position where in the object the part begins, in bytes
   * @param {Buffer} received the part, or its beginning: one byte or more
   * @param {number} last version that it may be of
   * @returns {number[]} those whose bytes it has; the first of them alone where it is long enough to be of no other
   */
  versionsOf(index, position, received, last) {
    const byteOf = this.#byteAt(index, position);
    /** @type {number[]} */
    const versions = [];
    for (let version = 0; version <= last; version++) {
      if (byteOf(version) === received[0] && this.firstMismatchOf(index, version, position, received) < 0) {
        versions.push(version);
        if (received.length >= BYTES_OF_ONE_VERSION) {
          return versions;
        }
      }
    }
    return versions;
  }

  /**
   * @param {number} index
   * @param {number} position in the object
   * @returns {(version: number) => number} the byte that a version has there
   */
  #byteAt(index, position) {
    if (position < VERSION_BYTES) {
      const head = this.view(index, 0, VERSION_BYTES).readUInt32BE(0);
      return (version) => ((head ^ mix32(version)) >>> (8 * (VERSION_BYTES - 1 - position))) & 0xff;
    }
    const block = this.#blockOf(index);
    return (version) => block[this.#placeOf(index, position + shiftOf(version))];
  }

  /**
   * @param {number} index
   * @param {number} version
   * @returns {Buffer}
   */
  #headOf(index, version) {
    const head = Buffer.from(this.view(index, 0, VERSION_BYTES));
    head.writeUInt32BE((head.readUInt32BE(0) ^ mix32(version)) >>> 0);
    return head;
  }

  /**
   * @param {number} index
   * @param {number} size bytes, more than the head has
   * @param {number} version
   */
  *#viewsOf(index, size, version) {
    yield this.#headOf(index, version);
    yield* this.#views(index, size - VERSION_BYTES, shiftOf(version) + VERSION_BYTES);
  }

  /**
   * @param {number} index
   * @param {number} size
   * @param {number} start
   */
  *#views(index, size, start) {
    const end = start + size;
    for (let position = start; position < end;) {
      const length = Math.min(viewLengthAt(position), end - position);
      yield this.view(index, position, length);
      position += length;
    }
  }

  /**
   * @param {number} index
   * @param {number} position
   */
  #placeOf(index, position) {
    const lap = Math.imul(Math.floor(position / PLACES), LAP_STRIDE);
    return ((Math.imul(index % PLACES, STRIDE) + this.#shift + lap + position) % PLACES) & (PLACES - 1);
  }

  /** @param {number} index */
  #blockOf(index) {
    const generation = Math.floor(index / PLACES);
    if (generation !== this.#generation) {
      this.#block = this.#blocks.get(generation) ?? this.#makeBlock(generation);
      this.#generation = generation;
    }
    return this.#block;
  }

  /**
   * AES in counter mode is the quickest source of reproducible random bytes that Node has. Two blocks are kept because
   * threads pass from one generation to the next at slightly different moments.
   *
   * @param {number} generation
   */
  #makeBlock(generation) {
    const key = createHash('sha256').update(`payload ${generation} of ${this.#runId}`).digest();
    const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16));
    const block = Buffer.allocUnsafeSlow(PLACES + MAX_VIEW_BYTES);
    const zeros = Buffer.alloc(MAX_VIEW_BYTES);
    for (let place = 0; place < PLACES; place += MAX_VIEW_BYTES) {
      cipher.update(zeros).copy(block, place);
    }
    block.copy(block, PLACES, 0, MAX_VIEW_BYTES);
    this.#blocks.set(generation, block);
    if (this.#blocks.size > BLOCKS_KEPT) {
      this.#blocks.delete(/** @type {number} */ (this.#blocks.keys().next().value));
    }
    return block;
  }
}

/**
 * @param {number} position in an object, in bytes
 * @returns {number} bytes of the longest view that begins there: a lap may end before
 */
function viewLengthAt(position) {
  return Math.min(MAX_VIEW_BYTES, PLACES - (position % PLACES));
}

/**
 * @param {number} version
 * @returns {number} by how many places the view of a version is apart from that of version 0
 */
function shiftOf(version) {
  return Math.imul(version, VERSION_STRIDE) & (PLACES - 1);
}

/**
 * @param {Buffer} one
 * @param {Buffer} other
 */
function firstDifference(one, other) {
  const length = Math.min(one.length, other.length);
  for (let offset = 0; offset < length; offset++) {
    if (one[offset] !== other[offset]) {
      return offset;
    }
  }
  return length;
}
