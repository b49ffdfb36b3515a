import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { receiveBody } from '../../lib/local-s3/receive-body.js';

/** @import { IncomingMessage } from 'node:http' */

const PART_MS = 20;

/** @param {readonly string[]} parts @returns {IncomingMessage} whose body has arrived before anybody reads it */
function requestOf(parts) {
  const request = new Readable({ read() {} });
  parts.forEach((part) => request.push(part));
  request.push(null);
  const length = parts.join('').length;
  return Object.assign(/** @type {any} */ (request), { method: 'PUT', headers: { 'content-length': String(length) } });
}

test('a body that has arrived as a whole is received after its last part has passed', async () => {
  for (const parts of [['one'], ['one', 'two', 'three']]) {
    const beganAt = performance.now();
    const body = await receiveBody(requestOf(parts), () => PART_MS);
    assert.equal(body?.toString(), parts.join(''));
    const elapsed = performance.now() - beganAt;
    assert.ok(elapsed >= parts.length * PART_MS, `${parts.length} parts passed in ${elapsed}ms`);
  }
});

test('of a client that went away there is no body', async () => {
  const request = requestOf(['one']);
  const body = receiveBody(request, () => PART_MS);
  request.destroy();
  assert.equal(await body, null);
});
