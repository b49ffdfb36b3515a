import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { startEdge } from './edge-worker.js';

const SHORT = ['ab', '40', '6', '--size', '1KiB', '--quads', '6', '--stages', 'write,read', '--json', 'ab.json'];

test('the S3 API from this host and the binding at the edge take turns and leave nothing behind', async (t) => {
  const edge = await startEdge(t);
  const endpoint = await startTestEndpoint(t, { buckets: edge.buckets });
  const dotEnv = `${dotEnvOf(endpoint)}${edge.dotEnv}`;
  const command = await startCommand(t, [...SHORT, '--a', '--client direct', '--b', '--client edge'], { dotEnv });
  assertStatus(await command.outcome, 0);
  const result = JSON.parse(await readFile(path.join(command.folder, 'ab.json'), 'utf8'));
  assert.deepEqual([result.a.options.client, result.b.options.client], ['direct', 'edge']);
  for (const { passes } of result.quads) {
    for (const { stages } of passes) {
      assert.deepEqual(
        stages.map((/** @type {any} */ { stage, operations }) => [stage, operations]),
        [
          ['Write', 40],
          ['Read', 40],
        ],
      );
    }
  }
  assert.deepEqual(await edge.keys(), []);
  assert.deepEqual(await keysIn(endpoint), []);
});
