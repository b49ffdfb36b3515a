import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

const Bucket = 'bucket-a';
const Key = 'key';
const Body = '123456789';

/** The correct checksums of the body. */
const RIGHT = {
  ChecksumCRC32C: Buffer.from('e3069283', 'hex').toString('base64'),
  ChecksumCRC64NVME: Buffer.from('ae8b14860a799888', 'hex').toString('base64'),
};

const WRONG = { ChecksumCRC32C: 'AAAAAA==', ChecksumCRC64NVME: 'AAAAAAAAAAA=' };

test('stores an object with a correct checksum, and rejects a wrong one', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  for (const member of /** @type {const} */ (['ChecksumCRC32C', 'ChecksumCRC64NVME'])) {
    const put = (/** @type {object} */ input) =>
      client.send(new PutObjectCommand({ Bucket, Key: member, Body, ...input }));
    await assert.rejects(put({ [member]: WRONG[member] }), { name: 'BadDigest' });
    await assert.rejects(put({ [member]: 'x' }), { name: 'InvalidRequest' });
    await assert.rejects(put(RIGHT), { name: 'InvalidRequest' });
    assert.ok(!(await endpoint.list(Bucket)).includes(member));
    await put({ [member]: RIGHT[member] });
    assert.ok((await endpoint.list(Bucket)).includes(member));
  }
});

test('parts of an upload have checksums of its kind, and its completion names them, or that of the whole', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  for (const [algorithm, type, member] of /** @type {const} */ ([
    ['CRC32C', 'COMPOSITE', 'ChecksumCRC32C'],
    ['CRC64NVME', 'FULL_OBJECT', 'ChecksumCRC64NVME'],
  ])) {
    const created = await client.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: algorithm, ChecksumType: type }),
    );
    const { UploadId } = created;
    const part = (/** @type {object} */ input) =>
      client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body, ...input }));
    await assert.rejects(part({ [member]: WRONG[member] }), { name: 'BadDigest' });
    const other = member === 'ChecksumCRC32C' ? 'ChecksumCRC64NVME' : 'ChecksumCRC32C';
    await assert.rejects(part({ [other]: RIGHT[other] }), { name: 'InvalidRequest' });
    await assert.rejects(part({}), { name: 'InvalidRequest' });
    const { ETag } = await part({ [member]: RIGHT[member] });
    const complete = (/** @type {object} */ ofPart, /** @type {object} */ ofWhole) => {
      const Parts = [{ PartNumber: 1, ETag, ...ofPart }];
      const input = { Bucket, Key, UploadId, MultipartUpload: { Parts }, ...ofWhole };
      return client.send(new CompleteMultipartUploadCommand(input));
    };
    await assert.rejects(complete({ [member]: WRONG[member] }, {}), { name: 'InvalidPart' });
    await assert.rejects(complete({ [member]: RIGHT[member] }, { [member]: WRONG[member] }), { name: 'BadDigest' });
    await complete({ [member]: RIGHT[member] }, type === 'FULL_OBJECT' ? { [member]: RIGHT[member] } : {});
  }
});

test('rejects an upload with checksums that R2 does not offer', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const create = (/** @type {object} */ input) =>
    client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...input }));
  for (const input of [
    { ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' },
    { ChecksumAlgorithm: 'CRC32C', ChecksumType: 'FULL_OBJECT' },
    { ChecksumAlgorithm: 'MD6' },
  ]) {
    await assert.rejects(create(input), { name: 'InvalidRequest' });
  }
});
