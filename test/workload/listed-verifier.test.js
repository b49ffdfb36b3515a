import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { BucketListing, ListedObjects } from '../../lib/workload/listed-objects.js';
import { ListedVerifier } from '../../lib/workload/listed-verifier.js';

const BODY = Buffer.from('the bytes of an object');

/** Three objects: with the MD5 of the body, with a different one, and without. */
function verifier() {
  const listing = new BucketListing();
  const md5s = [createHash('md5').update(BODY).digest(), createHash('md5').update('other').digest(), null];
  md5s.forEach((md5, place) => listing.add({ key: Buffer.from(`${place}`), size: BODY.length, etagDigest: 1, md5 }));
  return new ListedVerifier(
    ListedObjects.of({ prefix: '', buckets: ['one'], shards: 1, limit: 9, listings: [listing] }),
  );
}

test('a body in any pieces matches its MD5, but not another one, and without an MD5 the result is unknown', () => {
  const verify = verifier();
  for (const [index, expected] of [true, false, null].entries()) {
    for (const cut of [0, 1, 10, BODY.length]) {
      verify.begin(index);
      verify.accept(BODY.subarray(0, cut));
      verify.accept(BODY.subarray(cut));
      assert.deepEqual([verify.received, verify.matches()], [BODY.length, expected], `${index} at ${cut}`);
    }
  }
});

test('only the length of a part is known', () => {
  const verify = verifier();
  verify.begin(0);
  verify.accept(BODY);
  verify.beginPart();
  verify.accept(BODY.subarray(3));
  assert.deepEqual([verify.received, verify.matches()], [BODY.length - 3, null]);
});
