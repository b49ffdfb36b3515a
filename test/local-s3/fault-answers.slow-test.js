import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { Readable } from 'node:stream'
 * @import { TestContext } from 'node:test'
 */

// What the tests of the clients (test/s3/store-suite.js), which meet every other fault, would miss.

const OBJECT = { Bucket: 'bucket-a', Key: 'the-key' };
const BODY = Buffer.from('the body of the object');

/** For tests that poll until something happens. */
const TIME_LIMIT = { timeout: 120_000 };

/**
 * A faulty endpoint with one object, and a client for it.
 *
 * @param {TestContext} t
 * @param {string} faults
 */
async function faultyEndpoint(t, faults) {
  const endpoint = await startTestEndpoint(t, { faults });
  await endpoint.put(OBJECT.Bucket, OBJECT.Key, BODY);
  const client = sdkClient(t, endpoint);
  const read = async () => {
    const { Body } = await client.send(new GetObjectCommand(OBJECT));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };
  return { endpoint, client, read };
}

test('drip sends the body byte by byte, and a client that disconnects meanwhile does no harm', async (t) => {
  const { client, endpoint } = await faultyEndpoint(t, 'drip=100%');
  const { Body, ContentLength } = await client.send(new GetObjectCommand(OBJECT));
  const chunks = await /** @type {Readable} */ (Body).toArray();
  assert.deepEqual([Buffer.concat(chunks), ContentLength], [BODY, BODY.length]);
  // On a busy machine a few bytes may arrive together.
  assert.ok(chunks.length > BODY.length / 4, chunks.join('|'));
  const abandoned = await client.send(new GetObjectCommand(OBJECT));
  await once(/** @type {Readable} */ (abandoned.Body), 'data');
  /** @type {Readable} */ (abandoned.Body).destroy();
  await client.send(new HeadObjectCommand(OBJECT));
  const { faults, requests } = await endpoint.report();
  assert.deepEqual([faults, requests.GET], [{ drip: 2 }, { total: 2, succeeded: 1 }]);
});

test('latency precedes the effect of a request, even if the client has gone by then', TIME_LIMIT, async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'PUT.latency=500ms');
  const abortion = new AbortController();
  const began = performance.now();
  const late = new PutObjectCommand({ ...OBJECT, Key: 'late', Body: 'x' });
  const aborted = assert.rejects(client.send(late, { abortSignal: abortion.signal }), { name: 'AbortError' });
  while ((await endpoint.report()).requests.PUT.total === 0) {
    // The request is on its way.
  }
  abortion.abort();
  await aborted;
  while (!(await endpoint.list(OBJECT.Bucket)).includes('late')) {
    // It takes effect later.
  }
  assert.ok(performance.now() - began >= 498);
  assert.deepEqual((await endpoint.report()).requests.PUT, { total: 1, succeeded: 0 });
});

test('with low bandwidth, a body is sent and received part by part', async (t) => {
  const { client } = await faultyEndpoint(t, 'bandwidth=1MB');
  const Body = Buffer.alloc(800_000, 'x');
  const putAt = performance.now();
  await client.send(new PutObjectCommand({ ...OBJECT, Body }));
  assert.ok(performance.now() - putAt >= 800);
  const getAt = performance.now();
  const answer = await client.send(new GetObjectCommand(OBJECT));
  let received = 0;
  let firstAt = Infinity;
  for await (const chunk of /** @type {Readable} */ (answer.Body)) {
    const at = performance.now() - getAt;
    firstAt = Math.min(firstAt, at);
    received += chunk.length;
    assert.ok(1000 * at >= received - 1, `${received} bytes after ${at} ms`);
  }
  assert.equal(received, Body.length);
  assert.ok(firstAt < performance.now() - getAt - 100, 'not all of it at the end');
});

test('stale serves the previous object once the write that replaced it is a second old', async (t) => {
  const { endpoint, client, read } = await faultyEndpoint(t, 'stale=100%');
  assert.deepEqual(await read(), BODY, 'nothing was before');
  const later = Buffer.from('the later body');
  const { ETag: etag } = await client.send(new HeadObjectCommand(OBJECT));
  await client.send(new PutObjectCommand({ ...OBJECT, Body: later }));
  const writtenAt = Date.now();
  let body = await read();
  while (body.equals(later)) {
    assert.ok(Date.now() - writtenAt < TIME_LIMIT.timeout);
    body = await read();
  }
  assert.ok(Date.now() - writtenAt >= 990);
  assert.deepEqual(body, BODY);
  const head = await client.send(new HeadObjectCommand(OBJECT));
  assert.deepEqual([head.ETag, head.ContentLength], [etag, BODY.length]);
  assert.deepEqual((await endpoint.report()).faults, { stale: 2 });
});
