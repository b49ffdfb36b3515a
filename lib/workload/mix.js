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
