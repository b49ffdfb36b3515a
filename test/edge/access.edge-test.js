import assert from 'node:assert/strict';
import { test } from 'node:test';
import { S3_CALLS } from '../../lib/s3/s3-calls.js';
import { AttemptError } from '../../lib/s3/s3-error.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { runCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { startEdge } from './edge-worker.js';

const LAYOUT = { runId: 'forged', prefix: 'benchmark', buckets: ['local'] };
const keyspace = new Keyspace(LAYOUT);

/** @type {import('../../lib/s3/s3-calls.js').S3Call} */
const PUT_IF_ABSENT = { ...S3_CALLS.PutObject, headerNames: { IfNoneMatch: 'if-none-match' } };

test('a hundred requests with a wrong secret or date are refused and touch nothing', async (t) => {
  const edge = await startEdge(t);
  for (let forged = 0; forged < 50; forged++) {
    const wrong = await edge.connection(t, `${edge.secret.slice(0, -1)}${forged % 2 === 0 ? 'x' : 'y'}${forged}`);
    const old = await edge.connection(t, edge.secret, forged % 2 === 0 ? -61_000 - forged : 62_000 + forged);
    for (const connection of [wrong, old]) {
      const key = keyspace.keyOf(forged);
      const object = { bucket: 'local', key, size: 1, body: Buffer.from('x'), sink: { accept() {} } };
      const calls = [
        () => connection.send(S3_CALLS.PutObject, object),
        () => connection.send(S3_CALLS.DeleteObject, object),
        () => connection.send(S3_CALLS.GetObject, object),
        () => connection.send(PUT_IF_ABSENT, { ...object, input: { IfNoneMatch: '*' } }),
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

test('a conditional PUT writes an object once', async (t) => {
  const edge = await startEdge(t);
  const connection = await edge.connection(t);
  const [key, body] = [keyspace.keyOf(1), Buffer.from('x')];
  const object = { bucket: 'local', key, size: 1, body, sink: { accept() {} }, input: { IfNoneMatch: '*' } };
  await connection.send(PUT_IF_ABSENT, object);
  await assert.rejects(connection.send(PUT_IF_ABSENT, object), { status: 412 });
  assert.deepEqual(await edge.keys(), [key]);
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
