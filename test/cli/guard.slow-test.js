import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readResult } from '../../lib/model/read-result.js';
import { folderWith, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { assertSameFigures } from '../report/same-figures.js';

/** @import { Result } from '../../lib/model/result.js' */

const PEAK = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const FILES = ['--json', 'a.json', '--summary', 'a.md', '--junit', 'a.xml'];

/** @param {string} folder with a.json, a.md and a.xml */
async function outputsIn(folder) {
  const [json, summary, junit] = await Promise.all(
    ['a.json', 'a.md', 'a.xml'].map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  return { result: /** @type {Result} */ (readResult(json).result), summary, junit };
}

/** @param {string} stderr */
function thresholdsIn(stderr) {
  return stderr.split('\n').filter((line) => line.startsWith('threshold '));
}

describe('a run with thresholds', { concurrency: 2 }, () => {
  test('exits with 0 if all pass, and every output includes them', async (t) => {
    const asserted = [
      'read.p99 < 60s',
      'errors == 0',
      'write.rate > 0.1',
      'cleanup.left == 0',
      'remove.operations == 200',
    ];
    const parameters = asserted.flatMap((text) => ['--assert', text]);
    const command = await startCommand(t, ['200', '10', '--local', ...parameters, ...FILES]);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.deepEqual(
      thresholdsIn(outcome.stderr).map((line) => line.split(': ')[1]),
      asserted,
    );
    const { result, summary, junit } = await outputsIn(command.folder);
    assert.deepEqual(
      result.thresholds?.map(({ expression, outcome: each }) => [expression, each]),
      asserted.map((text) => [text, 'passed']),
    );
    assert.match(summary, /^## r2-benchmark: no problems, 5 thresholds met\n/);
    assertSameFigures(result, { summary, junit });
  });

  test('exits with 3 if one is missed, and reports it even with --quiet', async (t) => {
    const folder = await folderWith(t, { 'guard.txt': 'write.rate > 1e9 # nobody does\nerrors == 0\n' });
    const file = ['--assert-file', path.join(folder, 'guard.txt')];
    const command = await startCommand(t, ['200', '10', '--local', '--quiet', ...file, ...FILES]);
    const outcome = await command.outcome;
    assertStatus(outcome, 3);
    assert.match(outcome.stderr, /^threshold missed: write\.rate > 1000000000: it was [\d.]+\/s$/m);
    assert.equal(thresholdsIn(outcome.stderr).length, 1);
    const { result, summary, junit } = await outputsIn(command.folder);
    assert.match(summary, /^## r2-benchmark: 1 threshold missed\n/);
    assert.match(junit, /<testsuite name="thresholds" tests="2" failures="1" errors="0"/);
    assertSameFigures(result, { summary, junit });
  });

  test('exits with 1 if it failed, whatever is missed', async (t) => {
    const faulty = [
      '--no-preflight',
      '--faults',
      'GET.status=500:100%',
      '--retries',
      '1',
      '--stages',
      'write,read,remove',
    ];
    const command = await startCommand(t, ['20', '4', '--local', ...faulty, '--assert', 'errors == 0', ...FILES]);
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^threshold missed: errors == 0: it was 40$/m);
    const { result, summary, junit } = await outputsIn(command.folder);
    assert.match(summary, /^## r2-benchmark: something went wrong, 1 threshold missed\n/);
    assertSameFigures(result, { summary, junit });
  });

  test('exits with 1 if a figure is unknown because no operation succeeded', async (t) => {
    const faulty = ['--no-preflight', '--faults', 'GET.status=500:100%', '--retries', '0'];
    const outcome = await runCommand(t, ['20', '4', '--local', ...faulty, '--assert', 'read.p99 < 1s']);
    assertStatus(outcome, 1);
    assert.match(
      outcome.stderr,
      /^threshold inconclusive: read\.p99 < 1s: not known: no operation of the stage succeeded$/m,
    );
  });

  test('is rejected with 2 because of a typing error, and leaves no file', async (t) => {
    const command = await startCommand(t, [
      '200',
      '10',
      '--local',
      '--assert',
      'reed.p99 < 5ms',
      '--log',
      'log.txt',
      ...FILES,
    ]);
    const outcome = await command.outcome;
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: --assert: "reed\.p99 < 5ms": unknown stage reed, .*; did you mean read\?$/m);
    assert.deepEqual([outcome.stdout, await readdir(command.folder)], ['', []]);
  });

  test('exits with 130 if it is interrupted, and writes its outputs', async (t) => {
    const given = ['100000', '4', '--local', '--faults', 'latency=20ms', '--assert', 'read.p99 < 1us'];
    const command = await startCommand(t, [...given, ...FILES]);
    await command.shows('stdout', /Write: Ops/);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assert.match(outcome.stderr, /^threshold inconclusive: read\.p99 < 1us: not known: the stage did not run$/m);
    const { junit } = await outputsIn(command.folder);
    assert.match(junit, /<error type="incomplete" message="it ended before its work was done \(stopped\)/);
  });

  test('is compared with an earlier one, and warns if they were measured differently', async (t) => {
    const before = await startCommand(t, ['200', '10', '--local', '--json', 'before.json']);
    assertStatus(await before.outcome, 0);
    const baseline = ['--baseline', path.join(before.folder, 'before.json')];
    const asserted = ['--assert', 'read.operations >= baseline', '--assert', 'read.operations > 2 * baseline'];
    const outcome = await runCommand(t, ['300', '20', '--local', ...baseline, ...asserted]);
    assertStatus(outcome, 3);
    assert.deepEqual(thresholdsIn(outcome.stderr), [
      'threshold passed: read.operations >= baseline: it was 300, baseline 200',
      'threshold missed: read.operations > 2 * baseline: it was 300, baseline 200',
    ]);
    assert.match(outcome.stderr, /^warning: --baseline: it was measured with different options, .*threads 10, now 20/m);
  });

  test('can assert its capacity if it is a search', async (t) => {
    const search = [
      '--find-peak',
      '--faults',
      'queue=400,latency=5ms',
      '--stages',
      'write',
      '--size',
      '1KiB',
      '--no-preflight',
    ];
    const asserted = ['--assert', 'write.capacity > 1', '--assert', 'write.capacity.low < 1'];
    const command = await startCommand(t, ['20000', '16', '--local', ...search, ...asserted, ...FILES]);
    const outcome = await command.outcome;
    const { result, summary, junit } = await outputsIn(command.folder);
    // On a busy machine, a search may not be able to hold one.
    const capacity = result.stages[0].search?.capacity ?? null;
    assertStatus(outcome, capacity === null ? 1 : 3);
    assert.deepEqual(
      result.thresholds?.map(({ value, outcome: each }) => [value, each]),
      capacity === null
        ? [
            [null, 'inconclusive'],
            [null, 'inconclusive'],
          ]
        : [
            [capacity.operationsPerSecond, 'passed'],
            [capacity.low, 'missed'],
          ],
    );
    assertSameFigures(result, { summary, junit });
  });
});

describe('logs with thresholds', { concurrency: 2 }, () => {
  test('of three hosts determine the status, and the outputs have the figures of their sum', async (t) => {
    const run = ['--local', '--run-id', 'a', '--stages', 'write'];
    const texts = await Promise.all(
      [0, 1, 2].map(async (index) => (await runCommand(t, ['90', '4', ...run, '--shard', `${index}/3`])).stdout),
    );
    const logs = texts.map((_, index) => `log-${index}.txt`);
    const asserted = ['--assert', 'write.operations == 270', '--assert', 'errors == 0', '--assert', 'write.p99 < 1us'];
    const folder = await folderWith(t, Object.fromEntries(logs.map((name, index) => [name, texts[index]])));
    const given = [...logs.map((name) => path.join(folder, name)), '--several-runs'];
    const peak = (/** @type {readonly string[]} */ more) =>
      startProgram(t, process.execPath, [PEAK, ...given, ...more]);

    const missed = await peak([...asserted, ...FILES]);
    const outcome = await missed.outcome;
    assertStatus(outcome, 3);
    assert.deepEqual(
      thresholdsIn(outcome.stderr).map((line) => line.split(': ').slice(0, 2).join(': ')),
      [
        'threshold passed: write.operations == 270',
        'threshold passed: errors == 0',
        'threshold missed: write.p99 < 1us',
      ],
    );
    const { result, summary, junit } = await outputsIn(missed.folder);
    assert.equal(result.hosts.length, 3);
    assertSameFigures(result, { summary, junit });

    const plain = await (await peak([])).outcome;
    assert.deepEqual([plain.status, plain.stdout], [0, outcome.stdout]);

    const mistyped = await peak(['--assert', 'read.p99 < 1s', ...FILES]);
    const refusal = await mistyped.outcome;
    assertStatus(refusal, 2);
    assert.match(refusal.stderr, /^error: --assert: "read\.p99 < 1s": unknown stage read, expected write$/m);
    // The files show what was wrong, instead of the results of an earlier run.
    assert.deepEqual(
      [refusal.stdout, (await outputsIn(mistyped.folder)).result.problems],
      ['', ['--assert: "read.p99 < 1s": unknown stage read, expected write']],
    );
  });

  test('with one that is no log exit with 1, whatever is missed', async (t) => {
    const { stdout } = await runCommand(t, ['90', '4', '--local', '--stages', 'write']);
    const folder = await folderWith(t, { 'foreign.txt': 'Lorem ipsum' });
    await writeFile(path.join(folder, 'log.txt'), stdout);
    const given = [
      PEAK,
      path.join(folder, 'log.txt'),
      path.join(folder, 'foreign.txt'),
      '--assert',
      'write.operations == 5',
    ];
    const command = await startProgram(t, process.execPath, given);
    const outcome = await command.outcome;
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^threshold missed: write\.operations == 5: it was 90$/m);
  });
});
