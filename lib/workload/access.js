import { quote } from '../text/quote.js';
import { mix32, mixIndex, seedOf } from './mix.js';

/** @import { AccessPattern } from '../model/config.js' */

const TWO_TO_THE_32 = 2 ** 32;

/** Bits of a float's mantissa that the lower of two draws fills. */
const LOW_BITS = 21;

/** Any numbers: they make of one draw an independent one. */
const LOW = 0x5bd1e995;
const AGAIN = 0x27d4eb2f;

const ZIPF = /^zipf:([0-9]{1,2}(?:\.[0-9]{1,3})?)$/;
const MAX_EXPONENT = 5;

/** Of a Feistel cipher: from four on, its output cannot be told from a random permutation (Luby and Rackoff, 1988). */
const ROUNDS = 4;

/** Below it, the functions at 0 are those of their Taylor series. */
const SMALL = 1e-8;

/**
 * @param {string} text as `--access` has it
 * @returns {AccessPattern}
 * @throws {RangeError} that says what was expected
 */
export function parseAccess(text) {
  if (text === 'sequential' || text === 'uniform') {
    return { kind: text };
  }
  const exponent = Number(ZIPF.exec(text)?.[1] ?? NaN);
  if (!(exponent > 0 && exponent <= MAX_EXPONENT)) {
    throw new RangeError(
      `expected sequential, uniform or zipf:0.99 with an exponent above 0 and up to ${MAX_EXPONENT}, got ${quote(text)}`,
    );
  }
  return { kind: 'zipf', exponent };
}

/**
 * The inverse of {@link parseAccess}.
 *
 * @param {AccessPattern} access
 * @returns {string}
 */
export function formatAccess(access) {
  return access.kind === 'zipf' ? `zipf:${access.exponent}` : access.kind;
}

/**
 * Which object comes next: a pure function of the number of the claim, so that all workers agree and a run can be repeated.
 *
 * @param {object} options
 * @param {AccessPattern} options.access
 * @param {number} options.objects at least 1, at most 2^30
 * @param {string} options.seed other seeds have other draws, and other hot objects
 * @returns {(claim: number) => number} the place of the claim's object, from 0
 */
export function accessOrder({ access, objects, seed }) {
  if (access.kind === 'sequential') {
    return (claim) => claim % objects;
  }
  const draw = seedOf(`draws of ${seed}`);
  if (access.kind === 'uniform') {
    return (claim) => Math.floor(uniform(mixIndex(claim, draw)) * objects);
  }
  const rankOf = zipfRank(objects, access.exponent);
  const placeOf = shuffle(objects, seedOf(`places of ${seed}`));
  return (claim) => placeOf(rankOf(mixIndex(claim, draw)));
}

/**
 * @param {number} drawn an unsigned 32-bit integer
 * @returns {number} between 0 and 1, neither of them, with all bits that a float has
 */
function uniform(drawn) {
  const low = mix32(drawn ^ LOW) >>> (32 - LOW_BITS);
  return (drawn * 2 ** LOW_BITS + low + 0.5) / (TWO_TO_THE_32 * 2 ** LOW_BITS);
}

/**
 * Draws ranks whose frequency falls with a power of them: that of rank r is in proportion to 1 / (r + 1)^exponent. By
 * rejection-inversion (W. Hörmann, G. Derflinger, Rejection-inversion to generate variates from monotone discrete
 * distributions, ACM Transactions on Modeling and Computer Simulation 6 (1996)): exact, without a table, in a time that
 * does not depend on the number of ranks. The names are those of the paper.
 *
 * @param {number} ranks
 * @param {number} exponent above 0
 * @returns {(drawn: number) => number} the rank of a uniform 32-bit draw, from 0
 */
export function zipfRank(ranks, exponent) {
  const h = (/** @type {number} */ x) => Math.exp(-exponent * Math.log(x));
  const integral = (/** @type {number} */ x) => {
    const logarithm = Math.log(x);
    return expm1Ratio((1 - exponent) * logarithm) * logarithm;
  };
  const inverse = (/** @type {number} */ x) => Math.exp(log1pRatio(Math.max(x * (1 - exponent), -1)) * x);
  const first = integral(1.5) - 1;
  const last = integral(ranks + 0.5);
  const shortcut = 2 - inverse(integral(2.5) - h(2));
  return (drawn) => {
    for (let bits = drawn; ; bits = mix32(bits ^ AGAIN)) {
      const u = last + uniform(bits) * (first - last);
      const x = inverse(u);
      const k = Math.min(Math.max(Math.round(x), 1), ranks);
      if (k - x <= shortcut || u >= integral(k + 0.5) - h(k)) {
        return k - 1;
      }
    }
  };
}

/** @param {number} x @returns {number} (e^x - 1) ÷ x */
function expm1Ratio(x) {
  return Math.abs(x) > SMALL ? Math.expm1(x) / x : 1 + x / 2;
}

/** @param {number} x from -1 @returns {number} ln(1 + x) ÷ x */
function log1pRatio(x) {
  return Math.abs(x) > SMALL ? Math.log1p(x) / x : 1 - x / 2;
}

/**
 * Puts hot objects next to no other hot ones: a permutation that takes no memory. A Feistel cipher permutes the next power of
 * four; what falls outside goes through it again (J. Black, P. Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002).
 *
 * @param {number} objects at most 2^30
 * @param {number} seed an unsigned 32-bit integer
 * @returns {(place: number) => number} one to one, from 0
 */
export function shuffle(objects, seed) {
  const half = Math.max(Math.ceil(Math.log2(objects) / 2), 1);
  const mask = 2 ** half - 1;
  const keys = Array.from({ length: ROUNDS }, (_, round) => mixIndex(round, seed));
  return (place) => {
    let shuffled = place;
    do {
      let left = shuffled >>> half;
      let right = shuffled & mask;
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = left;
        left = right;
        right = before ^ (mix32(right ^ keys[round]) & mask);
      }
      shuffled = (left << half) | right;
    } while (shuffled >= objects);
    return shuffled;
  };
}
