import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRC32C, CRC64NVME } from '../../lib/workload/crc.js';

/** Polynomials as the specifications print them, highest power first. */
const SPECIFIED = [
  { name: 'CRC-32C', crc: CRC32C, bits: 32n, polynomial: 0x1edc6f41n, check: 'e3069283' },
  { name: 'CRC-64/NVME', crc: CRC64NVME, bits: 64n, polynomial: 0xad93d23594c93659n, check: 'ae8b14860a799888' },
];

/**
 * @param {bigint} value
 * @param {bigint} bits
 */
function reflected(value, bits) {
  let result = 0n;
  for (let bit = 0n; bit < bits; bit++) {
    result = (result << 1n) | ((value >> bit) & 1n);
  }
  return result;
}

/**
 * The CRC bit by bit, following a specification.
 *
 * @param {Uint8Array} text
 * @param {{ bits: bigint, polynomial: bigint }} specification
 */
function bitwise(text, { bits, polynomial }) {
  const all = (1n << bits) - 1n;
  const divisor = reflected(polynomial, bits);
  let register = all;
  for (const byte of text) {
    register ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) {
      register = register & 1n ? (register >> 1n) ^ divisor : register >> 1n;
    }
  }
  return (register ^ all).toString(16).padStart(Number(bits / 4n), '0');
}

for (const { name, crc, check, ...specification } of SPECIFIED) {
  test(`${name} of the digits 1 to 9 matches its specification`, () => {
    assert.equal(crc.of([Buffer.from('123456789')]).toString('hex'), check);
    assert.equal(crc.of([]).toString('hex'), bitwise(new Uint8Array(0), specification));
  });

  test(`${name} of any text matches a bitwise computation, however the text is cut`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (pieces) => {
        assert.equal(crc.of(pieces).toString('hex'), bitwise(Buffer.concat(pieces), specification));
      }),
    );
  });

  test(`${name} of a view follows from the stored prefixes of its block`, () => {
    const block = Buffer.from(Array.from({ length: 1000 }, (_, place) => (place * 197 + 31) % 256));
    const prefixes = crc.prefixesOf(block);
    const view = fc
      .tuple(fc.nat(block.length), fc.nat(block.length))
      .map((ends) => ends.sort((one, other) => one - other));
    fc.assert(
      fc.property(fc.array(view, { maxLength: 5 }), (views) => {
        const register = { low: 0, high: 0 };
        views.forEach(([start, end]) => crc.append(register, prefixes, start, end));
        const text = Buffer.concat(views.map(([start, end]) => block.subarray(start, end)));
        assert.equal(crc.finish(register, text.length).toString('hex'), crc.of([text]).toString('hex'));
      }),
    );
  });

  test(`${name} of a concatenation follows from those of its parts`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (texts) => {
        const register = { low: 0, high: 0 };
        texts.forEach((text) => crc.join(register, crc.of([text]), text.length));
        const whole = Buffer.concat(texts);
        assert.equal(crc.finish(register, whole.length).toString('hex'), crc.of([whole]).toString('hex'));
      }),
    );
  });
}
