import { globalIndex, isInShard } from './shard.js';

/**
 * @import { Shard } from '../model/config.js'
 * @import { WrittenObjects } from './written-objects.js'
 */

/** The objects that Write knows to be there, less those that a list has shown. */
export class UnlistedObjects {
  #written;
  #shard;
  #objects;

  /**
   * @param {WrittenObjects} written what a list shows is taken out of it
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

  /** @param {number} index of an object that a list shows */
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
   * Vitter's algorithm R (Random sampling with a reservoir, 1985).
   *
   * @param {number} size
   * @param {() => number} random uniform in [0, 1)
   * @returns {number[]} so many indices by chance, or all where there are no more
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
