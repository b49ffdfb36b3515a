import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, folderWith, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * @import { SweptStage } from '../../lib/report/sweep-text.js'
 * @import { Sweep } from '../../lib/series/sweep-plan.js'
 */

const SHORT = ['--stages', 'write,read', '--no-preflight', '--duration', '1s', '--gap', '0s'];

/**
 * @param {string} file
 * @returns {Promise<Sweep & { kind: string, stages: SweptStage[] }>}
 */
async function sweepIn(file) {
  const sweep = JSON.parse(await readFile(file, 'utf8'));
  /** @type {Sweep['turns']} */ (sweep.turns).forEach(
    ({ result }) => result === null || resultFrom(JSON.stringify(result)),
  );
  return sweep;
}

describe('sweep', { concurrency: 2 }, () => {
  test('measures every combination, and writes a grid, JSON, CSV and a page', async (t) => {
    const command = await startCommand(t, [
      ...['sweep', '2000', '64', '--local', '--faults', 'latency=100ms', ...SHORT, '--seed', '7'],
      ...['--vary', 'size=4KiB,64KiB', '--vary', 'threads=1,16', '--reference', 'size=64KiB,threads=1'],
      ...['--json', 'sweep.json', '--csv', 'sweep.csv', '--report', 'sweep.html'],
    ]);
    const { stdout, stderr, ...outcome } = await command.outcome;
    assertStatus({ stdout, stderr, ...outcome }, 0);
    assert.match(stderr, /^4 cells \(2 × size, 2 × threads\), 1 run each, in random order \(--seed 7\)$/m);
    assert.equal(
      [...stderr.matchAll(/^\d of 4, size=\d+KiB threads=\d+: Write [\d,]+, Read [\d,]+ ops\/s/gm)].length,
      4,
    );

    assert.match(stdout, /^Write\n +size \/ threads +1 +16\nOps\/s {2}4KiB/);
    assert.match(stdout, /^Ratio {2}4KiB [^\n]+\n +64KiB +1\.00/m);
    assert.match(stdout, /^Best cell, size=\d+KiB threads=16:/m);
    assert.match(stdout, /from 1 to 16 threads, the rate\s+is/);
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 80),
      [],
    );

    const { kind, cells, turns, stages } = await sweepIn(path.join(command.folder, 'sweep.json'));
    assert.deepEqual([kind, cells.length, turns.length], ['sweep', 4, 4]);
    assert.deepEqual(turns.map(({ cell }) => cell).toSorted(), [0, 1, 2, 3]);
    for (const { cell, result, problem } of turns) {
      assert.equal(problem, null);
      const { size, threads } = /** @type {any} */ (result).options;
      assert.equal(`size=${size / 1024}KiB threads=${threads}`, cells[cell].label);
    }
    const rates = stages[1].cells.map((figures) => Number(figures?.rate));
    assert.ok(rates.every((rate) => rate > 0));

    const csv = await readFile(path.join(command.folder, 'sweep.csv'), 'utf8');
    assert.equal(csv.trimEnd().split('\n').length, 1 + 2 * 4);
    const page = await readFile(path.join(command.folder, 'sweep.html'), 'utf8');
    rates.forEach((rate) => assert.ok(page.includes(`<data value="${rate}">`)));
  });

  test('interrupted, keeps what it measured, leaves nothing in the bucket, and resumes', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=10ms' });
    const folder = await folderWith(t, {});
    const file = path.join(folder, 'sweep.json');
    const dotEnv = dotEnvOf(endpoint);
    const words = ['sweep', '200', '4', ...SHORT, '--vary', 'threads=1,2,3,4', '--json', file];
    const command = await startCommand(t, words, { dotEnv });
    await command.shows('stderr', /^1 of 4, threads=\d: /m);
    command.child.kill('SIGINT');
    const interrupted = await command.outcome;
    assertStatus(interrupted, 130);
    assert.match(interrupted.stdout, /^Not measured: [23] cells of 4\.$/m);
    assert.match(interrupted.stderr, /^Continue with: node .* sweep --resume .*sweep\.json$/m);
    assert.deepEqual(await keysIn(endpoint), []);
    const before = await sweepIn(file);

    const other = await runCommand(t, [...words, '--size', '1KiB', '--resume', file], { dotEnv });
    assertStatus(other, 2);
    assert.match(other.stderr, /^error: --resume: .* is of another sweep: pass only --resume/m);

    const same = await runCommand(t, ['sweep', '--resume', file, '--report', file], { dotEnv });
    assertStatus(same, 2);
    assert.match(same.stderr, /^error: --json, --report: expected two files/m);

    const resumed = await runCommand(t, ['sweep', '--resume', file], { dotEnv });
    assertStatus(resumed, 0);
    const after = await sweepIn(file);
    // A run that failed, as on a busy machine, is made again.
    const whole = before.turns.filter(({ problem }) => problem === null);
    assert.deepEqual(after.turns.slice(0, whole.length), whole);
    assert.deepEqual(after.turns.map(({ cell }) => cell).toSorted(), [0, 1, 2, 3]);
    assert.deepEqual(after.request, before.request);

    const again = await runCommand(t, [...words, '--resume', file], { dotEnv });
    assertStatus(again, 0);
    assert.match(again.stderr, /^0 runs to make/m);
    assert.equal(again.stdout, resumed.stdout);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('continues after a cell that fails, names the reason, and exits with status 1', async (t) => {
    const vary = ['faults=latency=1ms', 'faults=GET.status=403:100%'].flatMap((value) => ['--vary', value]);
    const words = ['sweep', '50', '4', '--local', ...SHORT, ...vary, '--json', 'sweep.json', '--csv', '-'];
    const command = await startCommand(t, words);
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^GET\.status=403:100% +failed +failed/m);
    assert.match(outcome.stderr, /^Failed: faults=GET\.status=403:100%: .*HTTP 403/m);
    assert.match(outcome.stdout, /^faults,run,stage,/);
    const { turns } = await sweepIn(path.join(command.folder, 'sweep.json'));
    assert.deepEqual(turns.map(({ problem }) => problem === null).toSorted(), [false, true]);
  });

  test('varies the number of buckets, repeats, and prints only the table on stdout', async (t) => {
    const words = ['--faults', 'latency=10ms', '--vary', 'buckets=1,2', '--repeat', '2', '--quiet'];
    const outcome = await runCommand(t, ['sweep', '50', '4', '--local', ...SHORT, ...words, '--json', '-']);
    assertStatus(outcome, 0);
    const { turns } = JSON.parse(outcome.stdout);
    const buckets = turns.map((/** @type {any} */ { cell, result }) => [cell, result.options.buckets].join());
    assert.deepEqual(buckets.toSorted(), ['0,1', '0,1', '1,2', '1,2']);
    assert.equal(outcome.stderr, '');
    const endpoint = await startTestEndpoint(t);
    const refused = await runCommand(t, ['sweep', '50', '4', '--vary', 'buckets=1,3'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(refused, 2);
    assert.match(
      refused.stderr,
      /^error: buckets=3: --vary buckets: expected at most 2, the number of buckets .*, got 3$/m,
    );
  });

  test('searches the capacity in each cell', async (t) => {
    const vary = ['faults=latency=20ms', 'faults=latency=40ms'].flatMap((value) => ['--vary', value]);
    const words = ['--find-peak', '--stages', 'write', ...vary];
    const outcome = await runCommand(t, ['sweep', '20000', '4', '--local', '--size', '1KiB', ...words, '--json', '-']);
    assertStatus(outcome, 0);
    const { stages, turns } = JSON.parse(outcome.stdout);
    for (const { cell, result } of turns) {
      assert.equal(stages[0].cells[cell].rate, result.stages[0].search.capacity.operationsPerSecond);
    }
  });

  test('stops at --max-cost, which holds for all runs together', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=10ms' });
    // Enough for the writes of one cell, but not of two.
    const words = ['--vary', 'threads=1,2,4', '--max-cost', '0.0012', '--json', 'sweep.json'];
    const outcome = await runCommand(t, ['sweep', '200', '4', ...SHORT, ...words], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 1);
    // In a cell, or before one.
    assert.match(outcome.stdout + outcome.stderr, /--max-cost|\(unpaid\)/);
    assert.match(outcome.stderr, /^Continue with: .* sweep --resume sweep\.json --max-cost 0\.0024$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});

// In 5.2 s, 10 or 11 operations of 0.5 s end: both are within 7%. A busy machine only makes them slower.
test('the rates of a sweep are those that the endpoint allows', async (t) => {
  const faults = ['faults=GET.latency=500ms', 'faults=GET.bandwidth=2MB'].flatMap((value) => ['--vary', value]);
  const words = [
    ...['--size', '200kB', '--stages', 'write,read', '--no-preflight'],
    ...['--warmup', '1100ms', '--duration', '6300ms'],
  ];
  const outcome = await runCommand(t, [
    ...['sweep', '40', '4', '--local', ...words, ...faults, '--vary', 'threads=2,8', '--json', '-'],
  ]);
  assertStatus(outcome, 0);
  const { cells, stages } = JSON.parse(outcome.stdout);
  const expected = [4, 16, 10, 10];
  cells.forEach((/** @type {{ label: string }} */ { label }, /** @type {number} */ index) => {
    const { rate } = stages[1].cells[index];
    const share = rate / expected[index];
    assert.ok(share > 0.8 && share < 1.07, `${label}: ${rate} ops/s, expected ${expected[index]}`);
  });
});
