import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { classifySdkError, createSdkClient } from '../../lib/store/sdk-store.js';
import { openTestStore } from '../helpers/store.js';

/**
 * @import { RequestListener } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

const NOW = Date.parse('2026-01-31T12:00:00Z');
const CIRCUMSTANCES = { stale: false, answered: false, now: NOW };

/**
 * @param {number} status
 * @param {Record<string, string>} [headers]
 */
function answered(status, headers = {}) {
  return { $metadata: { httpStatusCode: status }, $response: { statusCode: status, headers } };
}

test('what the SDK makes up for an answer without a body is not taken for the store’s words', () => {
  for (const [status, name, message] of /** @type {const} */ ([
    [404, 'NotFound', 'UnknownError'],
    [403, 'Forbidden', 'Unknown'],
    [403, '403', 'UnknownError'],
    [503, 'Unknown', 'UnknownError'],
    [500, 'Error', 'UnknownError'],
  ])) {
    const error = classifySdkError(Object.assign(new Error(message), { name, ...answered(status) }), CIRCUMSTANCES);
    assert.deepEqual([error.code, error.message], ['', `HTTP ${status}`]);
  }
});

test('an answer that the SDK could not read still has its status', () => {
  const thrown = Object.assign(new SyntaxError('char "o" is not expected.'), {
    $response: { statusCode: 502, headers: {} },
  });
  assert.equal(classifySdkError(thrown, CIRCUMSTANCES).status, 502);
});

/**
 * A store that answers whatever comes, and a client for it.
 *
 * @param {TestContext} t
 * @param {RequestListener} answer
 * @param {() => number} [epochNow]
 */
async function openClient(t, answer, epochNow = Date.now) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = /** @type {AddressInfo} */ (server.address());
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const target = { hostname: '127.0.0.1', port, region: 'auto', credentials, tls: null };
  const { options } = await openTestStore(t, 'sdk', target);
  const client = createSdkClient({ ...options, epochNow });
  t.after(() => client.destroy());
  return { send: (/** @type {any} */ command) => client.send(command) };
}

const HEAD = new HeadObjectCommand({ Bucket: 'bucket-a', Key: 'key' });

test('requests are dated by the clock of the run, though the host’s is set in mid-run', async (t) => {
  const wall = Date.now;
  const ahead = 40 * 60_000;
  /** @type {(number | string)[]} */
  const dates = [];
  const { send } = await openClient(
    t,
    (request, response) => {
      dates.push(String(request.headers['x-amz-date']));
      response.end();
    },
    () => NOW + ahead,
  );
  for (const hours of [0, 1, -1]) {
    t.mock.method(Date, 'now', () => wall() + hours * 3_600_000);
    await send(HEAD);
  }
  assert.deepEqual(dates, Array(3).fill('20260131T124000Z'));
});

test('the SDK writes nothing to the outputs of the process', async (t) => {
  const written = t.mock.method(console, 'warn', () => {});
  const alsoWritten = t.mock.method(console, 'error', () => {});
  const { send } = await openClient(t, (_request, response) => response.writeHead(503).end());
  const Body = Readable.from([Buffer.alloc(10)], { objectMode: false });
  await assert.rejects(send(new PutObjectCommand({ Bucket: 'bucket-a', Key: 'key', Body, ContentLength: 10 })));
  assert.deepEqual([written.mock.callCount(), alsoWritten.mock.callCount()], [0, 0]);
});

test('a refusal that is not S3’s has its status and its own first words, and none of the SDK’s', async (t) => {
  for (const [body, type, words] of [
    ['<html><head><title>No &amp; never</title></head><body>x<br></body></html>', 'text/html', 'No & never'],
    ['<html><head><title>Well-formed</title></head><body>x</body></html>', 'text/html', 'Well-formed'],
    ['error code: 1010', 'text/plain', 'error code: 1010'],
    ['{"error":"Not here"}', 'application/json', 'Not here'],
    ['<Error><Code>Foo</Code', 'application/xml', 'Foo</Code'],
  ]) {
    const { send } = await openClient(t, (_request, response) =>
      response.writeHead(404, { 'Content-Type': type, 'Content-Length': body.length }).end(body),
    );
    const thrown = await send(new GetObjectCommand({ Bucket: 'bucket-a', Key: 'key' })).catch((error) => error);
    const error = classifySdkError(thrown, CIRCUMSTANCES);
    assert.deepEqual([error.message, error.code, error.kind], [`HTTP 404 ${words}`, '', 'not-found'], body);
  }
});
