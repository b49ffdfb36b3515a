/** Consecutive seconds that are kept together. A day is a whole number of blocks, so that a shift by days moves blocks. */
export const BLOCK_SECONDS = 64;

const PLACES_OF_PAGE = 256 * BLOCK_SECONDS;

// A place holds its value plus one: 0 says that no line told of the second.

/** The largest value of a narrow place, which holds whole operations. */
const HIGHEST_NARROW = 2 ** 16 - 2;

/** ops/s above which a rate cannot be kept, in tenths, at a wide place. No host comes near it. */
export const HIGHEST_RATE = (2 ** 32 - 2) / 10;

/** Blocks of numbers in large pages: a typed array for each block would cost more than the block itself. */
class Pages {
  #ArrayType;
  /** @type {(Uint16Array | Uint32Array)[]} */
  #pages = [];
  #places = 0;

  /** @param {typeof Uint16Array | typeof Uint32Array} ArrayType */
  constructor(ArrayType) {
    this.#ArrayType = ArrayType;
  }

  /** @returns {number} the first place of a new block */
  allocate() {
    if (this.#places % PLACES_OF_PAGE === 0) {
      this.#pages.push(new this.#ArrayType(PLACES_OF_PAGE));
    }
    this.#places += BLOCK_SECONDS;
    return this.#places - BLOCK_SECONDS;
  }

  /** @param {number} place */
  at(place) {
    return this.#pages[Math.floor(place / PLACES_OF_PAGE)][place % PLACES_OF_PAGE];
  }

  /**
   * @param {number} place
   * @param {number} value
   */
  set(place, value) {
    this.#pages[Math.floor(place / PLACES_OF_PAGE)][place % PLACES_OF_PAGE] = value;
  }
}

/**
 * The memory that the seconds of all hosts share: two bytes for a second of whole operations, four for one with a
 * fraction, or with more operations than two bytes hold.
 */
export class SecondPool {
  #narrow = new Pages(Uint16Array);
  #wide = new Pages(Uint32Array);

  /**
   * @param {number} tenths of ops/s that the block is going to hold first
   * @returns {number} a new block: even where it is narrow, odd where it is wide
   */
  allocate(tenths) {
    return fitsNarrow(tenths) ? 2 * this.#narrow.allocate() : 2 * this.#wide.allocate() + 1;
  }

  /**
   * @param {number} block as allocate() or set() gave it
   * @param {number} offset of the second in it
   * @returns {number | undefined} tenths of ops/s; undefined where there is none
   */
  get(block, offset) {
    const place = Math.floor(block / 2) + offset;
    const stored = isWide(block) ? this.#wide.at(place) : this.#narrow.at(place);
    if (stored === 0) {
      return undefined;
    }
    return isWide(block) ? stored - 1 : (stored - 1) * 10;
  }

  /**
   * @param {number} block
   * @param {number} offset
   * @param {number} tenths of ops/s, a whole number
   * @returns {number} the block, which is another one where the value did not fit into a narrow one
   */
  set(block, offset, tenths) {
    if (isWide(block)) {
      this.#wide.set(Math.floor(block / 2) + offset, tenths + 1);
      return block;
    }
    if (fitsNarrow(tenths)) {
      this.#narrow.set(block / 2 + offset, tenths / 10 + 1);
      return block;
    }
    const wide = this.allocate(tenths);
    for (let place = 0; place < BLOCK_SECONDS; place += 1) {
      const before = this.get(block, place);
      if (before !== undefined) {
        this.set(wide, place, before);
      }
    }
    return this.set(wide, offset, tenths);
  }
}

/** @param {number} block */
function isWide(block) {
  return block % 2 === 1;
}

/** @param {number} tenths */
function fitsNarrow(tenths) {
  return tenths % 10 === 0 && tenths / 10 <= HIGHEST_NARROW;
}
