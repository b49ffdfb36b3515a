import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_AMOUNTS } from '../../lib/load/operations/registry.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { dollarsOf, dollarsSpentOn, priceOf, requestsOfRun } from '../../lib/run/prices.js';

/** @import { Overrides } from '../helpers/run-config.js' */

test('a million operations of each stage cost R2’s list price', () => {
  const prices = ['write', 'read', 'stat', 'remove'].map((stage) => Number((1e6 * priceOf(stage)).toFixed(6)));
  assert.deepEqual(prices, [4.5, 0.36, 0.36, 0]);
});

test('writes are Class A, reads and stats are Class B, and deletions are free', () => {
  const billed = (/** @type {string[]} */ ...stages) => {
    const config = runConfig(NO_TARGET, { objects: 1, stages });
    const { A, B } = requestsOfRun(config);
    return [A, B];
  };
  assert.deepEqual(billed('write', 'read', 'stat', 'remove'), [1, 2]);
  assert.deepEqual(billed('remove'), [0, 0]);
  assert.deepEqual(billed('stat'), [0, 1]);
  assert.deepEqual(billed('range'), [0, 1]);
});

test('the lists that prove what is there, and that nothing is left, are Class A', () => {
  const { store } = runConfig(NO_TARGET);
  const billed = (/** @type {Overrides} */ overrides) =>
    requestsOfRun(runConfig(NO_TARGET, { objects: 10, store: { ...store, isEmbedded: false }, ...overrides })).A;
  assert.equal(
    billed({ stages: ['write', 'remove'] }),
    10 + 2 + 2,
    'unread objects are listed before they are removed',
  );
  assert.equal(billed({ stages: ['write', 'read', 'remove'] }), 10 + 2);
  assert.equal(billed({ stages: ['write', 'copy'] }), 20 + 2 + 2);
  assert.equal(billed({ stages: ['remove'] }), 2);
  assert.equal(billed({ stages: ['write'] }), 10 + 2 + 2, 'clean-up finds what Write left');
  assert.equal(billed({ stages: ['write'], keep: true }), 10 + 2 + 2);
  const shard = { index: 0, count: 500 };
  assert.equal(billed({ stages: ['write'], shard }), 10 + 2 + 2 * (3 + 16), 'each shard walks through the keys of all');
  assert.equal(billed({ stages: ['read', 'stat'] }), 0);
  assert.equal(billed({ stages: ['write', 'remove'], store }), 10, 'the embedded endpoint is gone after the run');
});

test('operations on several objects are billed per operation, not per object', () => {
  const amounts = { ...DEFAULT_AMOUNTS, pageSize: 100 };
  const config = runConfig(NO_TARGET, { objects: 401, stages: ['write', 'list', 'remove'], amounts });
  // The two buckets have 201 and 200 objects, and so three pages and two.
  assert.equal(requestsOfRun(config).A, 401 + 5);
  assert.ok(Math.abs(dollarsOf(config) - (406 * 4.5) / 1e6) < 1e-12);
});

test('of a race, each write is Class A, and each read Class B', () => {
  const amounts = { ...DEFAULT_AMOUNTS, contenders: 4 };
  const config = runConfig(NO_TARGET, { objects: 100, stages: ['create', 'swap'], amounts });
  assert.deepEqual(requestsOfRun(config), { A: 2 * 400, B: 100 + 2 * 100, free: 0 });
  assert.ok(Math.abs(dollarsOf(config) - (800 * 4.5 + 300 * 0.36) / 1e6) < 1e-12);
  const contenders = [{ operations: 100 }, { operations: 300 }];
  const spent = dollarsSpentOn([/** @type {any} */ ({ stage: 'Swap', attempts: 600, aborts: 0, contenders })]);
  assert.ok(Math.abs(spent - (400 * 4.5 + 200 * 0.36) / 1e6) < 1e-12);
});

test('objects of several sizes take different numbers of write requests', () => {
  const sizes = /** @type {const} */ ({
    kind: 'weighted',
    sizes: [
      { bytes: 4096, weight: 3 },
      { bytes: 32 * 2 ** 20, weight: 1 },
    ],
  });
  const multipart = { partSize: 8 * 2 ** 20, partThreads: 4, minSize: 8 * 2 ** 20 };
  const config = runConfig(NO_TARGET, { objects: 400, stages: ['write'], size: 32 * 2 ** 20, sizes, multipart });
  // Three of four objects take one request; every fourth one takes its four parts and two more.
  assert.equal(requestsOfRun(config).A, 300 + 100 * 6);
});

test('attempts cost as much as their operations, separately for each kind of a mixed stage, and aborts are free', () => {
  const kinds = ['write', 'read', 'remove', 'later'].map((operation) => ({
    ...{ operation, operations: 0, bytes: 0, attempts: 1_000_000, errors: {} },
    latency: /** @type {any} */ (null),
  }));
  const stages = [
    { stage: 'Write', attempts: 3_000_000, aborts: 1_000_000 },
    { stage: 'Mixed', attempts: 4_000_000, kinds },
    { stage: 'Remove', attempts: 1_000_000 },
    { stage: 'Later', attempts: 1_000_000 },
  ].map((stage) => ({ operations: 0, ...stage }));
  assert.ok(Math.abs(dollarsSpentOn(stages) - (3 * 4.5 + 0.36)) < 1e-9);
});

test('a search costs what all its steps cost', () => {
  const search = /** @type {any} */ ({ steps: [{ operations: 700_000 }, { operations: 1_000_000 }] });
  const spent = dollarsSpentOn([{ stage: 'Write', operations: 1_000_000, attempts: 1_200_000, search }]);
  assert.ok(Math.abs(spent - 1.2 * 1.7 * 4.5) < 1e-9);
});
