import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { folderWith, runInProcess } from '../helpers/command.js';
import { resultFrom } from '../helpers/result-schema.js';

test('with --local, the endpoint has all buckets of the environment', async (t) => {
  const bucketsOf = async (/** @type {string} */ S3_BUCKET) => {
    const file = path.join(await folderWith(t, {}), 'result.json');
    const { status } = await runInProcess(['20', '2', '--local', '--size', '1KiB', '--json', file], { S3_BUCKET });
    assert.equal(status, 0);
    const [{ buckets }] = resultFrom(await readFile(file, 'utf8')).stages;
    return buckets.map((/** @type {{ bucket: string }} */ { bucket }) => bucket);
  };
  assert.deepEqual(await bucketsOf('photos,videos'), ['photos', 'videos']);
  assert.deepEqual(await bucketsOf('photos'), ['local']);
  const { status, stderr } = await runInProcess(['20', '2', '--local'], { S3_BUCKET: 'photos,a/b' });
  assert.equal(status, 2);
  assert.match(stderr, /^error: S3_BUCKET: expected comma-separated bucket names of 3 to 63 /m);
});
