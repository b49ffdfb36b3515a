import assert from 'node:assert/strict';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { startLocalS3 } from '../../lib/local-s3/start.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { BodyVerifier } from '../../lib/workload/body-verifier.js';
import { MAX_VIEW_BYTES, Payload } from '../../lib/workload/payload.js';
import { sdkClient, startTestEndpoint, testCertificate } from '../helpers/local-s3.js';

const Bucket = 'bucket-a';

function keyspace() {
  return new Keyspace({ runId: 'a-run.1', prefix: 'benchmark', buckets: [Bucket] });
}

/**
 * Sends bytes on a new connection and waits until the server closes it.
 *
 * @param {{ hostname: string, port: number }} endpoint
 * @param {string | Buffer} bytes
 * @returns {Promise<string>} everything that came back
 */
async function exchange({ hostname, port }, bytes) {
  const socket = net.connect(port, hostname);
  socket.write(bytes);
  return text(socket);
}

for (const isTls of [false, true]) {
  for (const objectSize of [16 * 1024, 2 * MAX_VIEW_BYTES + 5]) {
    const title = `objects of ${objectSize} bytes are made from their keys${isTls ? ', over TLS' : ''}`;
    test(`${title}: GET returns the payload, and HEAD agrees with PUT`, async (t) => {
      const tls = isTls ? await testCertificate() : null;
      const client = sdkClient(t, await startTestEndpoint(t, { mode: 'null', objectSize, tls }));
      const payload = new Payload('a-run.1');
      const verifier = new BodyVerifier(payload);
      for (const index of [0, 1, 12345, 2 ** 33]) {
        const Key = keyspace().keyOf(index);
        const Body = Buffer.concat([...iterableOf(payload.body(index, objectSize))]);
        const put = await client.send(new PutObjectCommand({ Bucket, Key, Body }));
        const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
        const get = await client.send(new GetObjectCommand({ Bucket, Key }));
        assert.match(String(put.ETag), /^"[0-9a-f]{32}"$/);
        assert.deepEqual([head.ETag, get.ETag], [put.ETag, put.ETag]);
        assert.deepEqual([head.ContentLength, get.ContentLength], [objectSize, objectSize]);
        verifier.begin(index, objectSize);
        for await (const chunk of /** @type {AsyncIterable<Buffer>} */ (get.Body)) {
          verifier.accept(chunk);
        }
        assert.equal(verifier.end(), -1);
      }
    });
  }
}

test('generates a probe from its key, like an object', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t, { mode: 'null', objectSize: 10 }));
  const get = await client.send(new GetObjectCommand({ Bucket, Key: keyspace().probeKeyOf(3) }));
  const body = await /** @type {{ transformToByteArray(): Promise<Uint8Array> }} */ (get.Body).transformToByteArray();
  assert.deepEqual(Buffer.from(body), new Payload('a-run.1').body(3, 10));
});

test('deletions, listings and bucket checks return nothing', async (t) => {
  const endpoint = await startTestEndpoint(t, { mode: 'null', objectSize: 10 });
  const client = sdkClient(t, endpoint);
  const deletion = await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  assert.equal(deletion.$metadata.httpStatusCode, 204);
  await client.send(new HeadBucketCommand({ Bucket }));
  const listing = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'benchmark/' }));
  assert.deepEqual([listing.KeyCount, listing.IsTruncated, listing.Contents], [0, false, undefined]);
  const batch = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'k' }] } }));
  assert.deepEqual([batch.Deleted, batch.Errors], [undefined, undefined]);
  assert.deepEqual(await endpoint.list(Bucket), []);
  const { requests, statuses, connections } = await endpoint.report();
  assert.deepEqual(
    [requests.DELETE, requests.LIST],
    [
      { total: 1, succeeded: 1 },
      { total: 1, succeeded: 1 },
    ],
  );
  assert.deepEqual([statuses, connections], [{ 200: 3, 204: 1 }, 1]);
});

test('a key that does not belong to a run is NoSuchKey', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t, { mode: 'null', objectSize: 10 }));
  for (const Key of ['k', 'benchmark/run/0123456-1', 'benchmark/run/01234567-x', '01234567-1']) {
    await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key })), { name: 'NoSuchKey' });
  }
});

test('two objects have different ETags', async (t) => {
  const client = sdkClient(t, await startTestEndpoint(t, { mode: 'null', objectSize: 10 }));
  const heads = await Promise.all(
    [0, 1, 2, 3].map((index) => client.send(new HeadObjectCommand({ Bucket, Key: keyspace().keyOf(index) }))),
  );
  assert.equal(new Set(heads.map(({ ETag }) => ETag)).size, 4);
});

test('responds to requests in order, however their bytes are cut, even if they are pipelined', async (t) => {
  const endpoint = await startTestEndpoint(t, { mode: 'null', objectSize: 3 });
  const put = 'PUT /b/k HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\n\r\nabcde';
  const stream = `${put}GET /b/p/r/00000000-7 HTTP/1.1\r\n\r\nDELETE /b/k HTTP/1.1\r\nconnection: close\r\n\r\n`;
  const whole = withoutDates(await exchange(endpoint, stream));
  assert.deepEqual(whole.match(/HTTP\/1\.1 [0-9]+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 204']);
  const body = new Payload('r').view(7, 0, 3);
  assert.ok(whole.includes(`Content-Length: 3\r\n\r\n${body.toString('utf8')}HTTP/1.1 204`));
  await Promise.all(
    Array.from({ length: stream.length - 1 }, async (_, place) => {
      const socket = net.connect(endpoint.port, endpoint.hostname);
      socket.setNoDelay(true);
      const answer = text(socket);
      await new Promise((resolve) => socket.write(stream.slice(0, place + 1), resolve));
      socket.write(stream.slice(place + 1));
      assert.equal(withoutDates(await answer), whole, `cut after ${place + 1} bytes`);
    }),
  );
});

test('an unreadable request is 400, and closes its connection', async (t) => {
  const endpoint = await startTestEndpoint(t, { mode: 'null', objectSize: 3 });
  assert.match(await exchange(endpoint, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 Bad Request\r\n.*Connection: close/s);
});

test('the null mode rejects faults and objects', async (t) => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  const faulty = startLocalS3({ buckets: [Bucket], credentials, mode: 'null', objectSize: 1, faults: 'reset=1%' });
  await assert.rejects(faulty, /Null mode injects no faults/);
  const endpoint = await startTestEndpoint(t, { mode: 'null', objectSize: 1 });
  await assert.rejects(endpoint.put(Bucket, 'k', Buffer.alloc(1)), /keeps no objects/);
});

/** @param {Buffer | Iterable<Buffer>} body */
function iterableOf(body) {
  return Buffer.isBuffer(body) ? [body] : body;
}

/** @param {string} answers */
function withoutDates(answers) {
  return answers.replaceAll(/Date: [^\r]*\r\n/g, '');
}
