import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request } from 'undici';
import { startNullEndpoint } from '../../bench/null-endpoint.js';

/** @import { RunningEndpoint } from '../../bench/null-endpoint.js' */

const LATENCY = 80;
const OBJECT_SIZE = 1000;

/** @param {RunningEndpoint} endpoint */
async function get({ env }) {
  const startedAt = performance.now();
  const { S3_HOSTNAME, S3_PORT, S3_BUCKET } = env;
  const { body } = await request(`http://${S3_HOSTNAME}:${S3_PORT}/${S3_BUCKET}/benchmark/test/00000000-0`);
  return { bytes: (await body.arrayBuffer()).byteLength, milliseconds: performance.now() - startedAt };
}

test('a far store answers like a near one, after its latency', async (t) => {
  const endpoint = await startNullEndpoint({ objectSize: OBJECT_SIZE, useTls: false, latency: LATENCY });
  t.after(endpoint.close);
  const answers = await Promise.all([get(endpoint), get(endpoint)]);
  for (const { bytes, milliseconds } of answers) {
    assert.equal(bytes, OBJECT_SIZE);
    assert.ok(milliseconds >= LATENCY - 1, `${milliseconds} ms`);
  }
});
