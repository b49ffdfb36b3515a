import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptError } from '../../lib/store/s3-error.js';
import { BodyVerifier, Payload } from '../../lib/load/workload/payload.js';
import { S3_CALLS } from '../../lib/store/object-store.js';
import { startTestEndpoint, testCertificate } from '../helpers/local-s3.js';
import { closedPort, startSocketServer } from '../helpers/socket-server.js';
import { STRANGE_KEYS, STRANGER_KEYS } from '../helpers/strange-keys.js';
import { attempt, BodyCollector, openTestStore, get, head, put, remove } from '../helpers/store.js';

/**
 * @import { ObjectConnection } from '../../lib/store/object-store.js'
 * @import { AttemptErrorDetails } from '../../lib/store/s3-error.js'
 * @import { S3Call } from '../../lib/store/s3-calls.js'
 * @import { Target } from '../helpers/store.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {'direct' | 'sdk'} ClientName
 */

const BUCKET = 'bucket-a';
const KEY = 'benchmark/run-1/0badcafe-7';
const MIB = 1024 ** 2;

/** Of attempts that are to end by it; a busy machine answers what is to succeed before. */
const TIMEOUT = 1000;

/** Far more than a deadline needs on a busy machine, far less than the faults would take alone. */
const PATIENCE = 10_000;
const TIME_LIMIT = { timeout: 30_000 };

const CREDENTIALS = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };
const PAYLOAD = new Payload('run-1');
const INDEX = 7;

const NOWHERE = { accept() {} };

/** @param {number} size */
function bytesOf(size) {
  const body = PAYLOAD.body(INDEX, size);
  return Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
}

/**
 * The four requests for one object.
 *
 * @param {ObjectConnection} connection
 * @returns {Record<'PUT' | 'GET' | 'HEAD' | 'DELETE', () => Promise<void>>}
 */
function requestsOf(connection) {
  const small = bytesOf(1000);
  return {
    PUT: () => attempt(connection, () => put(connection, BUCKET, KEY, small, small.length)),
    GET: () => attempt(connection, () => get(connection, BUCKET, KEY, NOWHERE)),
    HEAD: () => attempt(connection, () => head(connection, BUCKET, KEY)),
    DELETE: () => attempt(connection, () => remove(connection, BUCKET, KEY)),
  };
}

/**
 * @param {Promise<void>} request
 * @param {Partial<AttemptErrorDetails>} expected
 * @returns {Promise<AttemptError>}
 */
async function assertFails(request, expected) {
  const error = await request.then(
    () => assert.fail('the request has succeeded'),
    (reason) => reason,
  );
  assert.ok(error instanceof AttemptError, String(error));
  const told = Object.keys(expected).map((name) => [name, error[/** @type {keyof AttemptError} */ (name)]]);
  assert.deepEqual(Object.fromEntries(told), expected, error.message);
  assert.ok(!error.message.includes(CREDENTIALS.secretAccessKey));
  return error;
}

/**
 * A server that answers each request with the same bytes, as a target.
 *
 * @param {TestContext} t
 * @param {string | Buffer} answer
 * @returns {Promise<Target>}
 */
async function startParrot(t, answer) {
  const { port } = await startSocketServer(t, {
    onSocket: (socket) => socket.on('data', () => socket.write(answer)),
  });
  return { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls: null };
}

/** @param {string} document */
function xmlAnswer(document) {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: ${document.length}\r\n\r\n${document}`;
}

/**
 * What both clients have to do alike.
 *
 * @param {ClientName} client
 */
export function testStore(client) {
  for (const useTls of [false, true]) {
    testRequests(client, useTls);
    testConnections(client, useTls);
  }
  testRanges(client);
  testConditions(client);
  testBatches(client);
  testCopies(client);
  testUploads(client);
  testDocuments(client);
  testRefusals(client);
  testCloudflare(client);
  testDamage(client);
  testDeadlines(client);
  testFailuresToConnect(client);
  testStrangeAnswers(client);
}

/** @param {ClientName} client */
function testConditions(client) {
  test(`${client}: a write with a condition is carried out only if it holds`, TIME_LIMIT, async (t) => {
    const { connections } = await openTestStore(t, client, await startTarget(t, false));
    const [connection] = connections;
    const body = bytesOf(1000);
    const object = { bucket: BUCKET, key: KEY, size: body.length, body, sink: NOWHERE };
    const write = (/** @type {Record<string, string>} */ input) =>
      attempt(connection, () => connection.send(S3_CALLS.PutObject, { ...object, input }));
    const read = () => connection.send({ ...S3_CALLS.GetObject, returnsEtag: true }, object);
    await write({ IfNoneMatch: '*' });
    await assertFails(write({ IfNoneMatch: '*' }), { status: 412, handling: 'fail' });
    await attempt(connection, read);
    const { ETag } = connection.reply.output;
    await write({ IfMatch: ETag });
    await assertFails(write({ IfMatch: ETag.replace(/\w/, 'x') }), { status: 412, handling: 'fail' });
  });
}

/** @param {ClientName} client */
function testCloudflare(client) {
  test(`${client}: the data centre is that of the first answer over a connection`, TIME_LIMIT, async (t) => {
    const first = ['CF-Ray: 230b030023ae2822-FRA', 'cf-ray: 9-AMS', 'CF-RAY: evil-\tfra', 'Server: other'];
    let opened = 0;
    const { port } = await startSocketServer(t, {
      onSocket: (socket) => {
        const place = opened;
        let header = first[place];
        opened += 1;
        socket.on('data', () => {
          const status = place === 1 ? '503 Slow Down' : '200 OK';
          socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n${header}\r\n\r\n`);
          header = 'CF-Ray: 2-LHR';
        });
      },
    });
    const target = { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls: null };
    /** @type {string[]} */
    const colos = [];
    const choice = { threads: first.length, onColo: (/** @type {string} */ colo) => colos.push(colo) };
    const { connections } = await openTestStore(t, client, target, choice);
    for (let round = 0; round < 2; round += 1) {
      // All at a time, so that each has its own connection.
      await Promise.allSettled(connections.map((connection) => requestsOf(connection).HEAD()));
    }
    assert.deepEqual([opened, colos.toSorted()], [first.length, ['AMS', 'FRA']]);
  });

  test(
    `${client}: a response can be identified by the headers of the store and of Cloudflare`,
    TIME_LIMIT,
    async (t) => {
      const ids = ['x-amz-request-id: id-1', `cf-ray: ${'9'.repeat(200)}`];
      const { port } = await startSocketServer(t, {
        onSocket: (socket) => {
          socket.on('data', () => {
            const headers = ids.length === 0 ? '' : `${ids.splice(0).join('\r\n')}\r\n`;
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${headers}\r\n`);
          });
        },
      });
      const target = { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls: null };
      const { connections } = await openTestStore(t, client, target, { threads: 1 });
      const identified = [];
      for (let round = 0; round < 2; round += 1) {
        await requestsOf(connections[0])
          .HEAD()
          .catch(() => {});
        identified.push(connections[0].reply.identify?.());
      }
      const known = [
        { requestId: 'id-1', ray: '9'.repeat(128) },
        { requestId: null, ray: null },
      ];
      assert.deepEqual(identified, client === 'direct' ? known : [undefined, undefined]);
    },
  );

  test(`${client}: an error of the server is an overload if the store is R2`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'status=500:100%' });
    await endpoint.put(BUCKET, KEY, Buffer.alloc(1000));
    for (const [name, isOverload] of /** @type {const} */ ([
      ['abc.r2.cloudflarestorage.com', true],
      [endpoint.hostname, false],
    ])) {
      const { connections } = await openTestStore(t, client, endpoint, { name });
      for (const request of Object.values(requestsOf(connections[0]))) {
        await assertFails(request(), { kind: 'server-error', handling: 'retry', isOverload });
      }
    }
  });
}

/**
 * @param {TestContext} t
 * @param {boolean} useTls
 * @param {string} [faults]
 */
async function startTarget(t, useTls, faults = '') {
  return startTestEndpoint(t, { faults, tls: useTls ? await testCertificate() : null });
}

/** @param {boolean} useTls */
function over(useTls) {
  return useTls ? 'over TLS' : 'over plain HTTP';
}

/**
 * @param {ClientName} client
 * @param {boolean} useTls
 */
function testRequests(client, useTls) {
  test(`${client}: an object of any size goes there and comes back, ${over(useTls)}`, TIME_LIMIT, async (t) => {
    const endpoint = await startTarget(t, useTls);
    const { connections } = await openTestStore(t, client, endpoint);
    const [connection] = connections;
    for (const size of [0, 1, 16 * 1024, 3 * MIB]) {
      const movedBefore = connection.moved;
      const body = PAYLOAD.body(INDEX, size);
      await put(connection, 'bucket-b', KEY, body, size);
      assert.equal(connection.moved - movedBefore, size);
      connection.moved -= size;
      await put(connection, BUCKET, KEY, body, size);
      assert.equal(connection.moved - movedBefore, size, 'a body can be sent again for another attempt');
      const written = connection.reply.etagDigest;
      assert.notEqual(written, 0, 'the answer to a write names an ETag');

      const collector = new BodyCollector();
      await get(connection, BUCKET, KEY, collector);
      assert.ok(collector.bytes.equals(bytesOf(size)), `${size} bytes`);
      assert.equal(connection.moved - movedBefore, 2 * size);

      await head(connection, BUCKET, KEY);
      assert.deepEqual([connection.reply.etagDigest, connection.reply.contentLength], [written, size]);

      await remove(connection, BUCKET, KEY);
      assert.deepEqual(await endpoint.list(BUCKET), []);
      assert.equal(connection.moved - movedBefore, 2 * size);
    }
  });
}

/**
 * @param {ClientName} client
 */
function testRanges(client) {
  test(
    `${client}: a range of an object comes with its offset, and the whole object without one`,
    TIME_LIMIT,
    async (t) => {
      const endpoint = await startTestEndpoint(t);
      await endpoint.put(BUCKET, KEY, bytesOf(1000));
      const { connections } = await openTestStore(t, client, endpoint);
      const [connection] = connections;
      const read = async (/** @type {string | undefined} */ Range, /** @type {number} */ size) => {
        const sink = new BodyCollector();
        const request = {
          bucket: BUCKET,
          key: KEY,
          size,
          body: null,
          sink,
          input: Range === undefined ? Range : { Range },
        };
        await attempt(connection, () => connection.send(S3_CALLS.GetObject, request));
        const { status, contentRange, contentLength } = connection.reply;
        return { status, contentRange, contentLength, bytes: sink.bytes };
      };
      const bytes = bytesOf(1000);
      assert.deepEqual(await read('bytes=100-349', 250), {
        status: 206,
        contentRange: 'bytes 100-349/1000',
        contentLength: 250,
        bytes: bytes.subarray(100, 350),
      });
      assert.deepEqual(await read(undefined, 1000), { status: 200, contentRange: '', contentLength: 1000, bytes });
      await assertFails(
        read('bytes=1000-1001', 2).then(() => {}),
        { handling: 'fail', status: 416, code: 'InvalidRange' },
      );
    },
  );
}

/** @param {ClientName} client */
function testUploads(client) {
  test(
    `${client} client: an object is sent in parts, and is there once they are put together`,
    TIME_LIMIT,
    async (t) => {
      const endpoint = await startTarget(t, true);
      const { connections } = await openTestStore(t, client, endpoint);
      const [connection] = connections;
      const size = 12 * MIB + 5;
      const send = sendingTo(connection);

      await send(S3_CALLS.CreateMultipartUpload, {});
      const { UploadId } = connection.reply.output;
      assert.deepEqual((await endpoint.report()).uploads[BUCKET], 1);
      /** @type {{ PartNumber: number, ETag: string }[]} */
      const Parts = [];
      for (const [place, position] of [0, 6 * MIB, 12 * MIB].entries()) {
        const partSize = Math.min(6 * MIB, size - position);
        const body = PAYLOAD.body(INDEX, partSize, position);
        const movedBefore = connection.moved;
        await send(S3_CALLS.UploadPart, { UploadId, PartNumber: place + 1 }, body, partSize);
        assert.equal(connection.moved - movedBefore, partSize);
        Parts.push({ PartNumber: place + 1, ETag: connection.reply.output.ETag });
      }
      await send(S3_CALLS.CompleteMultipartUpload, { UploadId, MultipartUpload: { Parts } });
      const { etagDigest } = connection.reply;

      await head(connection, BUCKET, KEY);
      assert.deepEqual([connection.reply.contentLength, connection.reply.etagDigest], [size, etagDigest]);
      const verifier = new BodyVerifier(PAYLOAD);
      verifier.begin(INDEX, size);
      await get(connection, BUCKET, KEY, verifier);
      assert.equal(verifier.end(), -1);
      const { requests, uploads } = await endpoint.report();
      assert.deepEqual([requests.CREATE.total, requests.PART.total, requests.COMPLETE.total], [1, 3, 1]);
      assert.equal(uploads[BUCKET], 0);
    },
  );

  test(`${client} client: an upload is aborted, and is not there any more`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { connections } = await openTestStore(t, client, endpoint);
    const [connection] = connections;
    const send = sendingTo(connection);
    await send(S3_CALLS.CreateMultipartUpload, {});
    const { UploadId } = connection.reply.output;
    await send(S3_CALLS.AbortMultipartUpload, { UploadId });
    assert.equal((await endpoint.report()).uploads[BUCKET], 0);
    const gone = { kind: 'no-upload', handling: /** @type {const} */ ('fail'), status: 404, code: 'NoSuchUpload' };
    await assertFails(send(S3_CALLS.AbortMultipartUpload, { UploadId }), gone);
    await assertFails(send(S3_CALLS.UploadPart, { UploadId, PartNumber: 1 }, bytesOf(10), 10), gone);
    const Parts = [{ PartNumber: 1, ETag: '"e"' }];
    await assertFails(send(S3_CALLS.CompleteMultipartUpload, { UploadId, MultipartUpload: { Parts } }), gone);
  });
}

/**
 * @param {ObjectConnection} connection
 * @returns {(call: S3Call, input?: object, body?: Buffer | Iterable<Buffer> | null, size?: number) => Promise<void>}
 */
function sendingTo(connection) {
  return (call, input, body = null, size = 0) => {
    const key = call.hasKey ? KEY : '';
    return attempt(connection, () => connection.send(call, { bucket: BUCKET, key, size, body, sink: NOWHERE, input }));
  };
}

/** @param {ClientName} client */
function testDocuments(client) {
  test(
    `${client}: keys of any characters reach the store as they are, and come back so from a list`,
    TIME_LIMIT,
    async (t) => {
      const endpoint = await startTestEndpoint(t);
      const { connections } = await openTestStore(t, client, endpoint, { keysAreForeign: true });
      const [connection] = connections;
      const keys = [...STRANGE_KEYS, ...STRANGER_KEYS];
      for (const key of keys) {
        await endpoint.put(BUCKET, key, Buffer.from(`body of ${key}`));
      }
      const prefix = 'a prefix!/é*(';
      const ofPrefix = [`${prefix}0`, `${prefix}1`];
      await Promise.all(ofPrefix.map((key) => endpoint.put(BUCKET, key, Buffer.from(`body of ${key}`))));
      for (const key of keys) {
        const sink = new BodyCollector();
        await attempt(connection, () => get(connection, BUCKET, key, sink));
        assert.equal(sink.bytes.toString(), `body of ${key}`);
        await attempt(connection, () => head(connection, BUCKET, key));
        assert.equal(connection.reply.contentLength, Buffer.byteLength(`body of ${key}`));
      }
      const { moved } = connection;
      const list = async (/** @type {object} */ input, bucket = BUCKET) => {
        const request = { bucket, key: '', size: 0, body: null, sink: NOWHERE, input: { MaxKeys: 1000, ...input } };
        await attempt(connection, () => connection.send(S3_CALLS.ListObjectsV2, request));
        return connection.reply.output.Contents?.map((/** @type {{ Key: string }} */ { Key }) => Key) ?? [];
      };
      const listed = await list({ EncodingType: 'url' });
      assert.deepEqual(listed.toSorted(), [...keys, ...ofPrefix].toSorted());
      assert.deepEqual(await list({ Prefix: prefix }), ofPrefix);
      assert.deepEqual(await list({ Prefix: 'nothing begins so' }), [], 'what came before is forgotten');
      assert.equal(connection.moved, moved, 'a document is no object');
      await assertFails(list({}, 'no-such-bucket'), { kind: 'no-bucket', code: 'NoSuchBucket' });
    },
  );
}

/**
 * @param {ObjectConnection} connection
 * @param {string[]} keys
 */
async function removeAll(connection, keys) {
  const input = { Delete: { Objects: keys.map((Key) => ({ Key })) } };
  const request = { bucket: BUCKET, key: '', size: 0, body: null, sink: NOWHERE, input };
  await attempt(connection, () => connection.send(S3_CALLS.DeleteObjects, request));
}

/** @param {ClientName} client */
function testBatches(client) {
  test(`${client}: a document is sent with its checksum, and signed`, TIME_LIMIT, async (t) => {
    const endpoint = await startTarget(t, true);
    const { connections } = await openTestStore(t, client, endpoint);
    const [connection] = connections;
    const keys = ['a', 'b&c', '<d>', 'é'];
    for (const key of [...keys, 'stays']) {
      await endpoint.put(BUCKET, key, Buffer.alloc(1));
    }
    const { moved } = connection;
    await removeAll(connection, keys);
    const { Deleted, Errors = [] } = connection.reply.output;
    const named = Deleted.map((/** @type {{ Key: string }} */ { Key }) => Key);
    assert.deepEqual([named, [...Errors]], [keys, []]);
    assert.deepEqual(await endpoint.list(BUCKET), ['stays']);
    assert.equal(connection.moved, moved, 'a document is no object');
  });

  test(`${client}: the answer for a thousand keys is read completely if one of them failed`, TIME_LIMIT, async (t) => {
    const keys = Array.from({ length: 1000 }, (_, place) => `key-${place}`);
    const answers = keys.map((key, place) =>
      place === 500 ? `<Error><Key>${key}</Key><Code>SlowDown</Code></Error>` : `<Deleted><Key>${key}</Key></Deleted>`,
    );
    const document = `<?xml version="1.0"?><DeleteResult>${answers.join('')}</DeleteResult>`;
    const { connections } = await openTestStore(t, client, await startParrot(t, xmlAnswer(document)));
    await removeAll(connections[0], keys);
    const { Deleted, Errors } = connections[0].reply.output;
    assert.equal(Deleted.length, 999);
    assert.deepEqual([...Errors], [{ Key: 'key-500', Code: 'SlowDown' }]);
  });
}

/** @param {ClientName} client */
function testCopies(client) {
  const copyOf = (/** @type {ObjectConnection} */ connection, /** @type {string} */ key) => {
    const input = { CopySource: `/${BUCKET}/${KEY}` };
    const request = { bucket: BUCKET, key, size: 1000, body: null, sink: NOWHERE, input };
    return attempt(connection, () => connection.send(S3_CALLS.CopyObject, request));
  };

  test(`${client}: a copy has the bytes and the ETag of its source`, TIME_LIMIT, async (t) => {
    const credentials = { ...CREDENTIALS, sessionToken: 'a/token+of=some/length' };
    const endpoint = await startTestEndpoint(t, { credentials });
    const { connections } = await openTestStore(t, client, endpoint);
    const [connection] = connections;
    await put(connection, BUCKET, KEY, bytesOf(1000), 1000);
    const { etagDigest } = connection.reply;
    const { moved } = connection;
    await copyOf(connection, 'a-copy');
    assert.deepEqual([connection.reply.etagDigest, connection.moved], [etagDigest, moved]);
    const collector = new BodyCollector();
    await get(connection, BUCKET, 'a-copy', collector);
    assert.ok(collector.bytes.equals(bytesOf(1000)));
    await remove(connection, BUCKET, KEY);
    await assertFails(copyOf(connection, 'none'), { kind: 'not-found', handling: 'fail', code: 'NoSuchKey' });
  });
}

/**
 * @param {ClientName} client
 * @param {boolean} useTls
 */
function testConnections(client, useTls) {
  test(
    `${client}: all requests go over the connection that was opened ahead, ${over(useTls)}`,
    TIME_LIMIT,
    async (t) => {
      const endpoint = await startTarget(t, useTls);
      const { agent, connections } = await openTestStore(t, client, endpoint);
      await agent.openAhead(1, new AbortController().signal);
      const { PUT, GET, HEAD, DELETE } = requestsOf(connections[0]);
      for (const request of [PUT, HEAD, HEAD, GET, HEAD, DELETE]) {
        await request();
      }
      const { connections: accepted } = await endpoint.report();
      assert.deepEqual([accepted, agent.opened, agent.reused], [1, 1, 5]);
    },
  );

  test(`${client}: concurrent threads have a connection each, ${over(useTls)}`, TIME_LIMIT, async (t) => {
    const endpoint = await startTarget(t, useTls, 'latency=20ms');
    const { agent, connections } = await openTestStore(t, client, endpoint, { threads: 8 });
    const rounds = 3;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(connections.map((connection) => requestsOf(connection).PUT()));
    }
    assert.equal(agent.opened, 8);
    assert.equal(agent.reused, 8 * (rounds - 1));
    assert.equal((await endpoint.report()).connections, 8);
  });

  test(`${client}: without keep-alive, each request has its own connection, ${over(useTls)}`, TIME_LIMIT, async (t) => {
    const endpoint = await startTarget(t, useTls);
    const { agent, connections } = await openTestStore(t, client, endpoint, { keepAlive: false });
    const { PUT, GET, HEAD, DELETE } = requestsOf(connections[0]);
    for (const request of [PUT, HEAD, GET, DELETE]) {
      await request();
    }
    const { connections: accepted } = await endpoint.report();
    assert.deepEqual([accepted, agent.opened, agent.reused], [4, 4, 0]);
  });
}

/** @param {ClientName} client */
function testRefusals(client) {
  test(`${client}: a missing key is this operation’s failure`, TIME_LIMIT, async (t) => {
    const { connections } = await openTestStore(t, client, await startTestEndpoint(t));
    const { GET, HEAD } = requestsOf(connections[0]);
    await assertFails(GET(), { kind: 'not-found', handling: 'fail', status: 404, code: 'NoSuchKey' });
    await assertFails(HEAD(), { kind: 'not-found', handling: 'fail', status: 404, code: '' });
  });

  test(`${client}: a missing bucket ends the run`, TIME_LIMIT, async (t) => {
    const { connections } = await openTestStore(t, client, await startTestEndpoint(t, { buckets: ['bucket-b'] }));
    const { PUT, GET, DELETE } = requestsOf(connections[0]);
    for (const request of [PUT, GET, DELETE]) {
      await assertFails(request(), { kind: 'no-bucket', handling: 'stop', status: 404, code: 'NoSuchBucket' });
    }
  });

  test(`${client}: wrong credentials end the run, and the secret is not shown`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    for (const credentials of [
      { ...CREDENTIALS, secretAccessKey: `${CREDENTIALS.secretAccessKey}-not` },
      { ...CREDENTIALS, accessKeyId: 'somebody-else' },
    ]) {
      const { connections } = await openTestStore(t, client, { ...endpoint, credentials });
      const requests = requestsOf(connections[0]);
      for (const request of Object.values(requests)) {
        await assertFails(request(), { kind: 'denied', handling: 'stop', outcomeUnknown: false });
      }
    }
  });

  test(`${client}: a clock that is wrong ends the run, with the store’s time`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'skew=40m' });
    const { connections } = await openTestStore(t, client, endpoint);
    const { serverTime } = await assertFails(requestsOf(connections[0]).GET(), {
      kind: 'clock-skew',
      handling: 'stop',
    });
    assert.ok(Math.abs(serverTime - Date.now() - 40 * 60_000) < 60_000);
  });

  test(`${client}: a session token is sent and signed`, TIME_LIMIT, async (t) => {
    const credentials = { ...CREDENTIALS, sessionToken: 'a/token+of=some/length' };
    const endpoint = await startTestEndpoint(t, { credentials });
    const { connections } = await openTestStore(t, client, endpoint);
    const { PUT, GET, HEAD, DELETE } = requestsOf(connections[0]);
    for (const request of [PUT, GET, HEAD, DELETE]) {
      await request();
    }
    const without = await openTestStore(t, client, { ...endpoint, credentials: CREDENTIALS });
    await assertFails(requestsOf(without.connections[0]).GET(), { kind: 'denied', handling: 'stop' });
  });

  test(
    `${client}: errors of the store are distinguished from those of the request, and throttling is recognised`,
    TIME_LIMIT,
    async (t) => {
      for (const answers of /** @type {const} */ ([
        [
          ['PUT', '503', { kind: 'throttled', code: 'SlowDown', retryAfter: 2000, outcomeUnknown: true }],
          ['HEAD', '503', { kind: 'throttled', code: '', retryAfter: 2000 }],
          ['GET', '429', { kind: 'throttled', code: 'TooManyRequests', retryAfter: 2000 }],
          ['DELETE', '400/BadDigest', { kind: 'incomplete-request', code: 'BadDigest' }],
        ],
        [
          ['PUT', '500', { kind: 'server-error', retryAfter: 0, outcomeUnknown: true }],
          ['HEAD', '502', { kind: 'server-error' }],
        ],
      ])) {
        const statuses = answers.map(([method, status]) => `${method}.status=${status}:100%`);
        const endpoint = await startTestEndpoint(t, { faults: [...statuses, 'retry-after=2s'].join() });
        await endpoint.put(BUCKET, KEY, bytesOf(10));
        const { connections } = await openTestStore(t, client, endpoint);
        const requests = requestsOf(connections[0]);
        for (const [method, status, expected] of answers) {
          const told = { handling: /** @type {const} */ ('retry'), status: Number.parseInt(status), ...expected };
          await assertFails(requests[method](), told);
        }
      }
    },
  );
}

/** @param {ClientName} client */
function testDamage(client) {
  test(
    `Row 7: ${client}: a body that is cut short is never a success, and the next request goes well`,
    TIME_LIMIT,
    async (t) => {
      for (const useTls of [false, true]) {
        const endpoint = await startTarget(t, useTls, 'truncate=100%');
        await endpoint.put(BUCKET, KEY, bytesOf(100_000));
        const { connections } = await openTestStore(t, client, endpoint);
        const { GET, HEAD } = requestsOf(connections[0]);
        await assertFails(GET(), { kind: 'truncated', handling: 'retry', staleConnection: false });
        await HEAD();
        await assertFails(GET(), { kind: 'truncated', handling: 'retry' });
      }
    },
  );

  test(`${client}: a connection that is reset is tried again, over another one`, TIME_LIMIT, async (t) => {
    for (const useTls of [false, true]) {
      const endpoint = await startTarget(t, useTls, 'GET.reset=100%,PUT.reset=100%');
      await endpoint.put(BUCKET, KEY, bytesOf(1000));
      const { agent, connections } = await openTestStore(t, client, endpoint);
      const { PUT, GET, HEAD } = requestsOf(connections[0]);
      await HEAD();
      await assertFails(GET(), { handling: 'retry', kind: 'stale-connection', status: 0, outcomeUnknown: true });
      await HEAD();
      await assertFails(PUT(), { handling: 'retry', kind: 'connection', status: 0, outcomeUnknown: true });
      await HEAD();
      assert.equal(agent.opened, 3);
    }
  });

  test(`${client}: a write that is carried out without an answer is of unknown outcome`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'lost=100%' });
    const { connections } = await openTestStore(t, client, endpoint);
    await assertFails(requestsOf(connections[0]).PUT(), { handling: 'retry', outcomeUnknown: true });
    assert.deepEqual(await endpoint.list(BUCKET), [KEY]);
  });

  test(`${client}: corrupted bytes reach the verifier, which names the first`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'corrupt=100%' });
    await endpoint.put(BUCKET, KEY, bytesOf(200_000));
    const { connections } = await openTestStore(t, client, endpoint);
    const verifier = new BodyVerifier(PAYLOAD);
    verifier.begin(INDEX, 200_000);
    await get(connections[0], BUCKET, KEY, verifier);
    assert.equal(verifier.end(), 100_000);
  });

  test(`${client}: a store that closes idle connections costs at most one more attempt`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'close=2' });
    await endpoint.put(BUCKET, KEY, bytesOf(1000));
    const { connections } = await openTestStore(t, client, endpoint);
    const { GET } = requestsOf(connections[0]);
    for (let count = 0; count < 20; count++) {
      await GET().catch(async (error) => {
        assert.equal(error.kind, 'stale-connection', error.message);
        assert.equal(error.staleConnection, true);
        await GET();
      });
    }
    assert.equal((await endpoint.report()).requests.GET.succeeded, 20);
  });
}

/** @param {ClientName} client */
function testDeadlines(client) {
  for (const [fault, what] of [
    ['hang', 'is never answered'],
    ['drip', 'is answered byte by byte'],
  ]) {
    test(`${client}: an attempt that ${what} ends at its deadline, and the next goes well`, TIME_LIMIT, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults: `GET.${fault}=100%` });
      await endpoint.put(BUCKET, KEY, bytesOf(1000));
      const { connections } = await openTestStore(t, client, endpoint, { timeout: TIMEOUT });
      const { GET, HEAD } = requestsOf(connections[0]);
      for (let count = 0; count < 2; count++) {
        const startedAt = performance.now();
        await assertFails(GET(), { kind: 'timeout', handling: 'retry', outcomeUnknown: true, wasMoving: false });
        const duration = performance.now() - startedAt;
        assert.ok(duration >= TIMEOUT && duration < PATIENCE, `${duration}ms`);
        await HEAD();
      }
    });
  }

  test(`${client}: an attempt that ends while its object is sent shows how much has been`, TIME_LIMIT, async (t) => {
    // No one reads the sent bytes: they remain in the buffers of the system.
    const { port } = await startSocketServer(t, { onSocket: (socket) => socket.pause() });
    const target = { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls: null };
    const { connections } = await openTestStore(t, client, target, { timeout: TIMEOUT });
    const size = 64 * MIB;
    const write = () => put(connections[0], BUCKET, KEY, PAYLOAD.body(INDEX, size), size);
    const { message } = await assertFails(attempt(connections[0], write), { kind: 'timeout', wasMoving: true });
    const sent = Number(/with (\d+\.\d) MiB of its object: try a longer --timeout$/.exec(message)?.[1]);
    assert.ok(sent > 0 && sent < 64, message);
    assert.ok(connections[0].moved < size);
  });

  test(`${client}: an attempt that waits for its connection ends at its deadline`, TIME_LIMIT, async (t) => {
    const { port } = await startSocketServer(t);
    const tls = await testCertificate();
    const target = { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls };
    const { connections } = await openTestStore(t, client, target, { timeout: TIMEOUT });
    const { PUT, GET } = requestsOf(connections[0]);
    for (const request of [GET, PUT, GET]) {
      const startedAt = performance.now();
      const notSent = client === 'direct' ? { sent: false, outcomeUnknown: false } : {};
      await assertFails(request(), { kind: 'timeout', handling: 'retry', ...notSent });
      assert.ok(performance.now() - startedAt < PATIENCE);
    }
  });

  test(`${client}: an abort ends the attempt with the error that it is given`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.hang=100%' });
    const { connections } = await openTestStore(t, client, endpoint);
    const [connection] = connections;
    const { PUT, DELETE } = requestsOf(connection);
    const error = new AttemptError({ kind: 'abandoned', handling: 'retry', message: 'no time left' });
    const sent = assertFails(PUT(), { kind: 'abandoned', message: 'no time left' });
    while ((await endpoint.report()).faults.hang === undefined) {
      // The request is on its way.
    }
    connection.abort(error);
    assert.equal(await sent, error);
    await DELETE();
  });
}

/** @param {ClientName} client */
function testFailuresToConnect(client) {
  test(`${client}: a store that is not there cannot have carried out anything`, TIME_LIMIT, async (t) => {
    const target = {
      hostname: '127.0.0.1',
      port: await closedPort(),
      region: 'auto',
      credentials: CREDENTIALS,
      tls: null,
    };
    const { connections } = await openTestStore(t, client, target);
    for (const request of Object.values(requestsOf(connections[0]))) {
      await assertFails(request(), { kind: 'connect', handling: 'retry', code: 'ECONNREFUSED', outcomeUnknown: false });
    }
  });

  test(`Row 27: ${client}: a server whose certificate is not trusted gets no request`, TIME_LIMIT, async (t) => {
    const endpoint = await startTarget(t, true);
    const { connections } = await openTestStore(t, client, endpoint, { trusting: false });
    const code = 'DEPTH_ZERO_SELF_SIGNED_CERT';
    await assertFails(requestsOf(connections[0]).GET(), {
      kind: 'certificate',
      handling: 'retry',
      code,
      outcomeUnknown: false,
    });
    assert.equal((await endpoint.report()).requests.GET.total, 0);
  });

  test(`Row 4: ${client}: TLS to a store that speaks plain HTTP is recognised`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { connections } = await openTestStore(t, client, { ...endpoint, tls: await testCertificate() });
    const error = await assertFails(requestsOf(connections[0]).GET(), { handling: 'retry', status: 0 });
    assert.ok(['tls', 'connection', 'stale-connection'].includes(error.kind), error.kind);
  });
}

/** @param {ClientName} client */
function testStrangeAnswers(client) {
  test(`${client}: a redirect ends the run`, TIME_LIMIT, async (t) => {
    const answer = 'HTTP/1.1 301 Moved Permanently\r\nLocation: http://store.test/\r\nContent-Length: 0\r\n\r\n';
    const { connections } = await openTestStore(t, client, await startParrot(t, answer));
    await assertFails(requestsOf(connections[0]).GET(), { kind: 'redirect', handling: 'stop', status: 301 });
  });

  test(`${client}: an error in the body of a success is an error, whatever was asked for`, TIME_LIMIT, async (t) => {
    const body = '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>Too late.</Message></Error>';
    const { connections } = await openTestStore(t, client, await startParrot(t, xmlAnswer(body)));
    const Parts = [{ PartNumber: 1, ETag: '"e"' }];
    for (const [call, input] of /** @type {[S3Call, object?][]} */ ([
      [S3_CALLS.PutObject],
      [S3_CALLS.DeleteObject],
      [S3_CALLS.CopyObject, { CopySource: `/${BUCKET}/${KEY}` }],
      [S3_CALLS.ListObjectsV2, { MaxKeys: 1000 }],
      [S3_CALLS.CompleteMultipartUpload, { UploadId: 'u', MultipartUpload: { Parts } }],
    ])) {
      const sent = call === S3_CALLS.PutObject ? bytesOf(10) : null;
      await assertFails(sendingTo(connections[0])(call, input, sent, sent?.length), {
        ...{ kind: 'server-error', handling: 'retry', status: 200, code: 'InternalError', outcomeUnknown: true },
        message: 'HTTP 200 with an error in its body: InternalError: Too late.',
      });
    }
  });

  test(`${client}: a refusal whose connection ends within its body is still a refusal`, TIME_LIMIT, async (t) => {
    const { port } = await startSocketServer(t, {
      onSocket: (socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\n<Error><Code>Acc')),
    });
    const target = { hostname: '127.0.0.1', port, region: 'auto', credentials: CREDENTIALS, tls: null };
    const { connections } = await openTestStore(t, client, target);
    const { PUT, GET, DELETE } = requestsOf(connections[0]);
    for (const request of [PUT, GET, DELETE]) {
      await assertFails(request(), { kind: 'denied', handling: 'stop', status: 403, message: 'HTTP 403' });
    }
  });
}
