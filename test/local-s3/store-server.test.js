import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

// What the tests of the clients (test/store/store-suite.js) would miss, by the AWS SDK.

const Bucket = 'bucket-a';

test('refuses what S3 refuses, by its name', async (t) => {
  const endpoint = await startTestEndpoint(t);
  await endpoint.put(Bucket, 'k', Buffer.from('0123456789'));
  const client = sdkClient(t, endpoint);
  const put = (/** @type {object} */ input) => new PutObjectCommand({ Bucket, Key: 'k', Body: 'evil', ...input });
  const list = (/** @type {object} */ input) => new ListObjectsV2Command({ Bucket, ...input });
  const deletion = (/** @type {number} */ keys) =>
    new DeleteObjectsCommand({
      Bucket,
      Delete: { Objects: Array.from({ length: keys }, (_, key) => ({ Key: `${key}` })) },
    });
  const ContentMD5 = createHash('md5').update('good').digest('base64');
  await client.send(put({ Key: 'k'.repeat(1024), Body: 'good', ContentMD5 }));
  await client.send(put({ Body: '123456789', ChecksumCRC32: Buffer.from('cbf43926', 'hex').toString('base64') }));
  await client.send(deletion(1000));
  for (const [command, name] of /** @type {[any, string][]} */ ([
    [put({ ContentMD5 }), 'BadDigest'],
    [put({ ChecksumCRC32: 'AAAAAA==' }), 'BadDigest'],
    [put({ Key: `${'é'.repeat(512)}k` }), 'KeyTooLongError'],
    [new CopyObjectCommand({ Bucket, Key: 'k', CopySource: 'no-key' }), 'InvalidArgument'],
    [new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=10-12' }), 'InvalidRange'],
    [list({ Bucket: 'no-such-bucket' }), 'NoSuchBucket'],
    [list({ ContinuationToken: '*' }), 'InvalidArgument'],
    [deletion(1001), 'MalformedXML'],
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
