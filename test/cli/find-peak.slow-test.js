import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { machineRecords } from '../helpers/log-records.js';

describe('a search for the peak', { concurrency: 2 }, () => {
  test('a signal ends it with its findings and an empty store', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=5ms,queue=200' });
    const parameters = ['20000', '16', '--size', '1KiB', '--find-peak', '--json', 'result.json'];
    const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^Write +\d.*ramp$/m);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assert.deepEqual(await keysIn(endpoint), []);

    const records = recordsOf(outcome.stdout);
    assert.deepEqual(
      ofKind(records, 'search').map(({ stage, threads }) => [stage, threads]),
      [['Write', 16]],
    );
    const rows = ofKind(records, 'step-row');
    const steps = machineRecords(records, 'part').filter(({ at }) => at.startsWith('search.'));
    assert.equal(rows.length, steps.length);
    assert.match(outcome.stdout, /^Write capacity: at least [\d.]+ ops\/s at \d+ threads?; the search ended early/m);
    assert.deepEqual([ofKind(records, 'second'), ofKind(records, 'summary')], [[], []]);
    const { stages } = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.equal(stages[0].search.steps.length, rows.length);
  });
});
