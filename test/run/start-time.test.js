import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStartTime } from '../../lib/run/start-time.js';

const NOW = Date.parse('2026-01-31T11:59:20.500Z');
const NOON = Date.parse('2026-01-31T12:00:00Z');

test('a moment is told as ISO time with its zone, or as epoch seconds', () => {
  for (const text of [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00Z',
    '2026-01-31T14:00:00.000+02:00',
    String(NOON / 1000),
  ]) {
    assert.equal(parseStartTime(text)(NOW), NOON, text);
  }
});

test('the last day of a month is one, that of a leap year, too', () => {
  for (const day of ['2026-01-31', '2026-02-28', '2028-02-29', '2026-12-31']) {
    assert.equal(new Date(parseStartTime(`${day}T12:00:00Z`)(NOW)).toISOString(), `${day}T12:00:00.000Z`);
  }
});

test('the next round moment is the same for all who ask before it', () => {
  const start = parseStartTime('next:60s');
  assert.equal(start(NOW), NOON);
  assert.equal(start(NOON - 1), NOON);
  assert.equal(start(NOON), NOON + 60_000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3600 }), fc.nat(2e9), (seconds, now) => {
      const startsAt = parseStartTime(`next:${seconds}s`)(now);
      assert.ok(startsAt > now && startsAt <= now + seconds * 1000 && startsAt % (seconds * 1000) === 0);
    }),
  );
});

test('a delay counts from the moment at which it is asked for', () => {
  assert.equal(parseStartTime('+30s')(NOW), NOW + 30_000);
  assert.equal(parseStartTime('+1.5m')(NOW), NOW + 90_000);
});

test('whatever else is refused with what was expected', () => {
  const refused = [
    '',
    'noon',
    '12:00',
    '2026-01-31T12:00:00',
    '2026-01-31',
    '2026-99-99T12:00Z',
    '2026-02-30T12:00:00Z',
    '2026-02-29T12:00:00Z',
    '2026-04-31T12:00:00+02:00',
    '2026-01-00T12:00:00Z',
    '+169h',
    'next:',
    'next:0s',
    '+0s',
    '+',
    '-5s',
    '60',
  ];
  for (const text of refused) {
    assert.throws(() => parseStartTime(text), RangeError, JSON.stringify(text));
  }
});
