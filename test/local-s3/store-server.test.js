import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
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
} from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

// What the tests of the clients (test/s3/store-suite.js) would miss, by the AWS SDK.

const Bucket = 'bucket-a';

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
  await client.send(
    put({ Body: '123456789', ChecksumCRC64NVME: Buffer.from('ae8b14860a799888', 'hex').toString('base64') }),
  );
  await client.send(deletion(1000));
  for (const [command, name] of /** @type {[any, string][]} */ ([
    [put({ ContentMD5 }), 'BadDigest'],
    [put({ ChecksumCRC64NVME: 'AAAAAAAAAAA=' }), 'BadDigest'],
    [put({ ChecksumCRC64NVME: 'x' }), 'InvalidRequest'],
    [put({ Key: `${'é'.repeat(512)}k` }), 'KeyTooLongError'],
    [new CopyObjectCommand({ Bucket, Key: 'k', CopySource: 'no-key' }), 'InvalidArgument'],
    [new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=10-12' }), 'InvalidRange'],
    [new HeadBucketCommand({ Bucket: 'no-such-bucket' }), 'NotFound'],
    [new ListObjectsCommand({ Bucket }), 'NotImplemented'],
    [list({ Bucket: 'no-such-bucket' }), 'NoSuchBucket'],
    [list({ Delimiter: 'k' }), 'NotImplemented'],
    [list({ MaxKeys: -1 }), 'InvalidArgument'],
    [list({ ContinuationToken: '*' }), 'InvalidArgument'],
    [list({ EncodingType: 'xml' }), 'InvalidArgument'],
    [deletion(1001), 'MalformedXML'],
    [deletion(0), 'MalformedXML'],
    [upload({ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }), 'InvalidRequest'],
    [upload({ ChecksumAlgorithm: 'MD6' }), 'InvalidRequest'],
  ])) {
    await assert.rejects(client.send(command), { name }, JSON.stringify(command.input).slice(0, 100));
  }
});

test('carries out a conditional write only if its condition holds', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const put = (/** @type {object} */ input) =>
    client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'some', ...input }));
  await assert.rejects(put({ IfMatch: '"x"' }), { name: 'NoSuchKey' });
  const { ETag } = await put({ IfNoneMatch: '*' });
  await assert.rejects(put({ IfNoneMatch: '*' }), { name: 'PreconditionFailed' });
  const { ETag: next } = await put({ IfMatch: ETag, Body: 'other' });
  await assert.rejects(put({ IfMatch: ETag }), { name: 'PreconditionFailed' });
  await put({ IfMatch: next });
});

test('faults make it ignore conditions, or write long after it has checked them', async (t) => {
  const race = async (/** @type {string} */ faults) => {
    const endpoint = await startTestEndpoint(t, { faults });
    const client = sdkClient(t, endpoint);
    const put = (/** @type {string} */ Body) =>
      client.send(new PutObjectCommand({ Bucket, Key: 'k', Body, IfNoneMatch: '*' })).then(
        () => 200,
        ({ $metadata }) => $metadata.httpStatusCode,
      );
    const together = (await Promise.all([put('a'), put('b')])).toSorted();
    return [...together, await put('c'), (await endpoint.report()).faults];
  };
  assert.deepEqual(await race(''), [200, 412, 412, {}]);
  assert.deepEqual(await race('ignore-condition=100%'), [200, 200, 200, { 'ignore-condition': 3 }]);
  assert.deepEqual(await race('check-then-write=300ms'), [200, 200, 412, { 'check-then-write': 3 }]);
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
