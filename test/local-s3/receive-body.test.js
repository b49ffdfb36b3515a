import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { receiveBody } from '../../lib/local-s3/receive-body.js';

/** @import { IncomingMessage } from 'node:http' */

const PART_MS = 20;

/** @param {readonly string[]} parts @returns {IncomingMessage} whose body arrived before it is read */
function requestOf(parts) {
  const request = new Readable({ read() {} });
  parts.forEach((part) => request.push(part));
  request.push(null);
  const length = parts.join('').length;
  return Object.assign(/** @type {any} */ (request), { method: 'PUT', headers: { 'content-length': String(length) } });
}

test('receives a body that arrived completely after its last part has passed', async () => {
  for (const parts of [['one'], ['one', 'two', 'three']]) {
    const beganAt = performance.now();
    const body = await receiveBody(requestOf(parts), () => PART_MS);
    assert.equal(body?.toString(), parts.join(''));
    const elapsed = performance.now() - beganAt;
    assert.ok(elapsed >= parts.length * PART_MS, `${parts.length} parts passed in ${elapsed}ms`);
  }
});

test('returns no body if the client went away', async () => {
  const request = requestOf(['one']);
  const body = receiveBody(request, () => PART_MS);
  request.destroy();
  assert.equal(await body, null);
});
