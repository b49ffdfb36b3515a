import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { S3_CALLS, openStore } from '../../lib/store/object-store.js';

/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { PublicUrl } from '../../lib/result/config.js'
 *
 * @typedef {{ method: string, url: string, headers: string[] }} SeenRequest
 */

const ADDRESS = '127.0.0.1';

/**
 * @param {TestContext} t
 * @param {(request: IncomingMessage, response: ServerResponse) => void} [answer]
 * @returns {Promise<{ port: number, seen: SeenRequest[] }>}
 */
async function startSite(t, answer = ({ method }, response) => response.end(method === 'PUT' ? '' : 'body')) {
  /** @type {SeenRequest[]} */
  const seen = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    seen.push({ method, url, headers: rawHeaders });
    request.resume();
    answer(request, response);
  });
  await new Promise((resolve) => server.listen(0, ADDRESS, () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: /** @type {AddressInfo} */ (server.address()).port, seen };
}

/**
 * @param {TestContext} t
 * @param {number} apiPort
 * @param {Partial<PublicUrl> & { port: number }} publicUrl
 * @param {readonly string[]} [buckets]
 */
async function openPublic(t, apiPort, publicUrl, buckets = ['bucket-a']) {
  const now = () => performance.now();
  const agent = new KeepAliveAgent({
    ...{ hostname: ADDRESS, port: apiPort, useTls: false, now },
    addresses: new AddressBook(ADDRESS, now),
    connectTimeout: 10_000,
    hooks: { opened() {} },
  });
  const store = await openStore('public', {
    ...{ agent, hostname: ADDRESS, port: apiPort, useTls: false, buckets, keepAlive: true, threads: 1, now },
    publicUrl: { hostname: ADDRESS, useTls: false, basePath: '', bucketInPath: false, ...publicUrl },
    region: 'auto',
    credentials: new LiveCredentials({
      accessKeyId: 'the-id',
      secretAccessKey: 'the-secret',
      sessionToken: 'the-token',
    }),
    epochNow: Date.now,
  });
  t.after(async () => {
    await store.close();
    agent.close();
  });
  return store.openConnection(0);
}

const NOWHERE = { accept() {} };
const OBJECT = { bucket: 'bucket-a', key: 'benchmark/run/1', size: 4, body: null, sink: NOWHERE };

test('the public client reads without credentials, and sends everything else to the S3 API', async (t) => {
  const [api, site] = [await startSite(t), await startSite(t)];
  const connection = await openPublic(t, api.port, { port: site.port });
  await connection.send(S3_CALLS.PutObject, { ...OBJECT, body: Buffer.from('body') });
  await connection.send(S3_CALLS.GetObject, OBJECT);
  await connection.send(S3_CALLS.GetObject, { ...OBJECT, size: 2, input: { Range: 'bytes=0-1' } });
  await connection.send(S3_CALLS.HeadObject, OBJECT);
  await connection.send(S3_CALLS.DeleteObject, OBJECT);

  assert.deepEqual(
    api.seen.map(({ method, url }) => `${method} ${url}`),
    ['PUT /bucket-a/benchmark/run/1', 'DELETE /bucket-a/benchmark/run/1'],
  );
  assert.ok(api.seen.every(({ headers }) => headers.includes('authorization')));
  const usual = { host: `${ADDRESS}:${site.port}`, connection: 'keep-alive' };
  const identity = { 'accept-encoding': 'identity', 'user-agent': 'r2-benchmark' };
  assert.deepEqual(
    site.seen.map(({ method, url, headers }) => [`${method} ${url}`, pairsOf(headers)]),
    [
      ['GET /benchmark/run/1', { ...usual, ...identity }],
      ['GET /benchmark/run/1', { ...usual, range: 'bytes=0-1', ...identity }],
      ['HEAD /benchmark/run/1', { ...usual, ...identity }],
    ],
  );
});

test('the bucket is where the public URL has it: in its path', async (t) => {
  const [api, site] = [await startSite(t), await startSite(t)];
  const publicUrl = { port: site.port, basePath: '/files', bucketInPath: true };
  const connection = await openPublic(t, api.port, publicUrl, ['bucket-a', 'bucket-b']);
  await connection.send(S3_CALLS.GetObject, OBJECT);
  await connection.send(S3_CALLS.GetObject, { ...OBJECT, bucket: 'bucket-b' });
  assert.deepEqual(
    site.seen.map(({ url }) => url),
    ['/files/bucket-a/benchmark/run/1', '/files/bucket-b/benchmark/run/1'],
  );
});

test('the bucket is where the public URL has it: in its host, each with connections of its own', async (t) => {
  const [api, site] = [await startSite(t), await startSite(t)];
  const publicUrl = { port: site.port, hostname: '{bucket}' };
  const connection = await openPublic(t, api.port, publicUrl, ['localhost', ADDRESS]);
  for (const bucket of ['localhost', ADDRESS, 'localhost']) {
    await connection.send(S3_CALLS.GetObject, { ...OBJECT, bucket });
  }
  assert.deepEqual(
    site.seen.map(({ url, headers }) => [url, pairsOf(headers).host]),
    ['localhost', ADDRESS, 'localhost']
      .map((host) => [OBJECT.key, host])
      .map(([key, host]) => [`/${key}`, `${host}:${site.port}`]),
  );
});

test('a redirect is not followed, and a refusal of the public address is that of a request without credentials', async (t) => {
  const api = await startSite(t);
  let status = 301;
  const site = await startSite(t, (_, response) =>
    response.writeHead(status, { location: `http://${ADDRESS}:${api.port}/elsewhere` }).end(),
  );
  const connection = await openPublic(t, api.port, { port: site.port });
  await assert.rejects(connection.send(S3_CALLS.GetObject, OBJECT), { kind: 'redirect', status: 301 });
  status = 404;
  await assert.rejects(connection.send(S3_CALLS.GetObject, OBJECT), { kind: 'not-found', status: 404 });
  status = 429;
  await assert.rejects(connection.send(S3_CALLS.GetObject, OBJECT), { kind: 'throttled', status: 429 });
  assert.deepEqual(api.seen, []);
});

test('bytes and answers are those of the connection that carried the attempt', async (t) => {
  const [api, site] = [await startSite(t), await startSite(t)];
  const connection = await openPublic(t, api.port, { port: site.port });
  connection.startedAt = 5;
  await connection.send(S3_CALLS.PutObject, { ...OBJECT, body: Buffer.from('body') });
  assert.deepEqual([connection.moved, connection.movedBefore, connection.answeredAt], [4, 0, 0]);
  await connection.send(S3_CALLS.GetObject, OBJECT);
  assert.deepEqual([connection.moved, connection.movedBefore, connection.startedAt], [8, 4, 5]);
  assert.ok(connection.answeredAt > 0);
  assert.equal(connection.reply.contentLength, 4);
});

/** @param {readonly string[]} headers name, value, name, value, … */
function pairsOf(headers) {
  return Object.fromEntries(headers.flatMap((name, place) => (place % 2 === 0 ? [[name, headers[place + 1]]] : [])));
}
