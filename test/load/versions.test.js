import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IntegrityError } from '../../lib/load/operations/operation.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { AttemptError, NOT_FOUND } from '../../lib/store/s3-error.js';
import { MixedObjects, mixedMemory } from '../../lib/load/workload/mixed-objects.js';
import { fakeEngine } from '../helpers/fake-store.js';

const OBJECT = 3;
const SIZE = 20;

/** ETags of the versions. */
const DIGESTS = [50, 51, 52, 53];

/**
 * A history of an object: `w` and `r` are a write and a removal that were answered; `w?` and `r?` are still in flight, or
 * failed.
 *
 * @typedef {'w' | 'w?' | 'r' | 'r?'} Change
 *
 * @typedef {number | 'none' | 'torn'} Response version that the store returns
 */

/**
 * @param {readonly Change[]} before changes before the read is sent
 * @param {Response} response
 * @param {object} [options]
 * @param {string} [options.name]
 * @param {readonly Change[]} [options.during] changes before its response begins
 * @param {boolean} [options.isCopy] whether a cache responds
 * @param {number} [options.size]
 */
async function readAfter(before, response, { name = 'read', during = [], isCopy, size = SIZE } = {}) {
  const mixed = new MixedObjects(mixedMemory(OBJECT + 1, { copies: false, timeout: 1000 }));
  const { workload, connections } = fakeEngine({
    threads: 1,
    answer({ connection, sink, input }) {
      during.forEach(change);
      Object.assign(/** @type {any} */ (connection).reply, { isCopy, status: 206 });
      if (response === 'none') {
        throw new AttemptError({ kind: NOT_FOUND, handling: 'fail', message: 'HTTP 404' });
      }
      const version = response === 'torn' ? 0 : response;
      const body = Buffer.from(/** @type {Buffer} */ (workload.payload.bodyOf(OBJECT, size, version)));
      body[size - 1] ^= Number(response === 'torn');
      const [first, last] = /\d+-\d+/
        .exec(String(input?.Range ?? ''))?.[0]
        .split('-')
        .map(Number) ?? [0, size];
      const contentRange = `bytes ${first}-${last}/${size}`;
      const { reply } = /** @type {any} */ (connection);
      Object.assign(reply, { contentRange, contentLength: size, etagDigest: DIGESTS[version] });
      sink?.accept(body.subarray(first, last + 1));
    },
  });
  /** @param {Change} step */
  function change(step) {
    const state = mixed.begin(OBJECT, step.startsWith('r'));
    if (!step.endsWith('?')) {
      workload.ledger.add(OBJECT, DIGESTS[state === 3 ? 0 : (state - 3) / 2] ?? 1);
      mixed.answer(OBJECT, state);
    }
  }
  before.forEach(change);
  const given = { ...workload, mixed, sizeOf: () => size, amounts: { ...workload.amounts, rangeSize: size / 2 } };
  const operation = operationNamed(name);
  const record = new OperationRecord(operation, given, connections[0]);
  record.take(0, operation, OBJECT, 1);
  try {
    await record.attempt();
  } catch (error) {
    assert.ok(error instanceof IntegrityError, String(error));
    return error.versionError;
  }
  return record.isStale ? 'stale by cache' : 'allowed';
}

/** @type {readonly [what: string, Parameters<typeof readAfter>, verdict: string | null][]} */
const READS = [
  ['the last version answered', [['w', 'w'], 1], 'allowed'],
  ['a version before it', [['w', 'w'], 0], 'stale'],
  ['the last version begun', [['w', 'w?'], 1], 'allowed'],
  ['the version before one that is in flight or failed', [['w', 'w?'], 0], 'allowed'],
  ['a version begun after the request was sent', [['w'], 1, { during: ['w?'] }], 'allowed'],
  ['a version replaced after the request was sent', [['w'], 0, { during: ['w'] }], 'allowed'],
  ['a version not begun yet', [['w'], 1], 'torn'],
  ['a version followed by wrong bytes', [['w'], 'torn'], 'torn'],
  ['no object although none removed it', [['w', 'w'], 'none'], 'stale'],
  ['no object after a removal', [['w', 'r'], 'none'], 'allowed'],
  ['no object during a removal', [['w', 'r?'], 'none'], 'allowed'],
  ['no object, which was removed and written in the meantime', [['w'], 'none', { during: ['r', 'w'] }], 'allowed'],
  ['no object while its first write has an unknown outcome', [['w?'], 'none'], 'allowed'],
  ['no object during an overwrite', [['w', 'w?'], 'none'], 'stale'],
  ['a removed object', [['w', 'r'], 0], 'stale'],
  ['an object of a removal in flight', [['w', 'r?'], 0], 'allowed'],
  ['an old version from a cache', [['w', 'w'], 0, { isCopy: true }], 'stale by cache'],
  ['a removed object from a cache', [['w', 'r'], 0, { isCopy: true }], 'stale by cache'],
  ['an earlier absence from a cache', [['w', 'r', 'w'], 'none', { isCopy: true }], 'stale by cache'],
  ['the absence of an object that was never changed, from a cache', [['w'], 'none', { isCopy: true }], 'stale'],
  ['wrong bytes from a cache', [['w'], 'torn', { isCopy: true }], 'torn'],
  ['two bytes of the last version', [['w', 'w'], 1, { size: 2 }], 'allowed'],
  ['two bytes of an earlier version', [['w', 'w'], 0, { size: 2 }], 'stale'],
];

describe('a read that returns', () => {
  for (const [what, parameters, verdict] of READS) {
    test(`${what} is ${verdict}`, async () => {
      assert.equal(await readAfter(...parameters), verdict);
    });
  }
});

test('a range and a stat are judged like a read', async () => {
  for (const name of ['range', 'stat']) {
    assert.equal(await readAfter(['w', 'w'], 1, { name }), 'allowed');
    assert.equal(await readAfter(['w', 'w'], 'none', { name }), 'stale');
    assert.equal(await readAfter(['w', 'r'], 'none', { name }), 'allowed');
    assert.equal(await readAfter(['w', 'w'], 0, { name, isCopy: true }), 'stale by cache');
  }
  assert.equal(await readAfter(['w', 'w'], 0, { name: 'range' }), 'stale');
  assert.equal(await readAfter(['w', 'r'], 0, { name: 'stat' }), 'stale', 'the object was removed');
});

test('a stat compares the ETag only if a single version may be read', async () => {
  assert.equal(await readAfter(['w', 'w'], 0, { name: 'stat' }), 'foreign');
  assert.equal(await readAfter(['w', 'w?'], 1, { name: 'stat' }), 'allowed');
  assert.equal(await readAfter(['w'], 0, { name: 'stat', during: ['w'] }), 'allowed');
});
