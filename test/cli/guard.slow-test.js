import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readResult } from '../../lib/result/read-result.js';
import { folderWith, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { assertSameFigures } from '../report/same-figures.js';

/** @import { Result } from '../../lib/result/result.js' */

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
  test('exits with 3 if one is missed, and reports it even with --quiet', async (t) => {
    const limits = ['--assert', 'write.rate > 1e9', '--assert', 'errors == 0'];
    const command = await startCommand(t, ['200', '10', '--local', '--quiet', ...limits, ...FILES]);
    const outcome = await command.outcome;
    assertStatus(outcome, 3);
    assert.match(outcome.stderr, /^threshold missed: write\.rate > 1000000000: it was [\d.]+\/s$/m);
    assert.equal(thresholdsIn(outcome.stderr).length, 1);
    const { result, summary, junit } = await outputsIn(command.folder);
    assert.match(summary, /^## r2-benchmark: 1 threshold missed\n/);
    assert.match(junit, /<testsuite name="thresholds" tests="2" failures="1" errors="0"/);
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
});
