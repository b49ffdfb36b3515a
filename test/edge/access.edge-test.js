import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLAIM_SLICE, RUN_SLICE } from '../../lib/edge/slice.js';
import { S3_CALLS } from '../../lib/s3/s3-calls.js';
import { AttemptError } from '../../lib/s3/s3-error.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { runCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { startEdge } from './edge-worker.js';

const LAYOUT = { runId: 'forged', prefix: 'benchmark', buckets: ['local'] };
const keyspace = new Keyspace(LAYOUT);

/** @param {number} claim */
function sliceOf(claim) {
  return {
    ...{ claim: keyspace.claimKeyOf(claim), layout: LAYOUT, shard: { index: 0, count: 1 }, operations: ['write'] },
    ...{
      kinds: [],
      size: 10,
      amounts: { rangeSize: 1, pageSize: 1, batch: 1 },
      wroteObjects: true,
      threads: 2,
      lasts: 1000,
    },
    ...{ timeout: 1000, locals: [0, 1, 2], turns: [0, 1, 2], digests: [0, 0, 0] },
  };
}

/** @param {any} slice */
function requestOf(slice) {
  return { bucket: 'local', key: '', size: 0, body: null, sink: { accept() {} }, input: { Slice: slice } };
}

test('a hundred requests with a wrong secret or date are refused and touch nothing', async (t) => {
  const edge = await startEdge(t);
  for (let forged = 0; forged < 50; forged++) {
    const wrong = await edge.connection(t, `${edge.secret.slice(0, -1)}${forged % 2 === 0 ? 'x' : 'y'}${forged}`);
    const old = await edge.connection(t, edge.secret, forged % 2 === 0 ? -61_000 - forged : 62_000 + forged);
    for (const connection of [wrong, old]) {
      const key = keyspace.keyOf(forged);
      const object = { bucket: 'local', key, size: 1, body: Buffer.from('x'), sink: { accept() {} } };
      const calls = [
        () => connection.send(RUN_SLICE, requestOf(sliceOf(forged))),
        () => connection.send(S3_CALLS.PutObject, object),
        () => connection.send(S3_CALLS.DeleteObject, object),
        () => connection.send(S3_CALLS.GetObject, object),
        () => connection.send(CLAIM_SLICE, { ...object, input: { IfNoneMatch: '*' } }),
      ];
      await assert.rejects(calls[forged % calls.length], (/** @type {any} */ error) => {
        assert.ok(error instanceof AttemptError);
        assert.equal(error.status, 403);
        return true;
      });
    }
  }
  assert.deepEqual(await edge.record(), {});
});

test('a slice runs once, even if it is sent again', async (t) => {
  const edge = await startEdge(t);
  const connection = await edge.connection(t);
  await connection.send(RUN_SLICE, requestOf(sliceOf(7)));
  const { successes } = connection.reply.output;
  assert.equal(successes.length, 3);
  const keys = await edge.keys();
  assert.equal(keys.length, 4);
  const before = await edge.record();
  await assert.rejects(connection.send(RUN_SLICE, requestOf(sliceOf(7))), { status: 403 });
  assert.deepEqual(await edge.keys(), keys);
  // The claim was attempted and refused.
  assert.equal((await edge.record()).put, before.put + 1);
});

test('a slice claimed by the client never runs', async (t) => {
  const edge = await startEdge(t);
  const connection = await edge.connection(t);
  const slice = sliceOf(8);
  const claim = { ...requestOf(null), key: slice.claim, body: Buffer.alloc(0), input: { IfNoneMatch: '*' } };
  await connection.send(CLAIM_SLICE, claim);
  await assert.rejects(connection.send(RUN_SLICE, requestOf(slice)), { status: 403 });
  await assert.rejects(connection.send(CLAIM_SLICE, claim), { status: 412 });
  assert.deepEqual(await edge.keys(), [slice.claim]);
});

test('only keys that a run would write can be written, read or removed', async (t) => {
  const edge = await startEdge(t);
  for (const key of ['somebody/elses', 'x/y/z/w/-claim-0', 'benchmark%2frun1/-claim-0', 'benchmark/run1/00000000-1']) {
    const object = { bucket: 'local', key, size: 1, body: Buffer.from('x'), sink: { accept() {} } };
    for (const call of [S3_CALLS.PutObject, S3_CALLS.GetObject, S3_CALLS.DeleteObject]) {
      const connection = await edge.connection(t);
      await assert.rejects(connection.send(call, object), { status: 403 });
    }
  }
  assert.deepEqual(await edge.record(), {});
});

test('a wrong secret and an unbound bucket are each reported in one line', async (t) => {
  const edge = await startEdge(t);
  const parameters = ['10', '2', '--client', 'edge'];
  const wrong = await runCommand(t, parameters, {
    dotEnv: edge.dotEnv.replace(/^EDGE_SECRET=.*$/m, 'EDGE_SECRET=not-the-secret'),
  });
  assertStatus(wrong, 2);
  assert.match(wrong.stderr, /check EDGE_SECRET/);
  const other = await runCommand(t, [...parameters, '--bucket', 'other'], { dotEnv: edge.dotEnv });
  assertStatus(other, 2);
  assert.match(other.stderr, /binds no bucket to R2_other/);
});
