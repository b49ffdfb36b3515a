import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../../lib/load/operations/read.js';
import { IntegrityError } from '../../lib/load/operations/operation.js';
import { cases } from '../helpers/cases.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/**
 * Reads an object; the test changes the body.
 *
 * @param {number} size
 * @param {(body: Buffer) => Buffer} change
 * @param {{ wroteObjects?: boolean }} [choice]
 */
function readChanged(size, change, choice = {}) {
  const prepared = prepareOperation(read, {
    ...choice,
    size,
    answer: ({ sink, index }) => {
      const body = change(Buffer.from(workload.payload.view(index, 0, size)));
      const middle = body.length >>> 1;
      sink?.accept(body.subarray(0, middle));
      sink?.accept(body.subarray(middle));
    },
  });
  const { workload, operation, localIndex } = prepared;
  return { reading: read.attempt(operation), localIndex };
}

test('any wrong byte is an integrity error that names key and offset', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (size, at, flip) => {
        const offset = at % size;
        const { reading, localIndex } = readChanged(size, (body) => {
          body.writeUInt8(body[offset] ^ flip, offset);
          return body;
        });
        await assert.rejects(reading, (error) => {
          assert.ok(error instanceof IntegrityError);
          assert.equal(error.message, `${localIndex}: the body first differs at offset ${offset}`);
          return true;
        });
      },
    ),
    { numRuns: cases(50) },
  );
});

test('a body of the wrong length is an integrity error that names both lengths', async () => {
  const shorter = readChanged(100, (body) => body.subarray(0, 60));
  await assert.rejects(shorter.reading, /the body first differs at offset 60 \(received 60 bytes, expected 100\)$/);
  const longer = readChanged(100, (body) => Buffer.concat([body, Buffer.from('xyz')]));
  await assert.rejects(longer.reading, /the body first differs at offset 100 \(received 103 bytes, expected 100\)$/);
  const ofAnother = readChanged(100, (body) => body.subarray(0, 60), { wroteObjects: false });
  await assert.rejects(ofAnother.reading, /\(received 60 bytes, expected 100\)$/);
  const sameLength = readChanged(100, () => Buffer.alloc(100), { wroteObjects: false });
  await assert.rejects(sameLength.reading, /the body first differs at offset \d+$/);
});

test('a retry discards the bytes of an interrupted attempt', async () => {
  let attempts = 0;
  const { operation, workload } = prepareOperation(read, {
    answer: ({ sink, index }) => {
      attempts += 1;
      if (attempts === 1) {
        sink?.accept(Buffer.from('wrong'));
        throw new Error('cut short');
      }
      sink?.accept(workload.payload.view(index, 0, 16));
    },
  });
  await assert.rejects(read.attempt(operation), /cut short/);
  await read.attempt(operation);
});
