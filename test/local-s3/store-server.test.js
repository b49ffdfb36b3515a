import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
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
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

// What the tests of the clients (test/s3/store-suite.js) would miss, by the AWS SDK.

const Bucket = 'bucket-a';

test('lists pages in the byte order of the keys, which go on even if listed objects are deleted in the meantime', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const keys = Array.from({ length: 25 }, (_, index) => `p/${index}-é\u0001&<`);
  await Promise.all([...keys, 'other'].map((key) => endpoint.put(Bucket, key, Buffer.from(key))));
  const untouched = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 10 }, { Bucket, Prefix: 'p/' })) {
    untouched.push(...Contents.map(({ Key }) => Key));
  }
  assert.deepEqual(untouched, keys.toSorted());
  const seen = [];
  const sizes = [];
  for await (const page of paginateListObjectsV2({ client, pageSize: 10 }, { Bucket, Prefix: 'p/' })) {
    const listed = page.Contents ?? [];
    assert.ok(
      listed.every(({ Key = '', Size, ETag = '' }) => Size === Buffer.byteLength(Key) && /^"\w{32}"$/.test(ETag)),
    );
    sizes.push([page.KeyCount, page.IsTruncated]);
    seen.push(...listed.map(({ Key }) => Key));
    const Objects = listed.map(({ Key }) => ({ Key }));
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    assert.equal(Deleted, undefined);
  }
  assert.deepEqual(sizes, [
    [10, true],
    [10, true],
    [5, false],
  ]);
  assert.deepEqual(seen, keys.toSorted());
  assert.deepEqual(await endpoint.list(Bucket), ['other']);
});

test('answers a range with 206, its position and its bytes, and ignores invalid and multiple ones', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  await endpoint.put(Bucket, 'k', Buffer.from('0123456789'));
  for (const [Range, part, position] of [
    ['bytes=0-0', '0', '0-0'],
    ['bytes=3-900', '3456789', '3-9'],
    ['bytes=3-', '3456789', '3-9'],
    ['bytes=-4', '6789', '6-9'],
    ['bytes=-40', '0123456789', '0-9'],
    ['bytes=-', '0123456789', null],
    ['bytes=5-3', '0123456789', null],
    ['bytes=0-1,3-4', '0123456789', null],
  ]) {
    const { Body, ContentRange } = await client.send(new GetObjectCommand({ Bucket, Key: 'k', Range: String(Range) }));
    assert.equal(await Body?.transformToString(), part);
    assert.equal(ContentRange, position === null ? undefined : `bytes ${position}/10`);
  }
});

test('refuses what S3 refuses, by its name', async (t) => {
  const endpoint = await startTestEndpoint(t);
  await endpoint.put(Bucket, 'k', Buffer.from('0123456789'));
  const client = sdkClient(t, endpoint);
  const put = (/** @type {object} */ input) => new PutObjectCommand({ Bucket, Key: 'k', Body: 'evil', ...input });
  const list = (/** @type {object} */ input) => new ListObjectsV2Command({ Bucket, ...input });
  const upload = (/** @type {object} */ input) => new CreateMultipartUploadCommand({ Bucket, Key: 'k', ...input });
  const deletion = (/** @type {number} */ keys) =>
    new DeleteObjectsCommand({
      Bucket,
      Delete: { Objects: Array.from({ length: keys }, (_, key) => ({ Key: `${key}` })) },
    });
  const ContentMD5 = createHash('md5').update('good').digest('base64');
  await client.send(put({ Key: 'k'.repeat(1024), Body: 'good', ContentMD5 }));
  await client.send(put({ Body: '123456789', ChecksumCRC32C: Buffer.from('e3069283', 'hex').toString('base64') }));
  await client.send(deletion(1000));
  for (const [command, name] of /** @type {[any, string][]} */ ([
    [put({ ContentMD5 }), 'BadDigest'],
    [put({ ChecksumCRC32C: 'AAAAAA==' }), 'BadDigest'],
    [put({ ChecksumCRC64NVME: 'AAAAAAAAAAA=' }), 'BadDigest'],
    [put({ ChecksumCRC32C: 'x' }), 'InvalidRequest'],
    [put({ Key: `${'é'.repeat(512)}k` }), 'KeyTooLongError'],
    [new CopyObjectCommand({ Bucket, Key: 'k', CopySource: 'no-key' }), 'InvalidArgument'],
    [new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=10-12' }), 'InvalidRange'],
    [new HeadBucketCommand({ Bucket: 'no-such-bucket' }), 'NotFound'],
    [new ListObjectsCommand({ Bucket }), 'NotImplemented'],
    [list({ Bucket: 'no-such-bucket' }), 'NoSuchBucket'],
    [list({ Delimiter: '/' }), 'NotImplemented'],
    [list({ MaxKeys: -1 }), 'InvalidArgument'],
    [list({ ContinuationToken: '*' }), 'InvalidArgument'],
    [list({ EncodingType: 'xml' }), 'InvalidArgument'],
    [deletion(1001), 'MalformedXML'],
    [deletion(0), 'MalformedXML'],
    [upload({ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }), 'InvalidRequest'],
    [upload({ ChecksumAlgorithm: 'CRC32C', ChecksumType: 'FULL_OBJECT' }), 'InvalidRequest'],
    [upload({ ChecksumAlgorithm: 'MD6' }), 'InvalidRequest'],
  ])) {
    await assert.rejects(client.send(command), { name }, JSON.stringify(command.input).slice(0, 100));
  }
});

test('rejects a body without a length, or above the limit for an object', async (t) => {
  const { hostname, port } = await startTestEndpoint(t);
  for (const [headers, status, code] of /** @type {[Record<string, string>, number, string][]} */ ([
    [{ 'Transfer-Encoding': 'chunked' }, 411, 'MissingContentLength'],
    [{ 'Content-Length': String(MAX_BODY_BYTES + 1) }, 400, 'EntityTooLarge'],
  ])) {
    const request = http.request({ hostname, port, method: 'PUT', path: '/bucket-a/k', headers });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    assert.equal(response.statusCode, status);
    assert.ok((await text(response)).includes(`<Code>${code}</Code>`));
    request.destroy();
  }
});

test('the report counts requests, responses, connections and objects, and times answers since the previous report', async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'HEAD.latency=30ms' });
  const client = sdkClient(t, endpoint);
  const before = Math.floor(Date.now() / 1000);
  for (const Body of ['1', '2']) {
    await client.send(new PutObjectCommand({ Bucket, Key: 'one', Body }));
  }
  const headAt = performance.now();
  await client.send(new HeadObjectCommand({ Bucket, Key: 'one' }));
  const longest = performance.now() - headAt;
  await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'none' })));
  const { requests, statuses, connections, objects, bySecond, answerTimes } = await endpoint.report();
  const counted = Object.entries(requests).filter(([, { total }]) => total > 0);
  assert.deepEqual(Object.fromEntries(counted), {
    PUT: { total: 2, succeeded: 2 },
    GET: { total: 1, succeeded: 0 },
    HEAD: { total: 1, succeeded: 1 },
  });
  assert.deepEqual([statuses, connections, objects], [{ 200: 3, 404: 1 }, 1, { 'bucket-a': 1, 'bucket-b': 0 }]);
  const after = Math.floor(Date.now() / 1000);
  assert.ok(Object.keys(bySecond).every((second) => Number(second) >= before && Number(second) <= after));
  assert.equal(
    Object.values(bySecond).reduce((sum, { PUT = 0 }) => sum + PUT, 0),
    2,
  );
  const { count = 0, minimum = 0, p50 = 0, maximum = 0 } = answerTimes.HEAD ?? {};
  assert.ok(count === 1 && minimum >= 29.9 && minimum <= p50 && p50 <= maximum && maximum <= longest, `${minimum}`);
  assert.deepEqual((await endpoint.report()).answerTimes, {});
});
