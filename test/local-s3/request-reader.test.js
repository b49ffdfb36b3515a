import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MalformedRequest, RequestReader } from '../../lib/local-s3/request-reader.js';

/** @import { RequestHead } from '../../lib/local-s3/request-reader.js' */

const PUT = 'PUT /b/k HTTP/1.1\r\nHost: h\r\ncontent-length: 13\r\n\r\nGET / HTTP/1.';
const STREAM = `${PUT}HEAD /b/k?x-id=HeadObject HTTP/1.1\r\nhost: h\r\n\r\nDELETE /b/k HTTP/1.1\r\nCONNECTION: Close\r\n\r\n`;
const REQUESTS = [
  { method: 'PUT', url: '/b/k', isLast: false },
  { method: 'HEAD', url: '/b/k?x-id=HeadObject', isLast: false },
  { method: 'DELETE', url: '/b/k', isLast: true },
];

/** @param {Iterable<string>} chunks */
function read(chunks) {
  /** @type {RequestHead[]} */
  const requests = [];
  const reader = new RequestReader((request) => requests.push(request));
  for (const chunk of chunks) {
    reader.accept(Buffer.from(chunk, 'latin1'));
  }
  return requests;
}

test('reads requests wherever two chunks meet', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    assert.deepEqual(read([STREAM.slice(0, cut), STREAM.slice(cut)]), REQUESTS, `cut at ${cut}`);
  }
});

test('reads requests byte by byte, and all at once', () => {
  assert.deepEqual(read(STREAM), REQUESTS);
  assert.deepEqual(read([STREAM]), REQUESTS);
});

test('reads requests however their bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), STREAM.length];
      const chunks = places.slice(1).map((end, index) => STREAM.slice(places[index], end));
      assert.deepEqual(read(chunks), REQUESTS);
    }),
  );
});

test('reports a request once its body is complete, and not before', () => {
  const body = 'x'.repeat(100_000);
  const head = `PUT /b/k HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`;
  assert.deepEqual(read([head, body.slice(0, -1)]), []);
  assert.equal(read([head, body.slice(0, -1), 'x']).length, 1);
  assert.equal(read(['PUT /b/k HTTP/1.1\r\nContent-Length: 0\r\n\r\n']).length, 1);
});

test('closes a connection after an HTTP/1.0 request', () => {
  assert.deepEqual(read(['GET /b HTTP/1.0\r\n\r\n']), [{ method: 'GET', url: '/b', isLast: true }]);
});

test('anything that is not a request, or has a body of unknown length, is malformed', () => {
  for (const stream of [
    '\r\n\r\n',
    'GET\r\n\r\n',
    'get /b HTTP/1.1\r\n\r\n',
    'GET b HTTP/1.1\r\n\r\n',
    'GET /b HTTP/2.0\r\n\r\n',
    'GET /b c HTTP/1.1\r\n\r\n',
    'PUT /b/k HTTP/1.1\r\ncontent-length: -1\r\n\r\n',
    'PUT /b/k HTTP/1.1\r\ncontent-length: 1e3\r\n\r\n',
    'PUT /b/k HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'x'.repeat(20_000),
    `GET /b HTTP/1.1\r\nname: ${'x'.repeat(20_000)}\r\n\r\n`,
  ]) {
    assert.throws(() => read([stream]), MalformedRequest, JSON.stringify(stream.slice(0, 60)));
  }
});

test('any bytes are either requests or malformed', () => {
  const piece = fc.constantFrom('GET ', '/b', ' HTTP/1.1', '\r\n', '\r\n\r\n', 'content-length: 3', 'abc', ':', '\0');
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
      try {
        read(pieces);
      } catch (error) {
        assert.ok(error instanceof MalformedRequest, String(error));
      }
    }),
  );
});
