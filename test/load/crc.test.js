import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { append, crcOf, finish, join, prefixesOf } from '../../lib/load/workload/crc.js';

/** As the specification prints it, highest power first. */
const POLYNOMIAL = 0xad93d23594c93659n;
const ALL = 2n ** 64n - 1n;

/** @param {bigint} value */
function reflected(value) {
  let result = 0n;
  for (let bit = 0n; bit < 64n; bit++) {
    result = (result << 1n) | ((value >> bit) & 1n);
  }
  return result;
}

/** The CRC bit by bit, following the specification. @param {Uint8Array} text */
function bitwise(text) {
  const divisor = reflected(POLYNOMIAL);
  let register = ALL;
  for (const byte of text) {
    register ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) {
      register = register & 1n ? (register >> 1n) ^ divisor : register >> 1n;
    }
  }
  return (register ^ ALL).toString(16).padStart(16, '0');
}

test('the CRC of the digits 1 to 9 matches its specification', () => {
  assert.equal(crcOf(Buffer.from('123456789')).toString('hex'), 'ae8b14860a799888');
  assert.equal(crcOf(Buffer.alloc(0)).toString('hex'), bitwise(new Uint8Array(0)));
});

test('the CRC of any text matches a bitwise computation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (text) => {
      assert.equal(crcOf(text).toString('hex'), bitwise(text));
    }),
  );
});

test('the CRC of a view follows from the stored prefixes of its block', () => {
  const block = Buffer.from(Array.from({ length: 1000 }, (_, place) => (place * 197 + 31) % 256));
  const prefixes = prefixesOf(block);
  const view = fc
    .tuple(fc.nat(block.length), fc.nat(block.length))
    .map((ends) => ends.sort((one, other) => one - other));
  fc.assert(
    fc.property(fc.array(view, { maxLength: 5 }), (views) => {
      const register = { low: 0, high: 0 };
      views.forEach(([start, end]) => append(register, prefixes, start, end));
      const text = Buffer.concat(views.map(([start, end]) => block.subarray(start, end)));
      assert.equal(finish(register, text.length).toString('hex'), crcOf(text).toString('hex'));
    }),
  );
});

test('the CRC of a concatenation follows from those of its parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (texts) => {
      const register = { low: 0, high: 0 };
      texts.forEach((text) => join(register, crcOf(text), text.length));
      const whole = Buffer.concat(texts);
      assert.equal(finish(register, whole.length).toString('hex'), crcOf(whole).toString('hex'));
    }),
  );
});
