import { mixIndex, seedOf } from './mix.js';

const TWO_TO_THE_32 = 2 ** 32;

/**
 * Deals kinds in exact shares: decks in which each kind has as many cards as its share says, shuffled one after the other
 * (Fisher and Yates; Durstenfeld, Algorithm 235). A card follows from its number alone, so that all who deal agree.
 */
export class Deck {
  /** The kind of each card before shuffling. */
  #sorted;
  #cards;
  #seed;
  /** Of the deck that the cards are in now. */
  #number = -1;

  /**
   * @param {readonly number[]} shares of the kinds, positive integers: the cards of a deck
   * @param {string} seed
   */
  constructor(shares, seed) {
    this.#sorted = Uint8Array.from(shares.flatMap((share, kind) => Array.from({ length: share }, () => kind)));
    this.#cards = Uint8Array.from(this.#sorted);
    this.#seed = seedOf(seed);
  }

  /**
   * @param {number} number of a card from 0
   * @returns {number} the index of its kind among the shares
   */
  kindOf(number) {
    const { length } = this.#cards;
    const deck = Math.floor(number / length);
    if (deck !== this.#number) {
      this.#shuffle(deck);
    }
    return this.#cards[number % length];
  }

  /** @param {number} deck its number from 0 */
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
