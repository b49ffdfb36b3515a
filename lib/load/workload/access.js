import { quote } from '../../text/quote.js';
import { mix32, mixIndex, seedOf } from './mix.js';

/** @import { AccessPattern } from '../../result/config.js' */

const TWO_TO_THE_32 = 2 ** 32;

/** Bits of a double's mantissa that come from the second draw. */
const LOW_BITS = 21;

/** Arbitrary constants that turn one draw into two independent ones. */
const LOW = 0x5bd1e995;
const AGAIN = 0x27d4eb2f;

const ZIPF = /^zipf:([0-9]{1,2}(?:\.[0-9]{1,3})?)$/;
const MAX_EXPONENT = 5;

/** Feistel rounds: with four, the output is indistinguishable from a random permutation (Luby and Rackoff, 1988). */
const ROUNDS = 4;

/** For numbers closer to 0 than this, the start of the Taylor series is used. */
const SMALL = 1e-8;

/**
 * @param {string} text value of `--access`
 * @returns {AccessPattern}
 * @throws {RangeError} that states what was expected
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

/** @param {AccessPattern} access */
export function formatAccess(access) {
  return access.kind === 'zipf' ? `zipf:${access.exponent}` : access.kind;
}

/**
 * Chooses an object for each claim. It is a pure function of the claim's number, so that all workers agree and runs are
 * reproducible.
 *
 * @param {{ access: AccessPattern, objects: number, seed: string }} options `objects`: 1 to 2^30; `seed` determines the
 *   draws and the hot objects
 * @returns {(claim: number) => number} the object's zero-based index
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
  const objectOf = shuffle(objects, seedOf(`places of ${seed}`));
  return (claim) => objectOf(rankOf(mixIndex(claim, draw)));
}

/** Uniform in (0, 1), with all bits of a double's mantissa. @param {number} drawn an unsigned 32-bit integer */
function uniform(drawn) {
  const low = mix32(drawn ^ LOW) >>> (32 - LOW_BITS);
  return (drawn * 2 ** LOW_BITS + low + 0.5) / (TWO_TO_THE_32 * 2 ** LOW_BITS);
}

/**
 * Draws ranks from a Zipf distribution: rank r has a probability proportional to 1 / (r + 1)^exponent. Uses
 * rejection-inversion, which is exact and takes constant time without a table (W. Hörmann, G. Derflinger,
 * Rejection-inversion to generate variates from monotone discrete distributions, ACM Transactions on Modeling and
 * Computer Simulation 6 (1996)). Names follow the paper.
 *
 * @param {number} ranks
 * @param {number} exponent above 0
 * @returns {(drawn: number) => number} the zero-based rank of a uniform 32-bit draw
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

/** @param {number} x at least -1 @returns {number} ln(1 + x) ÷ x */
function log1pRatio(x) {
  return Math.abs(x) > SMALL ? Math.log1p(x) / x : 1 - x / 2;
}

/**
 * Scatters hot objects over the keyspace with a permutation that needs no memory. A Feistel cipher permutes the indices
 * below the next power of four; results outside the range are enciphered again (J. Black, P. Rogaway, Ciphers with
 * arbitrary finite domains, CT-RSA 2002).
 *
 * @param {number} objects at most 2^30
 * @param {number} seed an unsigned 32-bit integer
 * @returns {(index: number) => number} a bijection on the zero-based indices
 */
export function shuffle(objects, seed) {
  const half = Math.max(Math.ceil(Math.log2(objects) / 2), 1);
  const mask = 2 ** half - 1;
  const keys = Array.from({ length: ROUNDS }, (_, round) => mixIndex(round, seed));
  return (index) => {
    let shuffled = index;
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
