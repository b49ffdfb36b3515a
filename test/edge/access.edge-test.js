import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { startEdge } from './edge-worker.js';

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
