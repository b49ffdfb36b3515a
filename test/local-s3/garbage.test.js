import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { cases } from '../helpers/cases.js';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

const PIECES = [
  'GET /bucket-a/k HTTP/1.1\r\n',
  'PUT /bucket-a/k HTTP/1.1\r\n',
  'POST /bucket-a?delete HTTP/1.1\r\n',
  'GET /bucket-a?list-type=2&max-keys=%zz HTTP/1.1\r\n',
  'GET /%ff/%zz HTTP/1.1\r\n',
  'GET http://h/ HTTP/1.1\r\n',
  'OPTIONS * HTTP/1.1\r\n',
  'Host: h\r\n',
  'Content-Length: 7\r\n',
  'Content-Length: 99999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Authorization: AWS4-HMAC-SHA256 Credential=test-access-key/20260101/auto/s3/aws4_request, SignedHeaders=host;__proto__, Signature=',
  `${'0'.repeat(64)}\r\n`,
  'x-amz-date: 99999999T999999Z\r\n',
  'x-amz-content-sha256: UNSIGNED-PAYLOAD\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: websocket\r\nConnection: upgrade\r\n',
  '\r\n',
  '0\r\n\r\n',
];
const GARBAGE = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES).map((piece) => Buffer.from(piece)),
      fc.uint8Array().map(Buffer.from),
    ),
  )
  .map((parts) => Buffer.concat(parts));

/**
 * @param {{ hostname: string, port: number }} endpoint
 * @param {Buffer} bytes
 * @returns {Promise<Buffer>} everything that came back before the server closed the half-closed connection
 */
function exchange({ hostname, port }, bytes) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const received = [];
    const socket = net.connect(port, hostname);
    socket.on('data', (chunk) => received.push(chunk));
    // The server may also reset the connection.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(received)));
    socket.end(bytes);
  });
}

test('responds to garbage with an error or a closed connection, and the endpoint survives', async (t) => {
  const endpoint = await startTestEndpoint(t);
  await fc.assert(
    fc.asyncProperty(GARBAGE, async (bytes) => {
      const answer = (await exchange(endpoint, bytes)).toString('latin1');
      assert.ok(answer === '' || answer.startsWith('HTTP/1.1 '), answer);
      assert.doesNotMatch(answer, /^HTTP\/1\.1 (2|500)/);
    }),
    { numRuns: cases(300) },
  );
  const client = sdkClient(t, endpoint);
  await client.send(new HeadBucketCommand({ Bucket: 'bucket-a' }));
});
