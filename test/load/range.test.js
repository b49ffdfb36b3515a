import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { range } from '../../lib/load/operations/range.js';
import { cases } from '../helpers/cases.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/**
 * Reads a range; the test changes the response.
 *
 * @param {{ size: number, rangeSize: number, turn?: number, index?: number, wroteObjects?: boolean }} choice
 * @param {(right: { status: number, contentRange: string, body: Buffer }) =>
 *   { status: number, contentRange: string, body: Buffer }} [change]
 */
function readRange({ size, rangeSize, ...choice }, change = (right) => right) {
  /** @type {string[]} */
  const requested = [];
  const prepared = prepareOperation(range, {
    ...choice,
    size,
    amounts: { rangeSize },
    answer: ({ sink, index, input, connection }) => {
      const header = String(input?.Range);
      requested.push(header);
      const [first, last] = header.replace('bytes=', '').split('-').map(Number);
      const right = {
        status: 206,
        contentRange: `bytes ${first}-${last}/${size}`,
        body: Buffer.from(workload.payload.view(index, first, last - first + 1)),
      };
      const { body, ...reply } = change(right);
      Object.assign(connection.reply, reply);
      sink?.accept(body.subarray(0, body.length >>> 1));
      sink?.accept(body.subarray(body.length >>> 1));
    },
  });
  const { workload, operation, localIndex } = prepared;
  return { reading: range.attempt(operation), operation, requested, localIndex };
}

test('a range is aligned, within the object, and every byte matches the written data', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.nat(),
      async (size, rangeSize, turn) => {
        const { reading, requested, operation } = readRange({ size, rangeSize, turn });
        await reading;
        const [first, last] = requested[0].replace('bytes=', '').split('-').map(Number);
        const length = Math.min(rangeSize, size);
        assert.equal(operation.size, length);
        assert.deepEqual([first % length, last - first + 1], [0, length]);
        assert.ok(last < size, `${requested[0]} of ${size} bytes`);
      },
    ),
  );
});

test('a retry requests the same bytes, and another turn usually requests others', async () => {
  const choice = { size: 64_000, rangeSize: 1000, turn: 7 };
  const { reading, operation, requested } = readRange(choice);
  await reading;
  await range.attempt(operation);
  const [first, second] = requested;
  assert.equal(second, first);
  const turns = Array.from({ length: 64 }, (_, later) => readRange({ ...choice, turn: later }));
  await Promise.all(turns.map((each) => each.reading));
  // 64 draws from 64 parts hit 40 on average, and fewer than 28 once in a million times.
  assert.ok(new Set(turns.flatMap((each) => each.requested)).size >= 28);
});

test('any wrong byte is an integrity error that names key and offset in the object', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(), async (at, flip, turn) => {
      let offset = -1;
      const { reading, requested, localIndex } = readRange({ size: 3500, rangeSize: 500, turn }, (right) => {
        offset = at % right.body.length;
        right.body[offset] ^= flip;
        return right;
      });
      await assert.rejects(reading, (error) => {
        const first = Number(/=(\d+)-/.exec(requested[0])?.[1]);
        assert.deepEqual(/** @type {Error} */ (error).name, 'IntegrityError');
        assert.equal(
          /** @type {Error} */ (error).message,
          `${localIndex}: the range at ${first} first differs at offset ${first + offset}`,
        );
        return true;
      });
    }),
    { numRuns: cases(50) },
  );
});

const ONE_PART = { size: 100, rangeSize: 100 };

test('a response other than partial content is an integrity error, even if its bytes are right', async () => {
  const { reading } = readRange(ONE_PART, (right) => ({ ...right, status: 200, contentRange: '' }));
  await assert.rejects(reading, /the range at 0 got HTTP 200, expected 206$/);
});

test('a missing, malformed or mismatched Content-Range is an integrity error that shows none of its text', async () => {
  const expected = 'expected Content-Range 0-99/100';
  for (const [contentRange, got] of [
    ['', 'no valid value'],
    ['bytes 0-99/*', 'no valid value'],
    ['bytes 0-99/100\u001b[2J', 'no valid value'],
    ['bytes 1-100/100', '1-100/100'],
    ['bytes 0-98/100', '0-98/100'],
    ['bytes 0-99/101', '0-99/101'],
  ]) {
    const { reading, localIndex } = readRange(ONE_PART, (right) => ({ ...right, contentRange }));
    await assert.rejects(reading, { name: 'IntegrityError', message: `${localIndex}: ${expected}, got ${got}` });
  }
  const ofAnother = readRange({ ...ONE_PART, wroteObjects: false }, (right) => ({
    ...right,
    contentRange: 'bytes 0-99/200',
  }));
  await assert.rejects(ofAnother.reading, /got 0-99\/200$/);
});
