import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Payload } from '../../lib/workload/payload.js';
import { CHECKSUMS, PayloadChecksums } from '../../lib/workload/payload-checksums.js';

/** @import { ChecksumName } from '../../lib/model/run-config.js' */

const payload = new Payload('run-1');
const NAMES = /** @type {ChecksumName[]} */ (Object.keys(CHECKSUMS));

for (const name of NAMES) {
  const { crc, algorithm } = CHECKSUMS[name];
  const checksums = new PayloadChecksums(name, payload);
  const member = `Checksum${algorithm}`;

  test(`the ${name} of any part of any object is that of its bytes`, () => {
    const anyIndex = fc.oneof(fc.nat(10_000), fc.integer({ min: 2 ** 23 - 5, max: 2 ** 23 + 5 }));
    fc.assert(
      fc.property(anyIndex, fc.nat(18 * 2 ** 20), fc.nat(2 ** 20 + 100), (index, position, size) => {
        const body = payload.body(index, size, position);
        const expected = crc.of(Buffer.isBuffer(body) ? [body] : body).toString('base64');
        assert.deepEqual(checksums.inputOf(index, size, position), { [member]: expected });
      }),
      { numRuns: 20 },
    );
  });

  test(`a wrong ${name} is another one, and as long`, () => {
    const [right, wrong] = [checksums, checksums.wrong()].map((each) => each.inputOf(3, 1000)[member]);
    assert.notEqual(right, wrong);
    assert.equal(right.length, wrong.length);
  });
}

test('an object in parts is completed with the checksum of the whole, where there is one', () => {
  const [whole, composite] = NAMES.map((name) => new PayloadChecksums(name, payload));
  assert.deepEqual(whole.creation, { ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'FULL_OBJECT' });
  assert.deepEqual(whole.completionOf(3, 9 * 2 ** 20), {
    ...whole.inputOf(3, 9 * 2 ** 20),
    ChecksumType: 'FULL_OBJECT',
  });
  assert.deepEqual(composite.creation, { ChecksumAlgorithm: 'CRC32C', ChecksumType: 'COMPOSITE' });
  assert.deepEqual(composite.completionOf(3, 9 * 2 ** 20), {});
});
