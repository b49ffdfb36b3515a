import { createHash } from 'node:crypto';

const TWO_TO_THE_32 = 2 ** 32;

/**
 * Scrambles 32 bits so that neighbouring inputs have unrelated outputs: the finaliser of MurmurHash3 (Austin Appleby,
 * public domain). It is a bijection.
 *
 * @param {number} value a 32-bit integer
 * @returns {number} an unsigned 32-bit integer
 */
export function mix32(value) {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The inverse of {@link mix32}. @param {number} mixed an unsigned 32-bit integer */
export function unmix32(mixed) {
  let value = mixed ^ (mixed >>> 16);
  value = Math.imul(value, 0x7ed1b41d);
  value ^= (value >>> 13) ^ (value >>> 26);
  value = Math.imul(value, 0xa5cb9243);
  return (value ^ (value >>> 16)) >>> 0;
}

/**
 * Scrambles an object's index under a seed. Each consecutive block of 2^32 indices is mapped one-to-one.
 *
 * @param {number} index a non-negative safe integer
 * @param {number} seed an unsigned 32-bit integer
 * @returns {number} an unsigned 32-bit integer
 */
export function mixIndex(index, seed) {
  const high = Math.floor(index / TWO_TO_THE_32);
  return mix32((index >>> 0) ^ mix32(high ^ seed));
}

/** The first 32 bits of the text's SHA-256, unsigned. @param {string} text */
export function seedOf(text) {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/**
 * Deals kinds in exact shares. In each deck, the number of cards of a kind is the kind's share. Each deck is shuffled
 * separately (Fisher and Yates; Durstenfeld, Algorithm 235). A card is a pure function of its number, so that all
 * workers agree.
 */
export class Deck {
  /** The kind of each card before shuffling. */
  #sorted;
  #cards;
  #seed;
  #number = -1;

  /**
   * @param {readonly number[]} shares of the kinds, positive integers: cards per deck
   * @param {string} seed
   */
  constructor(shares, seed) {
    this.#sorted = Uint8Array.from(shares.flatMap((share, kind) => Array.from({ length: share }, () => kind)));
    this.#cards = Uint8Array.from(this.#sorted);
    this.#seed = seedOf(seed);
  }

  /** @param {number} number of a card, zero-based */
  kindOf(number) {
    const { length } = this.#cards;
    const deck = Math.floor(number / length);
    if (deck !== this.#number) {
      this.#shuffle(deck);
    }
    return this.#cards[number % length];
  }

  /** @param {number} deck zero-based number */
  #shuffle(deck) {
    const cards = this.#cards;
    cards.set(this.#sorted);
    for (let last = cards.length - 1; last > 0; last--) {
      const drawn = mixIndex(deck * cards.length + last, this.#seed);
      const other = Math.floor((drawn / TWO_TO_THE_32) * (last + 1));
      [cards[last], cards[other]] = [cards[other], cards[last]];
    }
    this.#number = deck;
  }
}
