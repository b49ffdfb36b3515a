import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Payload } from '../../lib/workload/payload.js';
import { CHECKSUMS, PayloadChecksums } from '../../lib/workload/payload-checksums.js';
import { cases } from '../helpers/cases.js';

/** @import { ChecksumName } from '../../lib/model/config.js' */

const payload = new Payload('run-1');
const NAMES = /** @type {ChecksumName[]} */ (Object.keys(CHECKSUMS));

for (const name of NAMES) {
  const { crc, algorithm } = CHECKSUMS[name];
  const checksums = new PayloadChecksums(name, payload);
  const member = `Checksum${algorithm}`;

  test(`the ${name} of any part of any object matches its bytes`, () => {
    const anyIndex = fc.oneof(fc.nat(10_000), fc.integer({ min: 2 ** 23 - 5, max: 2 ** 23 + 5 }));
    fc.assert(
      fc.property(anyIndex, fc.nat(18 * 2 ** 20), fc.nat(2 ** 20 + 100), (index, position, size) => {
        const body = payload.body(index, size, position);
        const expected = crc.of(Buffer.isBuffer(body) ? [body] : body).toString('base64');
        assert.deepEqual(checksums.inputOf(index, size, position), { [member]: expected });
      }),
      { numRuns: cases(20) },
    );
  });

  test(`a wrong ${name} is different, and has the same length`, () => {
    const [right, wrong] = [checksums, checksums.wrong()].map((each) => each.inputOf(3, 1000)[member]);
    assert.notEqual(right, wrong);
    assert.equal(right.length, wrong.length);
  });
}

test('completes an object in parts with the checksum of the whole, if there is one', () => {
  const [whole, composite] = NAMES.map((name) => new PayloadChecksums(name, payload));
  assert.deepEqual(whole.creation, { ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'FULL_OBJECT' });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 * 2 ** 20 }),
      fc.integer({ min: 2 ** 20, max: 9 * 2 ** 20 }),
      (size, partSize) => {
        const parts = partsOf(whole, { size, partSize });
        assert.deepEqual(whole.completionOf(parts, size, partSize), {
          ...whole.inputOf(3, size),
          ChecksumType: 'FULL_OBJECT',
        });
      },
    ),
    { numRuns: cases(20) },
  );
  assert.deepEqual(composite.creation, { ChecksumAlgorithm: 'CRC32C', ChecksumType: 'COMPOSITE' });
  const sizes = { size: 9 * 2 ** 20, partSize: 5 * 2 ** 20 };
  assert.deepEqual(composite.completionOf(partsOf(composite, sizes), sizes.size, sizes.partSize), {});
});

test('completes an object whose parts have wrong checksums with a wrong one', () => {
  const [right, wrong] = [checksumsOfWhole(), checksumsOfWhole().wrong()];
  for (const size of [1000, 9 * 2 ** 20]) {
    const sizes = { size, partSize: 5 * 2 ** 20 };
    assert.notDeepEqual(
      wrong.completionOf(partsOf(wrong, sizes), size, sizes.partSize),
      right.completionOf(partsOf(right, sizes), size, sizes.partSize),
    );
  }
});

test('the checksum of the whole does not need the object’s bytes', () => {
  const whole = checksumsOfWhole();
  const parts = partsOf(whole, { size: 2 * 5 * 2 ** 20, partSize: 5 * 2 ** 20 });
  const blind = new PayloadChecksums('crc64nvme', /** @type {any} */ ({ body: () => assert.fail('it was gone over') }));
  const [size, partSize] = [2 * 5 * 2 ** 20, 5 * 2 ** 20];
  assert.deepEqual(blind.completionOf(parts, size, partSize), whole.completionOf(parts, size, partSize));
});

function checksumsOfWhole() {
  return new PayloadChecksums('crc64nvme', payload);
}

/**
 * @param {PayloadChecksums} checksums
 * @param {{ size: number, partSize: number }} sizes bytes
 * @returns {Record<string, string>[]} what each part of an object is sent with
 */
function partsOf(checksums, { size, partSize }) {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, place) =>
    checksums.inputOf(3, Math.min(partSize, size - place * partSize), place * partSize),
  );
}
