import { mixIndex, seedOf } from './mix.js';

const TWO_TO_THE_32 = 2 ** 32;

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
