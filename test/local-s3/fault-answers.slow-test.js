import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { sdkClient, startTestEndpoint, testCertificate } from '../helpers/local-s3.js';

/**
 * @import { EndpointOptions } from '../../lib/local-s3/store-server.js'
 * @import { GetObjectCommandOutput } from '@aws-sdk/client-s3'
 * @import { IncomingMessage } from 'node:http'
 * @import { Socket } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

const OBJECT = { Bucket: 'bucket-a', Key: 'the-key' };
const BODY = Buffer.from('the body of the object');

/** For tests that poll until something happens. */
const TIME_LIMIT = { timeout: 120_000 };

/**
 * A faulty endpoint with one object, and a client for it.
 *
 * @param {TestContext} t
 * @param {string} faults
 * @param {{ tls?: EndpointOptions['tls'], requestHandler?: NodeHttpHandler }} [choice]
 */
async function faultyEndpoint(t, faults, { tls = null, requestHandler } = {}) {
  const endpoint = await startTestEndpoint(t, { faults, tls });
  await endpoint.put(OBJECT.Bucket, OBJECT.Key, BODY);
  const client = sdkClient(t, endpoint, requestHandler && { requestHandler });
  return { endpoint, client };
}

/** @param {Promise<GetObjectCommandOutput>} answer */
async function bytesOf(answer) {
  const { Body } = await answer;
  return Buffer.from(await /** @type {NonNullable<typeof Body>} */ (Body).transformToByteArray());
}

test('status responds with the status, the code and Retry-After, and the request has no effect', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'DELETE.status=503:100%,PUT.status=429:100%,retry-after=2s');
  for (const [command, status, name] of /** @type {const} */ ([
    [new DeleteObjectCommand(OBJECT), 503, 'SlowDown'],
    [new PutObjectCommand({ ...OBJECT, Key: 'new', Body: 'x' }), 429, 'TooManyRequests'],
  ])) {
    await assert.rejects(client.send(/** @type {any} */ (command)), (/** @type {any} */ error) => {
      assert.deepEqual([error.name, error.$metadata.httpStatusCode], [name, status]);
      assert.equal(error.$response.headers['retry-after'], '2');
      return true;
    });
  }
  assert.deepEqual(await endpoint.list(OBJECT.Bucket), [OBJECT.Key]);
  const report = await endpoint.report();
  assert.deepEqual([report.statuses, report.faults], [{ 429: 1, 503: 1 }, { status: 2 }]);
});

test('rate responds with 503 SlowDown above the rate', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'rate=1');
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => client.send(new HeadObjectCommand(OBJECT))));
  const refused = answers.filter(({ status }) => status === 'rejected').length;
  assert.ok(refused >= 3, `${refused} of 5 were refused`);
  const { statuses, faults } = await endpoint.report();
  assert.deepEqual([statuses[503], faults.rate], [refused, refused]);
});

test('a fault of one bucket does not affect the others', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'status@bucket-a=503:100%');
  await endpoint.put('bucket-b', OBJECT.Key, BODY);
  await assert.rejects(client.send(new GetObjectCommand(OBJECT)), { name: 'SlowDown' });
  assert.deepEqual(await bytesOf(client.send(new GetObjectCommand({ ...OBJECT, Bucket: 'bucket-b' }))), BODY);
});

for (const tls of [false, true]) {
  test(`reset closes the connection with RST before the response${tls ? ', also over TLS' : ''}`, async (t) => {
    const certificate = tls ? await testCertificate() : null;
    const { endpoint, client } = await faultyEndpoint(t, 'PUT.reset=100%', { tls: certificate });
    const put = client.send(new PutObjectCommand({ ...OBJECT, Key: 'new', Body: 'x' }));
    // An orderly close would be a "socket hang up" without a system call.
    await assert.rejects(put, { code: 'ECONNRESET', syscall: 'read' });
    assert.deepEqual(await endpoint.list(OBJECT.Bucket), [OBJECT.Key]);
    assert.deepEqual((await endpoint.report()).faults, { reset: 1 });
  });
}

test('truncate announces the full length and cuts the body', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'truncate=100%');
  const answer = await client.send(new GetObjectCommand(OBJECT));
  assert.equal(answer.ContentLength, BODY.length);
  /** @type {Buffer[]} */
  const received = [];
  await assert.rejects(
    async () => {
      for await (const chunk of /** @type {AsyncIterable<Buffer>} */ (answer.Body)) {
        received.push(chunk);
      }
    },
    { code: 'ECONNRESET' },
  );
  assert.ok(Buffer.concat(received).equals(BODY.subarray(0, BODY.length / 2)));
  const report = await endpoint.report();
  assert.deepEqual([report.faults, report.requests.GET], [{ truncate: 1 }, { total: 1, succeeded: 0 }]);
});

test('corrupt flips one byte at full length, and leaves the stored object unchanged', async (t) => {
  const { client } = await faultyEndpoint(t, 'seed=3,corrupt=50%');
  const bodies = [];
  for (let request = 0; request < 20; request++) {
    bodies.push(await bytesOf(client.send(new GetObjectCommand(OBJECT))));
  }
  const wrong = bodies.filter((body) => !body.equals(BODY));
  assert.ok(wrong.length > 0 && wrong.length < 20, `${wrong.length} of 20 were wrong`);
  for (const body of wrong) {
    assert.equal(body.length, BODY.length);
    assert.equal(body.filter((byte, place) => byte !== BODY[place]).length, 1);
  }
});

test('hang sends no response', TIME_LIMIT, async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'GET.hang=100%');
  const abortion = new AbortController();
  let isSettled = false;
  const get = client.send(new GetObjectCommand(OBJECT), { abortSignal: abortion.signal }).finally(() => {
    isSettled = true;
  });
  while ((await endpoint.report()).faults.hang !== 1) {
    await client.send(new HeadObjectCommand(OBJECT));
  }
  await client.send(new HeadObjectCommand(OBJECT));
  assert.equal(isSettled, false);
  abortion.abort();
  await assert.rejects(get, { name: 'AbortError' });
  assert.deepEqual((await endpoint.report()).requests.GET, { total: 1, succeeded: 0 });
});

test('drip sends the body byte by byte', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'drip=100%');
  // It takes two seconds, so that some bytes arrive separately however busy the machine is.
  const content = 'drip, '.repeat(7);
  await endpoint.put(OBJECT.Bucket, OBJECT.Key, Buffer.from(content));
  const { Body, ContentLength } = await client.send(new GetObjectCommand(OBJECT));
  assert.equal(ContentLength, content.length);
  const chunks = [];
  for await (const chunk of /** @type {AsyncIterable<Buffer>} */ (Body)) {
    chunks.push(chunk.toString());
  }
  assert.equal(chunks.join(''), content);
  // On a busy machine a few bytes may arrive together.
  assert.ok(chunks.length > content.length / 4, chunks.join('|'));
  const report = await endpoint.report();
  assert.deepEqual([report.faults, report.requests.GET], [{ drip: 1 }, { total: 1, succeeded: 1 }]);
});

test('a client that disconnects while a body drips does no harm', async (t) => {
  const { client } = await faultyEndpoint(t, 'drip=100%');
  const { Body } = await client.send(new GetObjectCommand(OBJECT));
  const stream = /** @type {IncomingMessage} */ (Body);
  await once(stream, 'data');
  stream.destroy();
  await client.send(new HeadObjectCommand(OBJECT));
});

test('lost stores the object and closes the connection without a response', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'lost=100%');
  const put = client.send(new PutObjectCommand({ ...OBJECT, Key: 'new', Body: 'x' }));
  await assert.rejects(put, { code: 'ECONNRESET' });
  assert.deepEqual(await endpoint.list(OBJECT.Bucket), ['new', OBJECT.Key]);
  const report = await endpoint.report();
  assert.deepEqual([report.faults, report.requests.PUT], [{ lost: 1 }, { total: 1, succeeded: 0 }]);
});

test('close silently closes a connection after some responses', async (t) => {
  /** @type {Socket[]} */
  const sockets = [];
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  agent.on('free', (socket) => sockets.push(socket));
  const requestHandler = new NodeHttpHandler({ httpAgent: agent });
  const { endpoint, client } = await faultyEndpoint(t, 'close=2', { requestHandler });
  await client.send(new HeadObjectCommand(OBJECT));
  const last = await client.send(new HeadObjectCommand(OBJECT));
  assert.equal(last.$metadata.httpStatusCode, 200);
  if (!sockets[0].destroyed) {
    await once(sockets[0], 'close');
  }
  await client.send(new HeadObjectCommand(OBJECT));
  const report = await endpoint.report();
  assert.deepEqual([report.connections, report.faults, report.statuses], [2, { close: 1 }, { 200: 3 }]);
});

test('wrong-etag and wrong-size make HEAD differ from GET', async (t) => {
  for (const [fault, isWrong] of /** @type {const} */ ([
    ['wrong-etag', (/** @type {any} */ head, /** @type {any} */ get) => head.ETag !== get.ETag],
    ['wrong-size', (/** @type {any} */ head, /** @type {any} */ get) => head.ContentLength !== get.ContentLength],
  ])) {
    const { client } = await faultyEndpoint(t, `${fault}=100%`);
    const head = await client.send(new HeadObjectCommand(OBJECT));
    const get = await client.send(new GetObjectCommand(OBJECT));
    assert.ok(isWrong(head, get), fault);
    assert.ok((await bytesOf(Promise.resolve(get))).equals(BODY));
  }
});

test('latency precedes the effect of a request, even if the client has gone by then', TIME_LIMIT, async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'PUT.latency=500ms');
  const abortion = new AbortController();
  const began = performance.now();
  const put = client.send(new PutObjectCommand({ ...OBJECT, Key: 'late', Body: 'x' }), {
    abortSignal: abortion.signal,
  });
  const aborted = assert.rejects(put, { name: 'AbortError' });
  while ((await endpoint.report()).requests.PUT.total === 0) {
    await client.send(new HeadObjectCommand(OBJECT));
  }
  abortion.abort();
  await aborted;
  while (!(await endpoint.list(OBJECT.Bucket)).includes('late')) {
    await client.send(new HeadObjectCommand(OBJECT));
  }
  assert.ok(performance.now() - began >= 498);
  assert.deepEqual((await endpoint.report()).requests.PUT, { total: 1, succeeded: 0 });
});

test('reports how long requests took since the previous report', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'HEAD.latency=30ms');
  const began = performance.now();
  for (let request = 0; request < 3; request++) {
    await client.send(new HeadObjectCommand(OBJECT));
  }
  const longest = performance.now() - began;
  const { HEAD, GET } = (await endpoint.report()).answerTimes;
  assert.equal(HEAD?.count, 3);
  assert.equal(GET, undefined);
  const { minimum = 0, p50 = 0, maximum = 0 } = HEAD ?? {};
  assert.ok(minimum >= 29.9 && minimum <= p50 && p50 <= maximum && maximum < longest, JSON.stringify(HEAD));
  assert.deepEqual((await endpoint.report()).answerTimes, {});
});

test('a queue responds at its rate', async (t) => {
  const { client } = await faultyEndpoint(t, 'queue=100');
  const began = performance.now();
  await Promise.all(Array.from({ length: 26 }, () => client.send(new HeadObjectCommand(OBJECT))));
  // Five were carried over at the start.
  assert.ok(performance.now() - began >= 200);
});

test("skew sets the server's clock ahead, for signatures and the Date header", async (t) => {
  const { client } = await faultyEndpoint(t, 'skew=20m');
  await assert.rejects(client.send(new GetObjectCommand(OBJECT)), (/** @type {any} */ error) => {
    assert.equal(error.name, 'RequestTimeTooSkewed');
    const ahead = Date.parse(error.$response.headers.date) - Date.now();
    assert.ok(Math.abs(ahead - 20 * 60_000) < 10_000, `${ahead} ms ahead`);
    return true;
  });
});

test('preflight, listing and missing keys are not affected unless they are named', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'reset=100%');
  await client.send(new HeadBucketCommand({ Bucket: OBJECT.Bucket }));
  await client.send(new ListObjectsV2Command({ Bucket: OBJECT.Bucket }));
  await assert.rejects(client.send(new GetObjectCommand({ ...OBJECT, Key: 'none' })), { name: 'NoSuchKey' });
  assert.deepEqual((await endpoint.report()).faults, {});

  const named = await faultyEndpoint(t, 'LIST.status=500:100%,BUCKET.status=403:100%');
  await assert.rejects(named.client.send(new ListObjectsV2Command({ Bucket: OBJECT.Bucket })), {
    name: 'InternalError',
  });
  await assert.rejects(
    named.client.send(new HeadBucketCommand({ Bucket: OBJECT.Bucket })),
    (/** @type {any} */ error) => {
      assert.equal(error.$metadata.httpStatusCode, 403);
      return true;
    },
  );
});

test('stale serves the previous object once the write that replaced it is a second old', async (t) => {
  const { endpoint, client } = await faultyEndpoint(t, 'stale=100%');
  assert.deepEqual(await bytesOf(client.send(new GetObjectCommand(OBJECT))), BODY, 'nothing was before');
  const later = Buffer.from('the later body');
  const { ETag: etag } = await client.send(new HeadObjectCommand(OBJECT));
  await client.send(new PutObjectCommand({ ...OBJECT, Body: later }));
  const writtenAt = Date.now();
  let body = await bytesOf(client.send(new GetObjectCommand(OBJECT)));
  while (body.equals(later)) {
    assert.ok(Date.now() - writtenAt < TIME_LIMIT.timeout);
    body = await bytesOf(client.send(new GetObjectCommand(OBJECT)));
  }
  assert.ok(Date.now() - writtenAt >= 990);
  assert.deepEqual(body, BODY);
  const head = await client.send(new HeadObjectCommand(OBJECT));
  assert.deepEqual([head.ETag, head.ContentLength], [etag, BODY.length]);
  assert.deepEqual((await endpoint.report()).faults, { stale: 2 });
});
