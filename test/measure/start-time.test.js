import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEXT_MARGIN_MS, parseStartTime } from '../../lib/measure/clock/start-time.js';

const NOW = Date.parse('2026-01-31T11:59:20.500Z');
const NOON = Date.parse('2026-01-31T12:00:00Z');

test('accepts an ISO time with its zone, or epoch seconds', () => {
  for (const text of [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00Z',
    '2026-01-31T14:00:00.000+02:00',
    String(NOON / 1000),
  ]) {
    assert.equal(parseStartTime(text).after(NOW), NOON, text);
  }
});

test('accepts the last day of a month, including that of a leap year', () => {
  for (const day of ['2026-01-31', '2026-02-28', '2028-02-29', '2026-12-31']) {
    assert.equal(new Date(parseStartTime(`${day}T12:00:00Z`).after(NOW)).toISOString(), `${day}T12:00:00.000Z`);
  }
});

test('the next round time leaves ten seconds, and is the same for all processes started between two of them', () => {
  const start = parseStartTime('next:60s');
  assert.equal(start.after(NOW), NOON);
  assert.equal(start.after(NOON - 60_000), NOON);
  assert.equal(start.after(NOON - NEXT_MARGIN_MS), NOON);
  assert.equal(start.after(NOON - NEXT_MARGIN_MS + 1), NOON + 60_000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3600 }), fc.nat(2e9), (seconds, launchedAt) => {
      const startsAt = parseStartTime(`next:${seconds}s`).after(launchedAt);
      const wait = startsAt - launchedAt;
      assert.ok(wait >= NEXT_MARGIN_MS && wait < NEXT_MARGIN_MS + seconds * 1000, `${wait}`);
      assert.equal(startsAt % (seconds * 1000), 0);
    }),
  );
});

test('a delay starts with the process', () => {
  assert.equal(parseStartTime('+30s').after(NOW), NOW + 30_000);
  assert.equal(parseStartTime('+1.5m').after(NOW), NOW + 90_000);
});

test('everything except a delay can be shared by several hosts', () => {
  const isCommon = (/** @type {string} */ text) => parseStartTime(text).isCommon;
  assert.deepEqual(['next:60s', '2026-01-31T12:00:00Z', '1769860800', '+30s'].map(isCommon), [true, true, true, false]);
});

test('rejects anything else with what was expected', () => {
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
