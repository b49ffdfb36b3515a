import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { main as peakPerformance } from '../../lib/cli/peak.js';
import {
  CALLED_IN_CLONE,
  dotEnvOf,
  keysIn,
  machineLines,
  runCommand,
  runInProcess,
  startCommand,
} from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

/** @param {readonly string[]} parameters */
async function refused(...parameters) {
  const { status, stdout, stderr } = await runInProcess(['1000', '10', '--local', ...parameters], {});
  assert.deepEqual([status, stdout], [2, '']);
  return stderr.split('\n').filter((line) => line.startsWith('error: '));
}

/** @param {string} file */
async function addUp(file) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const status = await peakPerformance([file], {}, { ...CALLED_IN_CLONE, stdin: Readable.from([]), stdout, stderr });
  return { status, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('a search for the peak', { concurrency: 3 }, () => {
  test('what sets load or time itself cannot stand beside it', async () => {
    for (const [option, value] of [
      ['--duration', '5s'],
      ['--start-at', 'next:60s'],
      ['--shard', '0/1'],
      ['--rate', '100'],
      ['--warmup', '1s'],
    ]) {
      const [error, ...more] = await refused('--find-peak', option, value, '--run-id', 'a');
      assert.match(error, new RegExp(`^error: ${option}: --find-peak sets load and time itself`));
      assert.deepEqual(more, []);
    }
  });

  test('dollars are a number above nothing', async () => {
    for (const given of ['', '0', '-1', '1e3', '$5', 'much', '0.0000001']) {
      const [error] = await refused(`--max-cost=${given}`);
      assert.match(error, /^error: --max-cost: expected dollars above 0, such as 0\.5 or 2, got /);
    }
  });

  test('a run that costs more than it may is refused, with what it costs', async () => {
    assert.deepEqual(await refused('--max-cost', '0.004'), [
      "error: --max-cost: the run costs $0.0052 at R2's list prices, expected fewer <objects> or at least that much, got $0.004",
    ]);
    const [error] = await refused('--max-cost', '1', '--duration', '5s');
    assert.match(error, /^error: --max-cost: what a run with --duration costs is not known before/);
  });

  test('too few objects are refused with how many it takes, as far as that is known, and nothing is left', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=50ms' });
    const outcome = await runCommand(t, ['30', '10', '--find-peak'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 2);
    // How many it takes depends on the latency with one thread, which cannot be measured on every busy machine.
    const expected = outcome.stderr.includes('The latency with one thread is not known')
      ? /^error: Write: 30 operations are too few to search for the peak, expected more <objects>$/m
      : /^error: <objects>: 30 are too few for --find-peak, expected at least \d+: /m;
    assert.match(outcome.stderr, expected);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('a signal ends it with what it has found, and an empty store; its log is not added up', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=5ms,queue=200' });
    const parameters = ['20000', '16', '--size', '1KiB', '--find-peak', '--json', 'result.json'];
    const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stdout', /^Write +\d.*climb$/m);
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
    assert.equal(rows.length, machineLines(records, 'step').length);
    assert.match(
      outcome.stdout,
      /^Write ceiling: at least [\d.]+ ops\/s at \d+ threads?; the search ended before its time/m,
    );
    assert.deepEqual([ofKind(records, 'second'), ofKind(records, 'summary')], [[], []]);
    const { stages } = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.equal(stages[0].search.steps.length, rows.length);

    const log = path.join(command.folder, 'log.txt');
    await writeFile(log, outcome.stdout);
    const { status, stdout, stderr } = await addUp(log);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(
      stderr,
      /log\.txt:1: a search with --find-peak begins here, which cannot be added up: it is not counted$/m,
    );
  });
});
