import fc from 'fast-check';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { BodyVerifier, MAX_VIEW_BYTES, Payload } from '../../lib/load/workload/payload.js';
import { cases } from '../helpers/cases.js';

/** Objects that share a block; the next one belongs to the next generation. */
const BLOCK_OBJECTS = 2 ** 23;

/** Shared by all tests, because making a block takes long. */
const payload = new Payload('run-1');

const anyIndex = fc.oneof(fc.nat(10_000), fc.integer({ min: BLOCK_OBJECTS - 100, max: BLOCK_OBJECTS + 100 }));
const anySize = fc.integer({ min: 1, max: 300 });

/**
 * @param {number} index
 * @param {number} size
 * @param {Payload} [source]
 */
function bytesOf(index, size, source = payload) {
  const body = source.body(index, size);
  return Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
}

/**
 * @param {Buffer} body
 * @param {readonly number[]} cuts offsets at which a chunk ends, in any order
 */
function chunksOf(body, cuts) {
  const edges = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((one, other) => one - other), body.length];
  return edges.slice(1).map((edge, place) => body.subarray(edges[place], edge));
}

/**
 * @param {number} index
 * @param {number} size
 * @param {readonly Buffer[]} chunks
 * @returns {number} the offset at which the body differs from the object, or -1
 */
function verify(index, size, chunks) {
  const verifier = new BodyVerifier(payload);
  verifier.begin(index, size);
  chunks.forEach((chunk) => verifier.accept(chunk));
  return verifier.end();
}

test('a payload depends only on run ID and index', () => {
  const other = new Payload('run-1');
  fc.assert(
    fc.property(fc.array(anyIndex, { minLength: 1, maxLength: 5 }), anySize, (indices, size) => {
      const there = indices.map((index) => bytesOf(index, size));
      const back = [...indices].reverse().map((index) => bytesOf(index, size, other));
      assert.deepEqual(there, back.reverse());
    }),
    { numRuns: cases(30) },
  );
});

test('another process makes the same payloads', async () => {
  const indices = [0, 1, 12_345];
  const program = `
    import { Payload } from ${JSON.stringify(new URL('../../lib/load/workload/payload.js', import.meta.url).href)};
    const payload = new Payload('run-1');
    process.stdout.write(${JSON.stringify(indices)}.map((index) => payload.view(index, 0, 64).toString('hex')).join(' '));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  assert.equal(stdout, indices.map((index) => bytesOf(index, 64).toString('hex')).join(' '));
});

test('any two objects differ, even across generations of blocks', () => {
  fc.assert(
    fc.property(anyIndex, anyIndex, (one, other) => {
      fc.pre(one !== other);
      assert.notDeepEqual(bytesOf(one, 16), bytesOf(other, 16));
    }),
  );
});

test('the same object of another run has a different payload', () => {
  assert.notDeepEqual(bytesOf(0, 64), bytesOf(0, 64, new Payload('run-2')));
});

test('a discarded generation is made again identically', () => {
  const fresh = new Payload('run-3');
  const generations = [0, 1, 2];
  const before = generations.map((generation) => Buffer.from(fresh.view(generation * BLOCK_OBJECTS, 0, 64)));
  const after = generations.map((generation) => fresh.view(generation * BLOCK_OBJECTS, 0, 64));
  assert.deepEqual(
    before,
    after.map((view) => Buffer.from(view)),
  );
});

test('payloads cannot be compressed, alone or together', () => {
  const single = bytesOf(3, 16 * 1024);
  assert.ok(deflateRawSync(single).length >= single.length);
  const several = Buffer.concat(Array.from({ length: 16 }, (_, index) => bytesOf(index, 16 * 1024)));
  assert.ok(deflateRawSync(several).length >= several.length);
});

test('a part of a payload is the same however the payload is cut', () => {
  fc.assert(
    fc.property(anyIndex, anySize, fc.nat(), fc.nat(), (index, size, from, to) => {
      const [start, end] = [from % (size + 1), to % (size + 1)].sort((one, other) => one - other);
      assert.deepEqual(payload.view(index, start, end - start), bytesOf(index, size).subarray(start, end));
    }),
  );
});

test('a body up to the size of a view is a single buffer without copying', () => {
  const body = payload.body(1, MAX_VIEW_BYTES);
  assert.ok(Buffer.isBuffer(body));
  assert.equal(body.length, MAX_VIEW_BYTES);
  assert.equal(body.buffer, payload.view(2, 0, 1).buffer);
  assert.equal(bytesOf(1, 0).length, 0);
});

test('a longer body is an iterable that can be iterated again, and has exactly its size', () => {
  for (const size of [MAX_VIEW_BYTES + 1, 3 * MAX_VIEW_BYTES, 9 * MAX_VIEW_BYTES + 7]) {
    const body = payload.body(6, size);
    assert.ok(!Buffer.isBuffer(body));
    const lengths = [...body].map((piece) => piece.length);
    assert.equal(
      lengths.reduce((sum, length) => sum + length, 0),
      size,
    );
    assert.ok(lengths.every((length) => length > 0 && length <= MAX_VIEW_BYTES));
    assert.ok(Buffer.concat([...body]).equals(Buffer.concat([...body])));
  }
});

test('finds a flipped bit at its offset, however the body is chunked', () => {
  fc.assert(
    fc.property(
      anyIndex,
      anySize,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.nat(),
      fc.nat(7),
      (index, size, cuts, at, bit) => {
        const body = Buffer.from(bytesOf(index, size));
        const offset = at % size;
        body[offset] ^= 1 << bit;
        assert.equal(verify(index, size, chunksOf(body, cuts)), offset);
      },
    ),
  );
});

test('detects a body that is too short at its end', () => {
  fc.assert(
    fc.property(anyIndex, anySize, fc.nat(), fc.array(fc.nat(), { maxLength: 5 }), (index, size, cut, cuts) => {
      const length = cut % size;
      assert.equal(verify(index, size, chunksOf(bytesOf(index, size).subarray(0, length), cuts)), length);
    }),
  );
});

test('detects a body that is too long, even if it continues like the payload', () => {
  fc.assert(
    fc.property(anyIndex, anySize, anySize, fc.array(fc.nat(), { maxLength: 5 }), (index, size, more, cuts) => {
      assert.equal(verify(index, size, chunksOf(bytesOf(index, size + more), cuts)), size);
    }),
  );
});

test('verifies part of an object against the bytes at its position', () => {
  fc.assert(
    fc.property(
      anyIndex,
      fc.nat(5000),
      anySize,
      fc.array(fc.nat(), { maxLength: 5 }),
      (index, position, size, cuts) => {
        const part = Buffer.from(payload.view(index, position, size));
        const verifier = new BodyVerifier(payload);
        verifier.begin(index, size, position);
        chunksOf(part, cuts).forEach((chunk) => verifier.accept(chunk));
        assert.equal(verifier.end(), -1);
        part[size - 1] ^= 1;
        verifier.begin(index, size, position);
        chunksOf(part, cuts).forEach((chunk) => verifier.accept(chunk));
        assert.equal(verifier.end(), position + size - 1);
        verifier.begin(index, size, position);
        verifier.accept(payload.view(index, position, size - 1));
        assert.equal(verifier.end(), position + size - 1);
      },
    ),
  );
});

test('draws each part of an object equally often, and always the same one for a turn', () => {
  const parts = 16;
  const draws = 100_000;
  const counts = Array.from({ length: parts }, () => 0);
  for (let draw = 0; draw < draws; draw++) {
    const part = payload.partOf(draw % 100, draw, parts);
    counts[part] += 1;
  }
  const expected = draws / parts;
  const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // The 99.9th percentile of chi-squared with 15 degrees of freedom.
  assert.ok(chiSquared < 37.7, `chi-squared ${chiSquared}`);
  assert.equal(payload.partOf(3, 4, 1), 0);
  assert.equal(new Payload('run-1').partOf(3, 4, 1000), payload.partOf(3, 4, 1000));
});

test('the parts of an object are its bytes, wherever they start', () => {
  fc.assert(
    fc.property(anyIndex, fc.nat(20 * 2 ** 20), fc.nat(2 ** 20 + 10), (index, position, size) => {
      const body = payload.body(index, size, position);
      const bytes = Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
      assert.equal(bytes.length, size);
      assert.equal(payload.firstMismatch(index, position, bytes), -1);
    }),
    { numRuns: cases(50) },
  );
  const size = 9 * 2 ** 20 + 3;
  const whole = bytesOf(4, size);
  for (const position of [0, 1, 2 ** 20, 8 * 2 ** 20 - 1, 8 * 2 ** 20, size - 1]) {
    const body = payload.body(4, size - position, position);
    const part = Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
    assert.equal(part.compare(whole.subarray(position)), 0);
  }
});
