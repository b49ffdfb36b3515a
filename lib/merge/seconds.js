import { bytesIn } from './peak-finder.js';

/**
 * @import { StageView } from './hosts.js'
 */

/** Consecutive seconds that are kept together. A day is a whole number of blocks, so that a shift by days moves blocks. */
export const BLOCK_SECONDS = 64;

/** ops/s above which a rate cannot be kept, in tenths, at a wide place. No host comes near it. */
export const MAX_RATE = (2 ** 32 - 2) / 10;

const PLACES_OF_PAGE = 256 * BLOCK_SECONDS;

/** The largest value of a narrow place, which holds whole operations. */
const MAX_NARROW = 2 ** 16 - 2;

/** The rates of one host in the seconds of one stage: a few bytes for each, wherever they lie. */
export class SecondSeries {
  #pool;
  /** Number of the block → where it is in the pool. @type {Map<number, number>} */
  #blocks = new Map();
  /** Second → what stands in its several lines. @type {Map<number, { total: number, lines: number }>} */
  #averaged = new Map();

  /** @param {SecondPool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  /** The numbers of the blocks in which there are seconds, in ascending order. */
  blocks() {
    return [...this.#blocks.keys()].sort((one, other) => one - other);
  }

  /**
   * @param {number} second
   * @returns {number | undefined} tenths of ops/s; undefined where no line has the second
   */
  get(second) {
    const number = Math.floor(second / BLOCK_SECONDS);
    const block = this.#blocks.get(number);
    const averaged = this.#averaged.get(second);
    if (block === undefined || averaged !== undefined) {
      return averaged && averaged.total / averaged.lines;
    }
    return this.#pool.get(block, second - number * BLOCK_SECONDS);
  }

  /**
   * @param {number} second
   * @param {number} tenths of ops/s, a whole number
   */
  set(second, tenths) {
    const number = Math.floor(second / BLOCK_SECONDS);
    const before = this.#blocks.get(number);
    const block = this.#pool.set(before ?? this.#pool.allocate(tenths), second - number * BLOCK_SECONDS, tenths);
    if (block !== before) {
      this.#blocks.set(number, block);
    }
  }

  /**
   * A further rate of a second that has one already: each is the rate of about a second, and their sum would be a rate
   * that never was.
   *
   * @param {number} second
   * @param {number} tenths of ops/s
   */
  average(second, tenths) {
    const before = this.#averaged.get(second) ?? { total: this.get(second) ?? 0, lines: 1 };
    this.#averaged.set(second, { total: before.total + tenths, lines: before.lines + 1 });
  }
}

// A place holds its value plus one: 0 means that no line has the second.

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
  return tenths % 10 === 0 && tenths / 10 <= MAX_NARROW;
}

/**
 * @typedef {object} HostSecond what one host did in a second
 * @property {StageView} view
 * @property {number} tenths of operations
 * @property {number | null} bytes of them; null where they follow from the operations, or are not known
 *
 * @typedef {object} SecondOfHosts
 * @property {number} second
 * @property {HostSecond[]} hosts those that have a line for the second
 */

/**
 * Goes through the seconds of a stage in their order, over all hosts together. Nothing is kept of a second that is past:
 * the memory does not grow with the length of the runs.
 *
 * @param {readonly StageView[]} views
 * @returns {Generator<SecondOfHosts, void, undefined>} seconds without a line of any host are left out
 */
export function* secondsOf(views) {
  for (const { block, present } of blocksOf(views)) {
    /** @type {HostSecond[]} */
    let hosts = [];
    for (let second = block * BLOCK_SECONDS; second < (block + 1) * BLOCK_SECONDS; second += 1) {
      for (const view of present) {
        const tenths = view.log.series.get(second - view.shift);
        if (tenths !== undefined) {
          hosts.push({ view, tenths, bytes: view.log.bytesIn(second - view.shift) });
        }
      }
      if (hosts.length > 0) {
        yield { second, hosts };
        hosts = [];
      }
    }
  }
}

/**
 * @param {readonly StageView[]} views
 * @returns {Generator<{ block: number, present: StageView[] }, void, undefined>} the blocks in which there are seconds, in
 *   ascending order, each with those that have some in it
 */
function* blocksOf(views) {
  /** @type {Map<number, StageView[]>} */
  const all = new Map();
  for (const view of views) {
    for (const block of shiftedBlocks(view)) {
      const present = all.get(block) ?? [];
      present.push(view);
      all.set(block, present);
    }
  }
  for (const [block, present] of [...all].sort(([one], [other]) => one - other)) {
    yield { block, present };
  }
}

/**
 * @param {StageView} view
 * @returns {number[]} the blocks, in ascending order, in which its seconds are once they are shifted: by days, as a rule, so
 *   that each block is another one; otherwise it may become parts of two
 */
function shiftedBlocks({ log, shift }) {
  const first = (/** @type {number} */ block) => Math.floor(block + shift / BLOCK_SECONDS);
  const last = (/** @type {number} */ block) => Math.ceil(block + shift / BLOCK_SECONDS);
  return [...new Set(log.series.blocks().flatMap((block) => [first(block), last(block)]))];
}

/**
 * @typedef {object} TimeSeriesRow what a host did in a second
 * @property {number} second named by its beginning
 * @property {string} stage
 * @property {string} host
 * @property {number} operations that completed in it
 * @property {number} bytes of their objects
 */

/**
 * @param {ReadonlyMap<string, readonly StageView[]>} views
 * @returns {Generator<TimeSeriesRow, void, undefined>} stage by stage, second by second, host by host
 */
export function* timeSeriesOf(views) {
  for (const [stage, ofStage] of views) {
    for (const { second, hosts } of secondsOf(ofStage)) {
      for (const host of hosts) {
        yield { second, stage, host: host.view.host.name, operations: host.tenths / 10, bytes: bytesIn(host) };
      }
    }
  }
}
