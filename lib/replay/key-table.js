import { hash as digestOf } from 'node:crypto';

const FIRST_SLOTS = 2 ** 16;
const MAX_FILL = 0.7;

/** Numbers keys in the order in which they are first seen. Keeps a 64-bit hash of each, not the key itself. */
export class KeyTable {
  #hashes = new Uint32Array(2 * FIRST_SLOTS);
  /** The index of the key in each slot, plus one; 0 for a free slot. */
  #indices = new Uint32Array(FIRST_SLOTS);
  count = 0;

  /**
   * @param {KeyHash} hash
   * @returns {number} the index of the key, from 0
   */
  indexOf(hash) {
    if (this.count >= MAX_FILL * this.#indices.length) {
      this.#grow();
    }
    const slot = this.#slotOf(hash.low, hash.high);
    if (this.#indices[slot] === 0) {
      this.#put(slot, hash.low, hash.high, ++this.count);
    }
    return this.#indices[slot] - 1;
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number} the slot of the key, or the free slot for it
   */
  #slotOf(low, high) {
    const mask = this.#indices.length - 1;
    let slot = low & mask;
    while (this.#indices[slot] !== 0 && (this.#hashes[2 * slot] !== low || this.#hashes[2 * slot + 1] !== high)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /**
   * @param {number} slot
   * @param {number} low
   * @param {number} high
   * @param {number} index plus one
   */
  #put(slot, low, high, index) {
    this.#hashes[2 * slot] = low;
    this.#hashes[2 * slot + 1] = high;
    this.#indices[slot] = index;
  }

  #grow() {
    const [hashes, indices] = [this.#hashes, this.#indices];
    this.#hashes = new Uint32Array(2 * hashes.length);
    this.#indices = new Uint32Array(2 * indices.length);
    for (let slot = 0; slot < indices.length; slot++) {
      if (indices[slot] !== 0) {
        const [low, high] = [hashes[2 * slot], hashes[2 * slot + 1]];
        this.#put(this.#slotOf(low, high), low, high, indices[slot]);
      }
    }
  }
}

/** @typedef {{ low: number, high: number }} KeyHash two unsigned 32-bit integers */

/**
 * Takes 64 bits of a SHA-256: two of 20 million keys collide with a probability of about 1 in 100,000.
 *
 * @param {string} bucket
 * @param {string} key
 * @returns {KeyHash}
 */
export function hashOf(bucket, key) {
  const digest = digestOf('sha256', `${bucket}/${key}`, 'buffer');
  return { low: digest.readUInt32LE(0), high: digest.readUInt32LE(4) };
}
