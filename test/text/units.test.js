import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatDuration,
  formatMegabytes,
  formatSize,
  formatTimeOfDay,
  parseDuration,
  parseSize,
  parseTimeOfDay,
} from '../../lib/text/units.js';

test('a size is a whole number of bytes, in decimal or binary units', () => {
  for (const [text, bytes] of Object.entries({
    ...{ 0: 0, 1000: 1000, '7b': 7, '1000B': 1000, '5kB': 5000, '5kb': 5000, '1.005kB': 1005, '1.5MB': 1_500_000 },
    ...{ '1GB': 1e9, '2TB': 2e12, '0.5KiB': 512, '16KiB': 16_384, '16kib': 16_384, '1MiB': 2 ** 20, '2GiB': 2 ** 31 },
    ...{ '1TiB': 2 ** 40 },
  })) {
    assert.equal(parseSize(text), bytes, text);
  }
  for (const text of [
    ...['', 'B', '-1', '+1', '1e3', '1.5', '1.B', '.5kB', '0.0001kB', '1 KiB', ' 1', '1K', '1KB', '1M', '1mIb', '1PiB'],
    ...['1s', '١', '1\n', '9007199254740992', '9999999GiB', '1'.repeat(100_000)],
  ]) {
    assert.throws(() => parseSize(text), RangeError, text.slice(0, 20));
  }
  assert.throws(() => parseSize('16XB'), {
    name: 'RangeError',
    message: 'expected a size in whole bytes, such as 16KiB, 1.5MB or 1000, got "16XB"',
  });
});

test('every formatted size is parsed back exactly, and has the largest binary unit that divides it', () => {
  const bytes = fc.oneof(
    fc.maxSafeNat(),
    fc.tuple(fc.nat(4095), fc.constantFrom(1024, 1024 ** 2, 1024 ** 3)).map(([count, unit]) => count * unit),
  );
  fc.assert(fc.property(bytes, (size) => assert.equal(parseSize(formatSize(size)), size)));
  const formatted = [0, 1000, 1024, 1536, 16_384, 1_048_576, 1_048_576 * 1536, 1024 ** 4].map(formatSize);
  assert.deepEqual(formatted, ['0B', '1000B', '1KiB', '1536B', '16KiB', '1MiB', '1536MiB', '1024GiB']);
  assert.deepEqual([formatMegabytes(10_000 * 16_384), formatMegabytes(0)], ['156.3', '0.0']);
});

test('a duration is in seconds unless it has a unit', () => {
  for (const [text, milliseconds] of Object.entries({
    ...{ 10: 10_000, '10s': 10_000, '500ms': 500, '1.5m': 90_000, '2h': 7_200_000, 0.001: 1 },
  })) {
    assert.equal(parseDuration(text), milliseconds, text);
  }
});

test('what is no duration is refused', () => {
  for (const text of ['10 s', '10S', '1min', '1m30s', 's', '-1s', '0.5ms', '1d', '1e3', '10KiB', 'Infinity']) {
    assert.throws(() => parseDuration(text), {
      name: 'RangeError',
      message: new RegExp(`500ms, 10s, .*, got "${text}"$`),
    });
  }
  assert.throws(() => parseDuration(''), { name: 'RangeError', message: /got nothing$/ });
});

test('formats a duration in its two largest units, rounded down', () => {
  for (const [milliseconds, text] of /** @type {const} */ ([
    [-5000, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m 0s'],
    [3_600_000 + 5000, '1h 0m'],
    [90_061_000, '1d 1h'],
    [400 * 86_400_000, '400d 0h'],
  ])) {
    assert.equal(formatDuration(milliseconds), text);
  }
});

test('a time of day is in UTC, in any year, and is read back', () => {
  assert.equal(formatTimeOfDay(Date.UTC(12026, 11, 31, 23, 59, 59) / 1000), '23:59:59');
  const second = fc.nat(4_000_000_000);
  fc.assert(fc.property(second, (epoch) => assert.equal(parseTimeOfDay(formatTimeOfDay(epoch)), epoch % 86_400)));
  for (const text of ['24:00:00', '23:60:00', '23:59:60', '1:00:00', '01:00', '01:00:00\n']) {
    assert.throws(() => parseTimeOfDay(text), RangeError, text);
  }
});
