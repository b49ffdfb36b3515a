import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

describe('--cleanup --list', { concurrency: 3 }, () => {
  test('shows what runs and others left, and removes nothing', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { buckets } = endpoint;
    for (const [runId, objects] of /** @type {const} */ ([
      ['a-run', 3],
      ['large-run', 2500],
    ])) {
      const keyspace = new Keyspace({ runId, prefix: 'load/test', buckets });
      const indices = Array.from({ length: objects }, (_, index) => index);
      await Promise.all(
        indices.map((index) => endpoint.put(keyspace.bucketOf(index), keyspace.keyOf(index), Buffer.alloc(1024))),
      );
    }
    await endpoint.put('bucket-b', 'load/test/notes.txt', Buffer.from('not of a run'));
    await endpoint.put('bucket-b', 'elsewhere', Buffer.from('not of a run'));
    const before = await keysIn(endpoint);
    const outcome = await runCommand(t, ['--cleanup', '--list', '--prefix', 'load/test'], {
      dotEnv: dotEnvOf(endpoint),
    });
    assertStatus(outcome, 0);
    const lines = outcome.stdout.trimEnd().split('\n');
    assert.equal(lines[0], 'Left under load/test/ in bucket-a, bucket-b:');
    assert.deepEqual(
      lines
        .slice(2, 4)
        .map((line) => line.split(/ {2,}/).slice(0, 3))
        .toSorted(),
      [
        ['a-run', '3', '0.0 MiB'],
        ['large-run', '2500', '2.4 MiB'],
      ],
    );
    assert.match(lines[2], /\d+s ago {2,}\d+s ago$/);
    assert.match(lines[4], /^Clean-up leaves alone 1 object under load\/test\/ .*: bucket-b\/load\/test\/notes\.txt$/);
    assert.match(lines[5], /: node \S*r2-benchmark\.js --cleanup (a|large)-run --prefix load\/test$/);
    assert.deepEqual(await keysIn(endpoint), before);
    assert.equal(outcome.stderr.replace(/^Listing: .*\n/gm, ''), '');
  });
});
