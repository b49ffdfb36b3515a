import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crcOf } from '../../lib/load/workload/crc.js';
import { Payload } from '../../lib/load/workload/payload.js';
import { PayloadChecksums } from '../../lib/load/workload/payload-checksums.js';
import { cases } from '../helpers/cases.js';

const payload = new Payload('run-1');
const checksums = new PayloadChecksums(payload);

test('the checksum of any part of any object matches its bytes', () => {
  const anyIndex = fc.oneof(fc.nat(10_000), fc.integer({ min: 2 ** 23 - 5, max: 2 ** 23 + 5 }));
  fc.assert(
    fc.property(anyIndex, fc.nat(18 * 2 ** 20), fc.nat(2 ** 20 + 100), (index, position, size) => {
      const body = payload.body(index, size, position);
      const expected = crcOf(Buffer.isBuffer(body) ? body : Buffer.concat([...body])).toString('base64');
      assert.deepEqual(checksums.inputOf(index, size, position), { ChecksumCRC64NVME: expected });
    }),
    { numRuns: cases(20) },
  );
});

test('a wrong checksum is different, and has the same length', () => {
  const [right, wrong] = [checksums, checksums.wrong()].map((each) => each.inputOf(3, 1000).ChecksumCRC64NVME);
  assert.notEqual(right, wrong);
  assert.equal(right.length, wrong.length);
});

test('completes an object in parts with the checksum of the whole', () => {
  assert.deepEqual(checksums.creation, { ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'FULL_OBJECT' });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 * 2 ** 20 }),
      fc.integer({ min: 2 ** 20, max: 9 * 2 ** 20 }),
      (size, partSize) => {
        const parts = partsOf(checksums, { size, partSize });
        assert.deepEqual(checksums.completionOf(parts, size, partSize), {
          ...checksums.inputOf(3, size),
          ChecksumType: 'FULL_OBJECT',
        });
      },
    ),
    { numRuns: cases(20) },
  );
});

test('completes an object whose parts have wrong checksums with a wrong one', () => {
  const wrong = checksums.wrong();
  for (const size of [1000, 9 * 2 ** 20]) {
    const sizes = { size, partSize: 5 * 2 ** 20 };
    assert.notDeepEqual(
      wrong.completionOf(partsOf(wrong, sizes), size, sizes.partSize),
      checksums.completionOf(partsOf(checksums, sizes), size, sizes.partSize),
    );
  }
});

test('the checksum of the whole does not need the object’s bytes', () => {
  const [size, partSize] = [2 * 5 * 2 ** 20, 5 * 2 ** 20];
  const parts = partsOf(checksums, { size, partSize });
  const blind = new PayloadChecksums(/** @type {any} */ ({ body: () => assert.fail('it was gone over') }));
  assert.deepEqual(blind.completionOf(parts, size, partSize), checksums.completionOf(parts, size, partSize));
});

/**
 * @param {PayloadChecksums} of
 * @param {{ size: number, partSize: number }} sizes bytes
 * @returns {Record<string, string>[]} what each part of an object is sent with
 */
function partsOf(of, { size, partSize }) {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, place) =>
    of.inputOf(3, Math.min(partSize, size - place * partSize), place * partSize),
  );
}
