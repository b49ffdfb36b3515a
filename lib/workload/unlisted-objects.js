import { globalIndex, isInShard } from './shard.js';

/**
 * @import { Shard } from '../model/config.js'
 * @import { WrittenObjects } from './written-objects.js'
 */

/** Objects that were written successfully but have not appeared in a list. */
export class UnlistedObjects {
  #written;
  #shard;
  #objects;

  /**
   * @param {WrittenObjects} written objects are removed from it as they appear in a list
   * @param {Shard} shard
   * @param {number} objects of the shard
   */
  constructor(written, shard, objects) {
    this.#written = written;
    this.#shard = shard;
    this.#objects = objects;
  }

  get count() {
    return this.#written.count;
  }

  /** @param {number} index of a listed object */
  listed(index) {
    if (isInShard(this.#shard, index, this.#objects)) {
      this.#written.delete(Math.floor(index / this.#shard.count));
    }
  }

  /** @returns {Generator<number>} indices */
  *indices() {
    for (let local = 0; local < this.#objects; local++) {
      if (this.#written.has(local)) {
        yield globalIndex(this.#shard, local);
      }
    }
  }

  /**
   * Uses Vitter's algorithm R (Random sampling with a reservoir, 1985).
   *
   * @param {number} size
   * @param {() => number} random uniform in [0, 1)
   * @returns {number[]} a random sample of `size` indices, or all if there are fewer
   */
  sample(size, random) {
    /** @type {number[]} */
    const chosen = [];
    let seen = 0;
    for (const index of this.indices()) {
      const slot = seen < size ? seen : Math.floor(random() * (seen + 1));
      if (slot < size) {
        chosen[slot] = index;
      }
      seen += 1;
    }
    return chosen;
  }
}
