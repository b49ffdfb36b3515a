import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

/** @import { TestContext } from 'node:test' */

const Bucket = 'bucket-a';
const Key = 'large <object> & more';
const MIB = 1024 ** 2;

/** @param {TestContext} t */
async function startUploads(t) {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const create = (/** @type {object} */ input = {}) =>
    client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...input }));
  const part = (/** @type {any} */ input) => client.send(new UploadPartCommand({ Bucket, Key, ...input }));
  const complete = (
    /** @type {string | undefined} */ UploadId,
    /** @type {object[]} */ Parts,
    /** @type {object} */ input = {},
  ) => client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...input }));
  const upload = async (/** @type {number[]} */ ...sizes) => {
    const { UploadId } = await create();
    const bodies = sizes.map((size, place) => Buffer.alloc(size, `part ${place}`));
    const Parts = [];
    for (const [place, Body] of bodies.entries()) {
      const PartNumber = place + 1;
      const { ETag } = await part({ UploadId, PartNumber, Body });
      Parts.push({ PartNumber, ETag });
    }
    return { UploadId, Parts, bodies };
  };
  return { endpoint, client, create, part, complete, upload };
}

test('assembles parts in order, and the ETag is the MD5 of their MD5s with their number', async (t) => {
  const uploads = await startUploads(t);
  const { UploadId, Parts, bodies } = await uploads.upload(5 * MIB, 5 * MIB, 3);
  const { ETag } = await uploads.complete(UploadId, Parts);
  const digests = bodies.map((body) => createHash('md5').update(body).digest());
  assert.equal(ETag, `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-3"`);
  const { Body, ETag: stored } = await uploads.client.send(new GetObjectCommand({ Bucket, Key }));
  assert.equal(stored, ETag);
  assert.ok(Buffer.concat(bodies).equals(Buffer.from((await Body?.transformToByteArray()) ?? [])));
});

test('rejects what R2 would not accept or assemble, and keeps the upload', async (t) => {
  const { upload, complete, part, endpoint } = await startUploads(t);
  for (const [sizes, name] of /** @type {[number[], string][]} */ ([
    [[5 * MIB - 1, 1], 'EntityTooSmall'],
    [[5 * MIB, 6 * MIB, 1], 'InvalidPart'],
    [[5 * MIB, 5 * MIB + 1], 'InvalidPart'],
  ])) {
    const { UploadId, Parts } = await upload(...sizes);
    await assert.rejects(complete(UploadId, Parts), { name });
  }
  const { UploadId, Parts } = await upload(5 * MIB, 1);
  for (const [parts, name] of /** @type {[object[], string][]} */ ([
    [Parts.toReversed(), 'InvalidPartOrder'],
    [[...Parts, { PartNumber: 3, ETag: '"x"' }], 'InvalidPart'],
    [[{ PartNumber: 1, ETag: '"other"' }], 'InvalidPart'],
    [[{ PartNumber: 1 }], 'MalformedXML'],
    [[], 'MalformedXML'],
  ])) {
    await assert.rejects(complete(UploadId, parts), { name });
  }
  for (const [input, name] of /** @type {[object, string][]} */ ([
    [{ PartNumber: 0 }, 'InvalidArgument'],
    [{ PartNumber: 10_001 }, 'InvalidArgument'],
    [{ UploadId: 'other' }, 'NoSuchUpload'],
    [{ Key: 'other' }, 'NoSuchUpload'],
  ])) {
    await assert.rejects(part({ UploadId, PartNumber: 1, Body: 'x', ...input }), { name });
  }
  assert.equal((await endpoint.report()).uploads[Bucket], 4);
  await complete(UploadId, Parts);
  assert.equal((await endpoint.report()).uploads[Bucket], 3);
});

test('parts of an upload have checksums of its kind, and its completion names them, or that of the whole', async (t) => {
  const { create, part, complete } = await startUploads(t);
  const right = {
    ChecksumCRC32C: Buffer.from('e3069283', 'hex').toString('base64'),
    ChecksumCRC64NVME: Buffer.from('ae8b14860a799888', 'hex').toString('base64'),
  };
  const wrong = { ChecksumCRC32C: 'AAAAAA==', ChecksumCRC64NVME: 'AAAAAAAAAAA=' };
  for (const [ChecksumAlgorithm, ChecksumType, member, other] of /** @type {const} */ ([
    ['CRC32C', 'COMPOSITE', 'ChecksumCRC32C', 'ChecksumCRC64NVME'],
    ['CRC64NVME', 'FULL_OBJECT', 'ChecksumCRC64NVME', 'ChecksumCRC32C'],
  ])) {
    const { UploadId } = await create({ ChecksumAlgorithm, ChecksumType });
    const send = (/** @type {object} */ input) => part({ UploadId, PartNumber: 1, Body: '123456789', ...input });
    await assert.rejects(send({ [member]: wrong[member] }), { name: 'BadDigest' });
    await assert.rejects(send({ [other]: right[other] }), { name: 'InvalidRequest' });
    await assert.rejects(send({}), { name: 'InvalidRequest' });
    const { ETag } = await send({ [member]: right[member] });
    const named = (/** @type {object} */ checksum) => [{ PartNumber: 1, ETag, ...checksum }];
    const good = named({ [member]: right[member] });
    await assert.rejects(complete(UploadId, named({ [member]: wrong[member] })), { name: 'InvalidPart' });
    await assert.rejects(complete(UploadId, good, { [member]: wrong[member] }), { name: 'BadDigest' });
    await complete(UploadId, good, ChecksumType === 'FULL_OBJECT' ? { [member]: right[member] } : {});
  }
});

test('lists uploads by key, page by page, several of a key consecutively', async (t) => {
  const { client, create } = await startUploads(t);
  const keys = ['run/a', 'run/b', 'run/b', 'run/b', 'run/ä<', 'other'];
  for (const key of keys) {
    await create({ Key: key });
  }
  const list = (/** @type {object} */ input) =>
    client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'run/', ...input }));
  const all = await list({});
  assert.deepEqual([all.IsTruncated, all.Uploads?.map((each) => each.Key)], [false, keys.slice(0, 5)]);
  assert.ok(all.Uploads?.every(({ UploadId, Initiated }) => UploadId && Initiated instanceof Date));
  /** @type {unknown[]} */
  const found = [];
  for (let page = await list({ MaxUploads: 2 }); ;) {
    found.push(...(page.Uploads ?? []));
    if (!page.IsTruncated) {
      break;
    }
    page = await list({ MaxUploads: 2, KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker });
  }
  assert.deepEqual(found, all.Uploads);
});
