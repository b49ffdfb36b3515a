import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchMoney } from '../../lib/run/search-money.js';

const NO_REQUESTS = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };

test('without a limit every stage may do what it wants', () => {
  const money = new SearchMoney(Infinity, { ...NO_REQUESTS, probe: 80 });
  assert.equal(money.isLimited, false);
  assert.equal(money.attemptsFor(['write', 'read']), Infinity);
});

test('stages that cost something share what there is, and pass on what they leave', () => {
  const money = new SearchMoney(3, NO_REQUESTS);
  assert.equal(money.isLimited, true);
  assert.equal(Math.round(money.attemptsFor(['write', 'read', 'stat', 'remove'])), Math.round(1 / 4.5e-6));
  money.spend('write', 100_000);
  assert.equal(Math.round(money.attemptsFor(['read', 'stat', 'remove'])), Math.round((3 - 0.45) / 2 / 0.36e-6));
  assert.equal(money.attemptsFor(['remove']), Infinity);
});

test('what was asked before the stages is paid first', () => {
  const money = new SearchMoney(1, { preflight: 4, clock: 16, probe: 80, cleanup: 7 });
  assert.equal(Math.round(money.attemptsFor(['write'])), Math.round(1 / 4.5e-6 - 100));
});

test('money that is gone buys nothing', () => {
  const money = new SearchMoney(0.001, NO_REQUESTS);
  money.spend('write', 1000);
  assert.equal(money.attemptsFor(['read']), 0);
});
