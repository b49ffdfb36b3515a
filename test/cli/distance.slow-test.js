import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

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
