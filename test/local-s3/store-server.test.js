import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { MAX_BODY_BYTES } from '../../lib/local-s3/receive-body.js';
import { sdkClient, startTestEndpoint, testCertificate } from '../helpers/local-s3.js';

/**
 * @import { S3Client } from '@aws-sdk/client-s3'
 * @import { Readable } from 'node:stream'
 */

const Bucket = 'bucket-a';

/** Keys that trip up careless encoding or ordering. */
const AWKWARD_KEYS = [
  'a b+c',
  'a/b//c/',
  'a&<b>"\'c',
  'percent%41',
  "!*'()",
  'naïve',
  'ﬀ-ligature',
  '😀-astral',
  'question?hash#',
  '../dots/./',
  '日本語',
  '\u0001control',
];

/**
 * @param {S3Client} client
 * @param {string} prefix
 * @param {number} pageSize
 */
async function listAll(client, prefix, pageSize) {
  const pages = [];
  for await (const page of paginateListObjectsV2({ client, pageSize }, { Bucket, Prefix: prefix })) {
    pages.push(page);
  }
  return { pages, keys: pages.flatMap((page) => (page.Contents ?? []).map(({ Key }) => String(Key))) };
}

test('with low bandwidth, a body is sent and received part by part', async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'bandwidth=1MB' });
  const client = sdkClient(t, endpoint);
  const Body = Buffer.alloc(800_000, 'x');
  const putAt = performance.now();
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body }));
  assert.ok(performance.now() - putAt >= 800);

  const getAt = performance.now();
  const { Body: answer } = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  /** @type {{ at: number, length: number }[]} */
  const chunks = [];
  for await (const chunk of /** @type {Readable} */ (answer)) {
    chunks.push({ at: performance.now() - getAt, length: chunk.length });
  }
  assert.equal(
    chunks.reduce((sum, { length }) => sum + length, 0),
    Body.length,
  );
  let received = 0;
  for (const { at, length } of chunks) {
    received += length;
    assert.ok(1000 * at >= received - 1, `${received} bytes after ${at} ms`);
  }
  assert.ok(chunks[0].at < chunks[chunks.length - 1].at - 100, 'not all of it at the end');
});

test('puts, gets, stats and deletes an object, even under an awkward key', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  for (const Key of AWKWARD_KEYS) {
    const Body = Buffer.from(`the body of ${Key}`);
    const etag = `"${createHash('md5').update(Body).digest('hex')}"`;
    const put = await client.send(new PutObjectCommand({ Bucket, Key, Body }));
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
    const get = await client.send(new GetObjectCommand({ Bucket, Key }));
    assert.deepEqual([put.ETag, head.ETag, get.ETag], [etag, etag, etag], Key);
    assert.deepEqual([head.ContentLength, get.ContentLength], [Body.length, Body.length], Key);
    assert.ok(Math.abs(Date.now() - Number(head.LastModified)) < 60_000);
    assert.equal(await get.Body?.transformToString(), Body.toString(), Key);
  }
  const byBytes = [...AWKWARD_KEYS].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  assert.deepEqual(await endpoint.list(Bucket), byBytes);
  for (const Key of AWKWARD_KEYS) {
    const answer = await client.send(new DeleteObjectCommand({ Bucket, Key }));
    assert.equal(answer.$metadata.httpStatusCode, 204);
  }
  assert.deepEqual(await endpoint.list(Bucket), []);
});

test('an empty object is an object', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  await client.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: Buffer.alloc(0) }));
  const get = await client.send(new GetObjectCommand({ Bucket, Key: 'empty' }));
  assert.equal(get.ContentLength, 0);
  assert.equal(await get.Body?.transformToString(), '');
});

test('an object of several MiB is returned byte for byte', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const Body = Buffer.alloc(5 * 2 ** 20 + 3, 'some bytes that do not repeat evenly');
  await client.send(new PutObjectCommand({ Bucket, Key: 'large', Body }));
  const get = await client.send(new GetObjectCommand({ Bucket, Key: 'large' }));
  assert.ok(Body.equals(Buffer.from(await /** @type {any} */ (get.Body).transformToByteArray())));
});

test('a second put of a key replaces the first', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'one' }));
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'another' }));
  const get = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  assert.equal(await get.Body?.transformToString(), 'another');
  assert.deepEqual((await endpoint.report()).objects, { 'bucket-a': 1, 'bucket-b': 0 });
});

test('answers a range with 206, its position and its bytes, or rejects it if it is outside', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '0123456789' }));
  const part = await client.send(new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=3-5' }));
  assert.deepEqual(
    [part.$metadata.httpStatusCode, part.ContentRange, part.ContentLength, await part.Body?.transformToString()],
    [206, 'bytes 3-5/10', 3, '345'],
  );
  const whole = await client.send(new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=0-1,3-4' }));
  assert.deepEqual([whole.$metadata.httpStatusCode, whole.ContentRange], [200, undefined]);
  assert.equal(await whole.Body?.transformToString(), '0123456789');
  await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=10-12' })), {
    name: 'InvalidRange',
  });
});

test('a missing key is NoSuchKey for GET, 404 for HEAD, and success for DELETE', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'none' })), { name: 'NoSuchKey' });
  await assert.rejects(client.send(new HeadObjectCommand({ Bucket, Key: 'none' })), { name: 'NotFound' });
  const answer = await client.send(new DeleteObjectCommand({ Bucket, Key: 'none' }));
  assert.equal(answer.$metadata.httpStatusCode, 204);
});

test('a missing bucket is NoSuchBucket for any request', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const missing = { Bucket: 'no-such-bucket', Key: 'k' };
  const expected = { name: 'NoSuchBucket', $metadata: { httpStatusCode: 404 } };
  /** @param {Promise<unknown>} answer */
  const isRefused = (answer) =>
    assert.rejects(answer, (/** @type {any} */ error) => {
      assert.deepEqual([error.name, error.$metadata.httpStatusCode], [expected.name, 404]);
      return true;
    });
  await isRefused(client.send(new PutObjectCommand({ ...missing, Body: 'x' })));
  await isRefused(client.send(new GetObjectCommand(missing)));
  await isRefused(client.send(new DeleteObjectCommand(missing)));
  await isRefused(client.send(new ListObjectsV2Command({ Bucket: missing.Bucket })));
  await assert.rejects(client.send(new HeadBucketCommand({ Bucket: missing.Bucket })), { name: 'NotFound' });
  await client.send(new HeadBucketCommand({ Bucket }));
});

test('lists pages in the byte order of the keys', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const keys = Array.from({ length: 25 }, (_, index) => `p/${index}-é`);
  await Promise.all(keys.map((key) => endpoint.put(Bucket, key, Buffer.from(key))));
  await endpoint.put(Bucket, 'other', Buffer.from('x'));
  const { pages, keys: listed } = await listAll(client, 'p/', 10);
  assert.deepEqual(
    pages.map((page) => [page.KeyCount, page.IsTruncated, page.MaxKeys]),
    [
      [10, true, 10],
      [10, true, 10],
      [5, false, 10],
    ],
  );
  assert.deepEqual(listed, [...keys].sort());
  const first = pages[0].Contents?.[0];
  assert.equal(first?.Size, Buffer.byteLength(String(first?.Key)));
  assert.match(String(first?.ETag), /^"[0-9a-f]{32}"$/);
});

test('a listing starts after start-after, and encodes keys on request', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  await Promise.all(['a', 'b', 'c d', 'é'].map((key) => endpoint.put(Bucket, key, Buffer.alloc(1))));
  const plain = await client.send(new ListObjectsV2Command({ Bucket, StartAfter: 'b' }));
  assert.deepEqual(
    plain.Contents?.map(({ Key }) => Key),
    ['c d', 'é'],
  );
  const encoded = await client.send(new ListObjectsV2Command({ Bucket, StartAfter: 'b', EncodingType: 'url' }));
  assert.deepEqual(
    encoded.Contents?.map(({ Key }) => Key),
    ['c%20d', '%C3%A9'],
  );
});

test('paging continues even if listed objects were deleted in the meantime', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const keys = Array.from({ length: 30 }, (_, index) => `k${String(index).padStart(2, '0')}`);
  await Promise.all(keys.map((key) => endpoint.put(Bucket, key, Buffer.alloc(1))));
  const seen = [];
  for await (const page of paginateListObjectsV2({ client, pageSize: 7 }, { Bucket })) {
    const Objects = (page.Contents ?? []).map(({ Key }) => ({ Key }));
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    seen.push(...Objects.map(({ Key }) => Key));
  }
  assert.deepEqual(seen, keys);
  assert.deepEqual(await endpoint.list(Bucket), []);
});

test('a wrong max-keys, continuation token or encoding type is InvalidArgument', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  for (const wrong of [{ MaxKeys: -1 }, { ContinuationToken: '*' }, { EncodingType: /** @type {any} */ ('xml') }]) {
    await assert.rejects(client.send(new ListObjectsV2Command({ Bucket, ...wrong })), { name: 'InvalidArgument' });
  }
});

test('a batch deletion returns the deleted names, except in quiet mode, and accepts 1,000 keys', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  await Promise.all(AWKWARD_KEYS.map((key) => endpoint.put(Bucket, key, Buffer.alloc(1))));
  const Objects = [...AWKWARD_KEYS, 'never-there'].map((Key) => ({ Key }));
  const answer = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  assert.deepEqual(
    answer.Deleted?.map(({ Key }) => Key),
    Objects.map(({ Key }) => Key),
  );
  assert.deepEqual(await endpoint.list(Bucket), []);

  const thousand = Array.from({ length: 1000 }, (_, index) => ({ Key: `k${index}` }));
  const quiet = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: thousand, Quiet: true } }));
  assert.equal(quiet.Deleted, undefined);
  const tooMany = { Objects: [...thousand, { Key: 'one-more' }] };
  await assert.rejects(client.send(new DeleteObjectsCommand({ Bucket, Delete: tooMany })), { name: 'MalformedXML' });
});

test('reports what is not implemented', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  await assert.rejects(client.send(new ListObjectsCommand({ Bucket })), { name: 'NotImplemented' });
  await assert.rejects(client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' })), { name: 'NotImplemented' });
});

test('a key of more than 1,024 bytes is KeyTooLongError', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  await client.send(new PutObjectCommand({ Bucket, Key: 'k'.repeat(1024), Body: Buffer.alloc(0) }));
  const tooLong = new PutObjectCommand({ Bucket, Key: `${'é'.repeat(512)}k`, Body: Buffer.alloc(0) });
  await assert.rejects(client.send(tooLong), { name: 'KeyTooLongError' });
});

test('a Content-MD5 that does not match the body is BadDigest', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const ContentMD5 = createHash('md5').update('good').digest('base64');
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'good', ContentMD5 }));
  const bad = new PutObjectCommand({ Bucket, Key: 'k', Body: 'evil', ContentMD5 });
  await assert.rejects(client.send(bad), { name: 'BadDigest' });
});

test('the endpoint supports TLS', async (t) => {
  const tls = await testCertificate();
  const endpoint = await startTestEndpoint(t, { tls });
  const client = sdkClient(t, endpoint);
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'over TLS' }));
  const get = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  assert.equal(await get.Body?.transformToString(), 'over TLS');
});

test('the report counts requests, responses, connections and objects', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const before = Math.floor(Date.now() / 1000);
  await client.send(new PutObjectCommand({ Bucket, Key: 'one', Body: '1' }));
  await client.send(new PutObjectCommand({ Bucket, Key: 'two', Body: '2' }));
  await client.send(new HeadObjectCommand({ Bucket, Key: 'one' }));
  await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'none' })));
  await client.send(new ListObjectsV2Command({ Bucket }));
  await client.send(new HeadBucketCommand({ Bucket }));
  const after = Math.floor(Date.now() / 1000);
  const report = await endpoint.report();
  assert.deepEqual(report.requests, {
    PUT: { total: 2, succeeded: 2 },
    GET: { total: 1, succeeded: 0 },
    HEAD: { total: 1, succeeded: 1 },
    DELETE: { total: 0, succeeded: 0 },
    POST: { total: 0, succeeded: 0 },
    LIST: { total: 1, succeeded: 1 },
    BUCKET: { total: 1, succeeded: 1 },
    CREATE: { total: 0, succeeded: 0 },
    PART: { total: 0, succeeded: 0 },
    COMPLETE: { total: 0, succeeded: 0 },
    ABORT: { total: 0, succeeded: 0 },
    UPLOADS: { total: 0, succeeded: 0 },
    OTHER: { total: 0, succeeded: 0 },
  });
  assert.deepEqual(report.statuses, { 200: 5, 404: 1 });
  assert.equal(report.connections, 1);
  assert.deepEqual(report.objects, { 'bucket-a': 2, 'bucket-b': 0 });
  const seconds = Object.keys(report.bySecond).map(Number);
  assert.ok(seconds.every((second) => second >= before && second <= after));
  const puts = Object.values(report.bySecond).reduce((sum, counts) => sum + (counts.PUT ?? 0), 0);
  assert.equal(puts, 2);
});

test('rejects a body without a length, or above the limit for an object', async (t) => {
  const { hostname, port } = await startTestEndpoint(t);
  /** @type {[Record<string, string>, number, string][]} */
  const cases = [
    [{ 'Transfer-Encoding': 'chunked' }, 411, 'MissingContentLength'],
    [{ 'Content-Length': String(MAX_BODY_BYTES + 1) }, 400, 'EntityTooLarge'],
  ];
  for (const [headers, status, code] of cases) {
    const request = http.request({ hostname, port, method: 'PUT', path: '/bucket-a/k', headers });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    assert.equal(response.statusCode, status);
    assert.ok((await text(response)).includes(`<Code>${code}</Code>`));
    request.destroy();
  }
});

test('a page of zero keys is empty and has no next page', async (t) => {
  const endpoint = await startTestEndpoint(t);
  await endpoint.put(Bucket, 'k', Buffer.alloc(1));
  const page = await sdkClient(t, endpoint).send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
  assert.deepEqual([page.KeyCount, page.IsTruncated, page.Contents], [0, false, undefined]);
});
