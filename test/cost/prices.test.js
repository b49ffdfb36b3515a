import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_AMOUNTS } from '../../lib/operations/amounts.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { dollarsOf, dollarsSpentOn, operationsBilledAs, priceOf } from '../../lib/cost/prices.js';

/** @import { Overrides } from '../helpers/run-config.js' */

test('a million operations of each stage cost what R2’s list says', () => {
  const prices = ['write', 'read', 'stat', 'remove'].map((stage) => Number((1e6 * priceOf(stage)).toFixed(6)));
  assert.deepEqual(prices, [4.5, 0.36, 0.36, 0]);
});

test('writes are of Class A, reads and stats of Class B, and deleting is of neither', () => {
  const billed = (/** @type {string[]} */ ...stages) => {
    const config = runConfig(NO_TARGET, { objects: 1, stages });
    return [operationsBilledAs('A', config), operationsBilledAs('B', config)];
  };
  assert.deepEqual(billed('write', 'read', 'stat', 'remove'), [1, 2]);
  assert.deepEqual(billed('remove'), [0, 0]);
  assert.deepEqual(billed('stat'), [0, 1]);
  assert.deepEqual(billed('range'), [0, 1]);
});

test('a list of each bucket at the end is of Class A: it proves that what was written or removed is gone', () => {
  const { store } = runConfig(NO_TARGET);
  const billed = (/** @type {Overrides} */ overrides) =>
    operationsBilledAs(
      'A',
      runConfig(NO_TARGET, { objects: 10, store: { ...store, isEmbedded: false }, ...overrides }),
    );
  assert.equal(billed({ stages: ['write', 'remove'] }), 10 + 2);
  assert.equal(billed({ stages: ['remove'] }), 2);
  assert.equal(billed({ stages: ['write'] }), 10 + 2, 'clean-up removes what Write left');
  assert.equal(billed({ stages: ['write'], keep: true }), 10);
  assert.equal(billed({ stages: ['read', 'stat'] }), 0);
  assert.equal(billed({ stages: ['write', 'remove'], store }), 10, 'the embedded endpoint is gone after the run');
});

test('of operations on several objects, those are billed and not the objects', () => {
  const amounts = { ...DEFAULT_AMOUNTS, pageSize: 100 };
  const config = runConfig(NO_TARGET, { objects: 401, stages: ['write', 'list', 'remove'], amounts });
  // Two buckets have 201 and 200 objects: three pages and two.
  assert.equal(operationsBilledAs('A', config), 401 + 5);
  assert.ok(Math.abs(dollarsOf(config) - (406 * 4.5) / 1e6) < 1e-12);
});

test('of objects of several sizes, each is written by as many requests as it takes', () => {
  const sizes = /** @type {const} */ ({
    kind: 'weighted',
    sizes: [
      { bytes: 4096, weight: 3 },
      { bytes: 32 * 2 ** 20, weight: 1 },
    ],
  });
  const multipart = { partSize: 8 * 2 ** 20, partThreads: 4, minSize: 8 * 2 ** 20 };
  const config = runConfig(NO_TARGET, { objects: 400, stages: ['write'], size: 32 * 2 ** 20, sizes, multipart });
  // Three of four take one request, and every fourth one its four parts and two more.
  assert.equal(operationsBilledAs('A', config), 300 + 100 * 6);
});

test('attempts that were made cost what their operations do, each kind of a mixed stage by itself, and aborts nothing', () => {
  const kinds = ['write', 'read', 'remove', 'later'].map((operation) => ({
    ...{ operation, operations: 0, bytes: 0, attempts: 1_000_000, errors: {} },
    latency: /** @type {any} */ (null),
  }));
  const stages = [
    { stage: 'Write', attempts: 3_000_000, aborts: 1_000_000 },
    { stage: 'Mixed', attempts: 4_000_000, kinds },
    { stage: 'Remove', attempts: 1_000_000 },
    { stage: 'Later', attempts: 1_000_000 },
  ];
  assert.ok(Math.abs(dollarsSpentOn(stages) - (3 * 4.5 + 0.36)) < 1e-9);
});
