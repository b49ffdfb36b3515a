import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

test('a mixed load finds every stale version that the store serves', async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'seed=3,latency=5ms,GET.stale=20%' });
  const load = ['300', '16', '--mix', 'read=80,write=20', '--duration', '2s', '--gap', '1s', '--no-preflight'];
  const command = await startCommand(t, [...load, '--json', 'result.json'], { dotEnv: dotEnvOf(endpoint) });
  const outcome = await command.outcome;
  const { stages } = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  const { staleReads, foreignReads, tornReads } = stages[1];
  const { stale } = (await endpoint.report()).faults;
  assert.ok(stale > 0);
  assert.deepEqual([staleReads, foreignReads, tornReads], [stale, 0, 0]);
  assertStatus(outcome, 1);
  assert.match(outcome.stderr, /^Mixed: integrity error: .*: the body is stale: got version \d+, but version \d+ /m);
  assert.ok(outcome.stdout.includes(`\nMixed: ${stale} integrity errors (${stale} stale)\n`));
  assert.deepEqual(await keysIn(endpoint), []);
});
