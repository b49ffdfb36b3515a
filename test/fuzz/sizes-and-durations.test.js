import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectSize, stageDuration, timeout, wholeNumber } from '../../lib/options/values.js';
import { parseDuration, parseSize, parseTimeOfDay } from '../../lib/text/units.js';
import { parseStartTime } from '../../lib/measure/clock/start-time.js';
import { cases } from '../helpers/cases.js';

const PIECES = [
  '0',
  '1',
  '007',
  '9'.repeat(20),
  '.',
  ',',
  '-',
  '+',
  'e9',
  'KiB',
  'kib',
  'MB',
  's',
  'ms',
  'h',
  ' ',
  '\n',
];

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join('')),
);

/** @type {Record<string, { read: (given: string) => number, least: number, most: number }>} */
const READERS = {
  'a size': { read: parseSize, least: 0, most: Number.MAX_SAFE_INTEGER },
  'the size of an object': { read: objectSize, least: 0, most: 5 * 1024 ** 4 },
  'a duration': { read: parseDuration, least: 0, most: Number.MAX_SAFE_INTEGER },
  'a timeout': { read: timeout, least: 1, most: 3_600_000 },
  'the duration of a stage': { read: stageDuration, least: 1000, most: 7 * 24 * 3_600_000 },
  'a count': { read: wholeNumber(1, 1e9), least: 1, most: 1e9 },
  'a time of day': { read: parseTimeOfDay, least: 0, most: 86_399 },
};

for (const [what, { read, least, most }] of Object.entries(READERS)) {
  test(`${what} is a whole number in its range, or refused in one line`, () => {
    fc.assert(
      fc.property(text, (given) => {
        const value = readOrRefuse(() => read(given));
        assert.ok(value === null || (Number.isSafeInteger(value) && value >= least && value <= most), `${value}`);
      }),
      { numRuns: cases(2000) },
    );
  });
}

test('a start time is valid, or refused in one line', () => {
  const pieces = ['next:', '+', '2026-', '01-31', 'T', '25:00', 'Z', '60s', '0s', '1769900000', '.5', '-1', ' '];
  const moment = fc.oneof(
    text,
    fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(moment, fc.nat(4e12), (given, now) => {
      const startTime = readOrRefuse(() => parseStartTime(given));
      assert.ok(startTime === null || Number.isFinite(startTime.after(now)), given);
    }),
    { numRuns: cases(2000) },
  );
});

test('a megabyte of text is refused quickly', () => {
  for (const given of ['9'.repeat(2 ** 20), `1${'.0'.repeat(2 ** 19)}s`, ' '.repeat(2 ** 20)]) {
    for (const { read } of Object.values(READERS)) {
      assert.throws(() => read(given), RangeError);
    }
  }
});

/**
 * @template Value
 * @param {() => Value} read
 * @returns {Value | null} null if it refuses
 */
function readOrRefuse(read) {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof RangeError, String(error));
    assert.match(error.message, /^expected [^\n]*$/);
    return null;
  }
}
