import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

const SMALL = ['60', '20', '--size', '1KiB'];

/** Every lengthy phase is announced by a line, so that the screen never seems frozen. */
const PHASES = [
  'Checking the buckets',
  "Measuring the store's clock",
  'Measuring the latency with one thread',
  'Opening the connections',
];

describe('a distant store', { concurrency: 2 }, () => {
  test('is measured with few operations, and each phase is announced', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=300ms' });
    const outcome = await runCommand(t, SMALL, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    const lines = outcome.stderr.split('\n');
    assert.deepEqual(
      lines.filter((line) => PHASES.includes(line)),
      PHASES,
    );
    const { requests } = await endpoint.report();
    const beside = requests.PUT.total - 60;
    assert.ok(beside >= 8 && beside <= 27, `${beside} objects were written beside those of the stages`);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});

test('a Write that runs out of objects in shared slots reports it while it waits, and suggests a number', async (t) => {
  const load = ['3', '2', '--size', '1KiB', '--duration', '2s', '--gap', '0s'];
  const run = [...load, '--start-at', '+3s', '--json', 'result.json', '--local'];
  const command = await startCommand(t, run);
  const outcome = await command.outcome;
  assertStatus(outcome, 0);
  assert.match(outcome.stderr, /^Write ran out of objects: Read starts in [012]\.\ds$/m);
  const told = /^Write ran out of objects after \d\.\ds of 2\.0s: .* pass about (\d+) <objects> instead of 3$/m.exec(
    outcome.stderr,
  );
  assert.ok(told !== null, outcome.stderr);
  const { stages } = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  assert.deepEqual(
    stages.map((/** @type {any} */ { objectsNeeded }) => objectsNeeded),
    [Number(told[1]), null, null, null],
  );
});
