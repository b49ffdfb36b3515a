import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

/** @import { S3Client } from '@aws-sdk/client-s3' */

const Bucket = 'bucket-a';
const Key = 'large <object> & more';
const MIB = 1024 ** 2;

/**
 * @param {S3Client} client
 * @param {readonly Buffer[]} bodies of the parts
 */
async function upload(client, bodies) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const Parts = [];
  for (const [place, Body] of bodies.entries()) {
    const PartNumber = place + 1;
    const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
    Parts.push({ PartNumber, ETag });
  }
  return { UploadId, Parts };
}

/**
 * @param {S3Client} client
 * @param {string | undefined} UploadId
 * @param {{ PartNumber: number, ETag?: string }[]} Parts
 */
function complete(client, UploadId, Parts) {
  return client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
}

/** @param {readonly number[]} sizes bytes */
function bodiesOf(...sizes) {
  return sizes.map((size, place) => Buffer.alloc(size, `part ${place}`));
}

test('assembles parts in order, and the ETag is the MD5 of their MD5s with their number', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const bodies = bodiesOf(5 * MIB, 5 * MIB, 3);
  const { UploadId, Parts } = await upload(client, bodies);
  assert.deepEqual((await endpoint.report()).uploads, { 'bucket-a': 1, 'bucket-b': 0 });
  const { ETag } = await complete(client, UploadId, Parts);
  const digests = bodies.map((body) => createHash('md5').update(body).digest());
  assert.equal(ETag, `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-3"`);
  const { Body, ETag: stored } = await client.send(new GetObjectCommand({ Bucket, Key }));
  assert.equal(stored, ETag);
  assert.equal(Buffer.concat(bodies).compare(Buffer.from((await Body?.transformToByteArray()) ?? [])), 0);
  assert.equal((await endpoint.report()).uploads[Bucket], 0);
  await assert.rejects(complete(client, UploadId, Parts), { name: 'NoSuchUpload' });
});

test('rejects what R2 would not assemble, and keeps the upload', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const client = sdkClient(t, endpoint);
  const small = await upload(client, bodiesOf(5 * MIB - 1, 1));
  await assert.rejects(complete(client, small.UploadId, small.Parts), { name: 'EntityTooSmall' });
  const unequal = await upload(client, bodiesOf(5 * MIB, 6 * MIB, 1));
  await assert.rejects(complete(client, unequal.UploadId, unequal.Parts), { name: 'InvalidPart' });
  const long = await upload(client, bodiesOf(5 * MIB, 5 * MIB + 1));
  await assert.rejects(complete(client, long.UploadId, long.Parts), { name: 'InvalidPart' });
  const { UploadId, Parts } = await upload(client, bodiesOf(5 * MIB, 1));
  await assert.rejects(complete(client, UploadId, [...Parts].reverse()), { name: 'InvalidPartOrder' });
  await assert.rejects(complete(client, UploadId, [...Parts, { PartNumber: 3, ETag: '"x"' }]), { name: 'InvalidPart' });
  await assert.rejects(complete(client, UploadId, [{ PartNumber: 1, ETag: '"other"' }]), { name: 'InvalidPart' });
  await assert.rejects(complete(client, UploadId, []), { name: 'MalformedXML' });
  assert.equal((await endpoint.report()).uploads[Bucket], 4);
  await complete(client, UploadId, Parts);
});

test('a part requires a number from 1 to 10,000, an upload and its key', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = (/** @type {object} */ other) =>
    client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x', ...other }));
  await part({ PartNumber: 10_000 });
  for (const PartNumber of [0, 10_001]) {
    await assert.rejects(part({ PartNumber }), { name: 'InvalidArgument' });
  }
  await assert.rejects(part({ UploadId: 'other' }), { name: 'NoSuchUpload' });
  await assert.rejects(part({ Key: 'other' }), { name: 'NoSuchUpload' });
});

test('an aborted upload is gone', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const { UploadId, Parts } = await upload(client, bodiesOf(1));
  const abort = () => client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  await abort();
  await assert.rejects(abort(), { name: 'NoSuchUpload' });
  await assert.rejects(complete(client, UploadId, Parts), { name: 'NoSuchUpload' });
});

test('lists uploads by key, page by page, several of a key consecutively', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t));
  const keys = ['run/a', 'run/b', 'run/b', 'run/b', 'run/ä<', 'other'];
  for (const each of keys) {
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: each }));
  }
  const list = (/** @type {object} */ input) => client.send(new ListMultipartUploadsCommand({ Bucket, ...input }));
  const all = await list({ Prefix: 'run/' });
  assert.deepEqual([all.IsTruncated, all.Uploads?.map((each) => each.Key)], [false, keys.slice(0, 5)]);
  assert.ok(all.Uploads?.every(({ UploadId, Initiated }) => UploadId && Initiated instanceof Date));
  /** @type {(string | undefined)[]} */
  const found = [];
  /** @type {{ KeyMarker?: string, UploadIdMarker?: string }} */
  let position = {};
  for (let continues = true; continues;) {
    const page = await list({ Prefix: 'run/', MaxUploads: 2, ...position });
    found.push(...(page.Uploads ?? []).map(({ UploadId }) => UploadId));
    continues = page.IsTruncated === true;
    position = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
  assert.deepEqual(
    found,
    all.Uploads?.map(({ UploadId }) => UploadId),
  );
});
