import { createCipheriv, createHash } from 'node:crypto';
import { mix32, mixIndex, seedOf, unmix32 } from './mix.js';

/** Number of offsets in a block, each of which is the start of one object. A power of two. */
const OFFSETS = 2 ** 23;

/** A block extends this far beyond the last offset, so that views never wrap. */
export const MAX_VIEW_BYTES = 2 ** 20;

const BLOCKS_KEPT = 2;

/** Bytes at the start of an object that identify its version. */
export const VERSION_BYTES = 4;

/** If this many bytes match a version, they identify it. */
export const BYTES_OF_ONE_VERSION = 8;

/** Odd, so that the first 2^23 versions of an object start at different offsets (2^23 divided by √3). */
const VERSION_STRIDE = 4843145;

/** Any odd number permutes the offsets; this one (2^23 divided by the golden ratio) separates neighbours widely. */
const STRIDE = 5184305;

/** Shift of the offset per lap of a long object. Odd, so that no two parts of the object are equal. */
const LAP_STRIDE = 3199977;

/**
 * The bytes of a run's objects: pure functions of (run ID, index, version), incompressible, and all different.
 *
 * A payload is a view of a block of random bytes that starts at its own offset, so that neither writing nor verifying
 * copies any bytes. When all offsets of a block are used, the next objects use another block, made from another key. A
 * longer object wraps around its block, in laps that start at different offsets, so that swapped parts are detected.
 *
 * The first write of an object creates version 0, and each overwrite creates the next version. Each version's view
 * starts elsewhere, so that the bytes of two versions never match. The first bytes identify the version: they are the
 * first bytes of version 0, XORed with the scrambled version number, which is 0 for version 0.
 */
export class Payload {
  #runId;
  #shift;
  #partSeed;
  /** @type {Map<number, Buffer>} */
  #blocks = new Map();
  /** The block of the last object. The next object nearly always has the same block. @type {Buffer} */
  #block = Buffer.alloc(0);
  #generation = -1;

  /** @param {string} runId */
  constructor(runId) {
    this.#runId = runId;
    this.#shift = mix32(seedOf(runId));
    this.#partSeed = seedOf(`parts of ${runId}`);
  }

  /** Creates an object's block in advance, so that no operation waits for it. @param {number} index */
  prepare(index) {
    this.#blockOf(index);
  }

  /**
   * Part of an object's payload, as a read-only view.
   *
   * @param {number} index of the object
   * @param {number} position offset of the part in the object, in bytes
   * @param {number} length at most {@link MAX_VIEW_BYTES}, and not across a multiple of 8 MiB, where a lap ends
   * @returns {Buffer}
   */
  view(index, position, length) {
    const block = this.#blockOf(index);
    const start = this.#offsetOf(index, position);
    return block.subarray(start, start + length);
  }

  /**
   * Chooses the part for a partial read: uniformly distributed and reproducible on any host.
   *
   * @param {number} index
   * @param {number} turn number of earlier operations in the stage, so that the part of an object varies between turns
   * @param {number} parts of the object, at most 2^32
   * @returns {number} zero-based
   */
  partOf(index, turn, parts) {
    return mixIndex(turn, mixIndex(index, this.#partSeed)) % parts;
  }

  /**
   * All or part of the payload as a request body: one view, or several that can be iterated again for each attempt.
   *
   * @param {number} index
   * @param {number} size bytes
   * @param {number} [position] offset in the object, in bytes
   * @returns {Buffer | Iterable<Buffer>}
   */
  body(index, size, position = 0) {
    return size <= viewLengthAt(position)
      ? this.view(index, position, size)
      : { [Symbol.iterator]: () => this.#views(index, size, position) };
  }

  /**
   * Compares received bytes with the object's bytes at that position.
   *
   * @param {number} index
   * @param {number} position offset of the bytes in the object
   * @param {Buffer} received
   * @returns {number} the offset in the object of the first byte that differs, or -1
   */
  firstMismatch(index, position, received) {
    let done = 0;
    while (done < received.length) {
      const length = Math.min(received.length - done, viewLengthAt(position + done));
      const block = this.#blockOf(index);
      const start = this.#offsetOf(index, position + done);
      if (received.compare(block, start, start + length, done, done + length) !== 0) {
        return position + done + firstDifference(received.subarray(done), block.subarray(start, start + length));
      }
      done += length;
    }
    return -1;
  }

  /**
   * Like {@link body}, for any version. The first bytes of later versions are not in a block, so the body is
   * copied, or only its head if it is longer than a view. A body of up to {@link MAX_VIEW_BYTES} is a buffer: the
   * SDK would send it differently as a stream.
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
    if (size > MAX_VIEW_BYTES) {
      return { [Symbol.iterator]: () => this.#viewsOf(index, size, version) };
    }
    const copy = Buffer.concat(Buffer.isBuffer(view) ? [view] : [...view]);
    this.#headOf(index, version).copy(copy);
    return copy;
  }

  /**
   * @param {number} index
   * @param {Buffer} head the first {@link VERSION_BYTES} of an object
   * @returns {number} the object's version, an unsigned 32-bit integer; arbitrary if the object is not ours
   */
  versionIn(index, head) {
    return unmix32(head.readUInt32BE(0) ^ this.view(index, 0, VERSION_BYTES).readUInt32BE(0));
  }

  /**
   * Like {@link firstMismatch}, for any version.
   *
   * @param {number} index
   * @param {number} version
   * @param {number} position
   * @param {Buffer} received
   */
  firstMismatchOf(index, version, position, received) {
    if (version === 0) {
      return this.firstMismatch(index, position, received);
    }
    const inHead = Math.min(Math.max(VERSION_BYTES - position, 0), received.length);
    if (inHead > 0) {
      const head = this.#headOf(index, version);
      for (let offset = 0; offset < inHead; offset++) {
        if (received[offset] !== head[position + offset]) {
          return position + offset;
        }
      }
    }
    const shift = shiftOf(version);
    const mismatch = this.firstMismatch(index, position + inHead + shift, received.subarray(inHead));
    return mismatch < 0 ? -1 : mismatch - shift;
  }

  /**
   * Finds the version of part of an object. Takes a few nanoseconds per version.
   *
   * @param {number} index
   * @param {number} position offset of the part in the object, in bytes
   * @param {Buffer} received the part or its beginning, at least one byte
   * @param {number} first version to try
   * @param {number} last
   * @returns {number} the first version that matches, or -1
   */
  versionBetween(index, position, received, first, last) {
    const byteOf = this.#byteAt(index, position);
    for (let version = first; version <= last; version++) {
      if (byteOf(version) === received[0] && this.firstMismatchOf(index, version, position, received) < 0) {
        return version;
      }
    }
    return -1;
  }

  /**
   * @param {number} index
   * @param {number} position in the object
   * @returns {(version: number) => number} the byte of a version at that position
   */
  #byteAt(index, position) {
    if (position < VERSION_BYTES) {
      const head = this.view(index, 0, VERSION_BYTES).readUInt32BE(0);
      return (version) => ((head ^ mix32(version)) >>> (8 * (VERSION_BYTES - 1 - position))) & 0xff;
    }
    const block = this.#blockOf(index);
    return (version) => block[this.#offsetOf(index, position + shiftOf(version))];
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
   * @param {number} size bytes, longer than the head
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
  #offsetOf(index, position) {
    const lap = Math.imul(Math.floor(position / OFFSETS), LAP_STRIDE);
    return ((Math.imul(index % OFFSETS, STRIDE) + this.#shift + lap + position) % OFFSETS) & (OFFSETS - 1);
  }

  /** @param {number} index */
  #blockOf(index) {
    const generation = Math.floor(index / OFFSETS);
    if (generation !== this.#generation) {
      this.#block = this.#blocks.get(generation) ?? this.#makeBlock(generation);
      this.#generation = generation;
    }
    return this.#block;
  }

  /**
   * AES in counter mode is Node's fastest source of reproducible random bytes. Two blocks are kept, because threads
   * reach the next generation at slightly different times.
   *
   * @param {number} generation
   */
  #makeBlock(generation) {
    const key = createHash('sha256').update(`payload ${generation} of ${this.#runId}`).digest();
    const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16));
    const block = Buffer.allocUnsafeSlow(OFFSETS + MAX_VIEW_BYTES);
    const zeros = Buffer.alloc(MAX_VIEW_BYTES);
    for (let offset = 0; offset < OFFSETS; offset += MAX_VIEW_BYTES) {
      cipher.update(zeros).copy(block, offset);
    }
    block.copy(block, OFFSETS, 0, MAX_VIEW_BYTES);
    this.#blocks.set(generation, block);
    if (this.#blocks.size > BLOCKS_KEPT) {
      this.#blocks.delete(/** @type {number} */ (this.#blocks.keys().next().value));
    }
    return block;
  }
}

/** The length of the longest view from here, limited by the end of the lap. @param {number} position in bytes */
function viewLengthAt(position) {
  return Math.min(MAX_VIEW_BYTES, OFFSETS - (position % OFFSETS));
}

/** The offset of a version's view from the view of version 0. @param {number} version */
function shiftOf(version) {
  return Math.imul(version, VERSION_STRIDE) & (OFFSETS - 1);
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

/**
 * Verifies a body as it streams in, comparing each chunk with the object's bytes at that position. Each thread has one
 * verifier for the whole run.
 */
export class BodyVerifier {
  index = 0;
  size = 0;
  position = 0;
  received = 0;
  /** Offset in the object of the first byte that differs, or -1. */
  mismatch = -1;

  /** @param {Payload} payload */
  constructor(payload) {
    this.payload = payload;
  }

  /**
   * @param {number} index of the object
   * @param {number} size bytes of the expected body, which may be part of the object
   * @param {number} [position] offset of the body in the object, in bytes
   */
  begin(index, size, position = 0) {
    this.index = index;
    this.size = size;
    this.position = position;
    this.received = 0;
    this.mismatch = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    if (this.mismatch < 0) {
      const expected = Math.min(chunk.length, Math.max(this.size - this.received, 0));
      this.mismatch = this.firstMismatch(expected === chunk.length ? chunk : chunk.subarray(0, expected));
    }
    this.received += chunk.length;
  }

  /**
   * @param {Buffer} bytes the next ones of the body, within its size
   * @returns {number} offset in the object of the first one that differs, or -1
   */
  firstMismatch(bytes) {
    return this.payload.firstMismatch(this.index, this.position + this.received, bytes);
  }

  /**
   * Call this at the end of the body.
   *
   * @returns {number} offset in the object of the first wrong byte, or of the end of a body of the wrong length; -1 if
   *   the body is correct
   */
  end() {
    if (this.mismatch < 0 && this.received !== this.size) {
      return this.position + Math.min(this.received, this.size);
    }
    return this.mismatch;
  }
}

/** The last version to expect of an earlier run: the number of overwrites in a week, at one per second. */
const MAX_CARRIED_VERSION = 7 * 24 * 3600;

/**
 * Verifies bodies of objects that were or are overwritten, so that each can have any version. The first bytes of a body
 * identify its version, and all others must match that version. The first bytes of an object contain its version number;
 * those of a part are compared with all versions. A wrong version passes with a probability of 1 in 256 per byte, and an
 * empty body matches any version.
 */
export class VersionVerifier extends BodyVerifier {
  #lastVersionOf;
  #localIndex = 0;
  /** The version to try first. */
  #expected = 0;
  #head = Buffer.alloc(BYTES_OF_ONE_VERSION);
  /** The version of the body, once its first bytes have arrived. */
  version = -1;

  /**
   * @param {Payload} payload
   * @param {(localIndex: number) => number} [lastVersionOf] the last version that an object can have so far
   */
  constructor(payload, lastVersionOf = () => MAX_CARRIED_VERSION) {
    super(payload);
    this.#lastVersionOf = lastVersionOf;
  }

  /**
   * @param {{ index: number, localIndex: number, size: number }} record of the read
   * @param {number} position offset of the body in the object, in bytes
   * @param {number} expected the first version to try for a body that does not contain its version
   */
  beginVersion({ index, localIndex, size }, position, expected) {
    this.begin(index, size, position);
    this.#localIndex = localIndex;
    this.#expected = Math.max(expected, 0);
  }

  /** @param {Buffer} bytes within the object's size */
  firstMismatch(bytes) {
    const headSize = Math.min(this.size, BYTES_OF_ONE_VERSION);
    if (this.received >= headSize) {
      return this.#mismatchAt(this.received, bytes);
    }
    const inHead = bytes.copy(this.#head, this.received, 0, headSize - this.received);
    if (this.received + inHead < headSize) {
      return -1;
    }
    const mismatch = this.#identify(this.#head.subarray(0, headSize));
    return mismatch < 0 ? this.#mismatchAt(headSize, bytes.subarray(inHead)) : mismatch;
  }

  /**
   * @param {number} offset in the body
   * @param {Buffer} bytes
   */
  #mismatchAt(offset, bytes) {
    return this.payload.firstMismatchOf(this.index, this.version, this.position + offset, bytes);
  }

  /**
   * @param {Buffer} head the first bytes of the body
   * @returns {number} offset in the object of the first byte that matches no version, or -1
   */
  #identify(head) {
    const last = this.#lastVersionOf(this.#localIndex);
    const isTold = this.position === 0 && head.length >= VERSION_BYTES;
    this.version = isTold ? this.payload.versionIn(this.index, head) : this.#search(head, last);
    const isKnown = this.version >= 0 && this.version <= last;
    const compared = isKnown ? this.version : this.#expected;
    return this.payload.firstMismatchOf(this.index, compared, this.position, head);
  }

  /**
   * @param {Buffer} head
   * @param {number} last
   * @returns {number} the first matching version, from the expected one on; older ones come last; -1 if none matches
   */
  #search(head, last) {
    const version = this.payload.versionBetween(this.index, this.position, head, this.#expected, last);
    return version < 0 ? this.payload.versionBetween(this.index, this.position, head, 0, this.#expected - 1) : version;
  }
}
