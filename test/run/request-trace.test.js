import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../lib/index.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

const STAGES = ['write', 'read', 'stat', 'list', 'copy', 'batch-remove'];

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  test(`one request of each operation is shown as the ${client} client sent it, without secrets`, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { hostname, port, credentials, buckets } = endpoint;
    /** @type {string[]} */
    const notices = [];
    const store = { endpoint: `http://${hostname}:${port}`, bucket: buckets, credentials };
    const load = { objects: 20, threads: 2, size: 2000, stages: STAGES.join(',') };
    const on = { notice: (/** @type {string} */ line) => notices.push(line) };
    await run({ store, ...load, client, verboseRequest: true }, { on });
    const titles = notices.filter((line) => line.startsWith('One request of '));
    assert.deepEqual(
      titles,
      STAGES.map((stage) => `One request of ${stage}:`),
    );
    const text = notices.join('\n');
    assert.match(
      text,
      /^One request of write:\n> PUT \/bucket-\S+ HTTP\/1\.1\n> (?:.+\n)+>\n> \[1024 bytes\]\n< HTTP\/1\.1 200 OK$/m,
    );
    assert.match(text, /^> authorization: AWS4-HMAC-SHA256 Credential=\[removed\]\/.*Signature=\[removed\]$/m);
    assert.match(text, /^< <ListBucketResult/m);
    assert.doesNotMatch(text, /Signature=[0-9a-f]|test-access-key|test-secret-key/);
  });
}
