import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Deck } from '../../lib/load/workload/mix.js';

const SHARES = [70, 20, 5, 5];
const DRAWS = 100_000;
const DECKS = DRAWS / 100;

/** Quantiles of the chi-squared distribution at 0.999, by degrees of freedom (NIST/SEMATECH e-Handbook, 1.3.6.7.4). */
const CRITICAL = /** @type {const} */ ({ 3: 16.266, 9: 27.877, 99: 148.23 });

/**
 * @param {readonly number[]} observed
 * @param {readonly number[]} expected
 */
function chiSquared(observed, expected) {
  return observed.reduce((sum, count, place) => sum + (count - expected[place]) ** 2 / expected[place], 0);
}

/** @param {string} seed */
function drawn(seed) {
  const deck = new Deck(SHARES, seed);
  return Array.from({ length: DRAWS }, (_, card) => deck.kindOf(card));
}

describe('a deck', () => {
  const cards = drawn('kinds of a run');

  test('gives each kind its share exactly in each deck of a hundred', () => {
    for (let deck = 0; deck < DECKS; deck++) {
      const ofDeck = cards.slice(100 * deck, 100 * (deck + 1));
      assert.deepEqual(
        SHARES.map((_, kind) => ofDeck.filter((each) => each === kind).length),
        SHARES,
      );
    }
  });

  test('keeps each share within 1% over any stretch of a thousand operations', () => {
    for (let start = 0; start + 1000 <= DRAWS; start += 137) {
      const stretch = cards.slice(start, start + 1000);
      SHARES.forEach((share, kind) => {
        const part = (100 * stretch.filter((each) => each === kind).length) / stretch.length;
        assert.ok(Math.abs(part - share) <= 10, `kind ${kind} has ${part}% from ${start} on`);
      });
    }
    SHARES.forEach((share, kind) => {
      assert.equal((100 * cards.filter((each) => each === kind).length) / DRAWS, share);
    });
  });

  test('is shuffled: a kind is equally likely at any position of a deck (chi-squared at 0.001)', () => {
    SHARES.forEach((share, kind) => {
      const byPlace = Array.from({ length: 100 }, () => 0);
      cards.forEach((each, card) => {
        byPlace[card % 100] += Number(each === kind);
      });
      // The positions of a deck are not independent: kinds are drawn without replacement.
      const variance = 1 - share / 100;
      const expected = byPlace.map(() => (DECKS * share) / 100);
      assert.ok(chiSquared(byPlace, expected) / variance < CRITICAL[99], `kind ${kind}`);
    });
  });

  test('is shuffled separately each time: the next kind has the shares of all (chi-squared at 0.001)', () => {
    for (const kind of [0, 1]) {
      // The last card of a deck and the first one of the next are independent.
      const after = [0, 0, 0, 0];
      for (let deck = 0; deck + 1 < DECKS; deck++) {
        if (cards[100 * deck + 99] === kind) {
          after[cards[100 * (deck + 1)]] += 1;
        }
      }
      const all = after.reduce((sum, count) => sum + count);
      const expected = SHARES.map((share) => (all * share) / 100);
      assert.ok(chiSquared(after, expected) < CRITICAL[3], `${after} after kind ${kind}`);
    }
  });

  test('depends only on seed and number, in whatever order its cards are requested', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: DRAWS - 1 }), { maxLength: 30 }), (numbers) => {
        const deck = new Deck(SHARES, 'kinds of a run');
        assert.deepEqual(
          numbers.map((number) => deck.kindOf(number)),
          numbers.map((number) => cards[number]),
        );
      }),
    );
    assert.notDeepEqual(drawn('kinds of another run').slice(0, 100), cards.slice(0, 100));
  });

  test('of one kind contains nothing else', () => {
    const deck = new Deck([1], 'seed');
    assert.deepEqual([deck.kindOf(0), deck.kindOf(1), deck.kindOf(12345)], [0, 0, 0]);
  });
});
