import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ratesOf, resultOf } from '../result/results.js';
import { folderWith, runInProcess } from '../helpers/command.js';

/**
 * @import { Result } from '../../lib/result/result.js'
 */

/** @param {number} rate */
function run(rate) {
  const rates = ratesOf(60, () => rate);
  const latencies = (/** @type {number} */ second) => Array.from({ length: rates[second] }, () => 5);
  return resultOf(['Write', 'Read'].map((name) => ({ name, rates, latencies })));
}

/**
 * @param {Record<string, Result>} results by the name of their file
 * @returns {Record<string, string>}
 */
function texts(results) {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, JSON.stringify(result)]));
}

/**
 * @param {readonly string[]} parameters
 */
function compare(...parameters) {
  return runInProcess(['compare', ...parameters], {});
}

test('compares two results with exit status 0, whether they differ or not', async (t) => {
  const folder = await folderWith(t, texts({ 'before.json': run(1000), 'after.json': run(1100) }));
  const [before, after] = ['before.json', 'after.json'].map((name) => path.join(folder, name));
  const different = await compare(before, after);
  assert.deepEqual([different.status, different.stderr], [0, '']);
  assert.match(different.stdout, /^after: Write 1\.10 times \(±0\.\d\d\) as fast as before$/m);
  assert.match(different.stdout, /^after: Read 1\.10 times \(±0\.\d\d\) as fast as before$/m);
  const alike = await compare(before, path.join(folder, '.', 'before.json'));
  assert.deepEqual([alike.status, alike.stderr], [0, '']);
  assert.match(alike.stdout, /^after: Read as fast as before, within 3%$/m);
});

test('rejects incomparable runs with a line per reason, unless the user insists', async (t) => {
  const other = run(1000);
  const stages = other.stages.map((stage) => ({ ...stage, threads: 100, objectSize: 1024 }));
  const folder = await folderWith(t, texts({ 'before.json': run(1000), 'after.json': { ...other, stages } }));
  const [before, after] = ['before.json', 'after.json'].map((name) => path.join(folder, name));
  const refused = await compare(before, after);
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.deepEqual(refused.stderr.trimEnd().split('\n'), [
    'error: the runs cannot be compared: object size: 16KiB before, 1KiB after (Write, Read)',
    'error: the runs cannot be compared: threads: 50 threads before, 100 threads after (Write, Read)',
    '--force compares them anyway',
  ]);
  const forced = await compare(before, after, '--force');
  assert.deepEqual([forced.status, forced.stderr], [0, '']);
  assert.match(forced.stdout, /^ {2}Compared anyway \(--force\), despite a mismatch: object size: 16KiB/m);
});

test('exits with status 1 if there is nothing to compare, and 2 if a side is missing', async (t) => {
  const folder = await folderWith(t, { ...texts({ 'run.json': run(1000) }), 'foreign.txt': 'Lorem ipsum' });
  const [result, foreign, missing] = ['run.json', 'foreign.txt', 'missing.json'].map((name) => path.join(folder, name));
  const { status, stdout, stderr } = await compare(foreign, result);
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^warning: .*\nerror: .*: found no stages; expected a result, a log, or a folder/);
  const refusal = await compare(result, missing);
  assert.deepEqual([refusal.status, refusal.stdout], [2, '']);
  assert.match(refusal.stderr, /^error: .*missing\.json: cannot be read: no such file or directory \(ENOENT\)\n$/);
});

test('exits with status 1 if a side lacks data, in a result as in a log', async (t) => {
  const stopped = run(1000);
  stopped.stages[1].end = 'time limit';
  const warnings = [{ file: 'a.log', line: 3, message: 'the log is cut short', incomplete: true }];
  const merge = { peaks: {}, isDated: true, clocks: { worst: null, trusted: [], withoutMachineLines: [] }, warnings };
  const folder = await folderWith(t, texts({ 'one.json': stopped, 'merged.json': { ...run(1000), merge } }));
  const { status, stderr } = await compare(path.join(folder, 'one.json'), path.join(folder, 'merged.json'));
  assert.equal(status, 1);
  assert.match(stderr, /one\.json: Read ended before its work was done .*\nwarning: a\.log:3: the log is cut short\n$/);
});

test('report warns and exits with status 1 if a file is foreign, even if the others do not belong together', async (t) => {
  const other = resultOf([{ rates: ratesOf(60) }], { run: 'run-2', options: { client: 'sdk' } });
  const files = { ...texts({ 'one.json': run(1000), 'other.json': other }), 'foreign.txt': 'Lorem ipsum' };
  const folder = await folderWith(t, files);
  const names = Object.keys(files).map((name) => path.join(folder, name));
  const { status, stderr } = await runInProcess(['report', ...names, '-o', path.join(folder, 'page.html')], {});
  assert.equal(status, 1);
  assert.match(stderr, /^warning: .*foreign\.txt:1: contains no log lines: .*\nwarning: .*other\.json: Read has no /);
});

test('checks the later run against limits, with the earlier one as their baseline', async (t) => {
  const folder = await folderWith(t, texts({ 'before.json': run(1000), 'after.json': run(900) }));
  const [before, after, file] = ['before.json', 'after.json', 'out.json'].map((name) => path.join(folder, name));
  const limits = ['--assert', 'errors == 0', '--assert', 'write.rate > 0.8 * baseline'];
  const kept = await compare(before, after, ...limits);
  assert.equal(kept.status, 0);
  assert.match(
    kept.stderr,
    /^threshold passed: errors == 0: it was 0\nthreshold passed: write\.rate > 0\.8 \* baseline: /,
  );
  const missed = await compare(before, after, '--assert', 'read.rate > 0.95 * baseline', '--json', file);
  assert.equal(missed.status, 3);
  assert.match(
    missed.stderr,
    /^threshold missed: read\.rate > 0\.95 \* baseline: it was [\d.]+\/s, baseline [\d.]+\/s$/m,
  );
  const [{ outcome, expression }] = JSON.parse(await readFile(file, 'utf8')).thresholds;
  assert.deepEqual([outcome, expression], ['missed', 'read.rate > 0.95 * baseline']);
  const refused = await compare(before, after, '--assert', 'reed.rate > 5', '--assert', 'read.knee > baseline');
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.deepEqual(refused.stderr.trimEnd().split('\n'), [
    'error: --assert: "reed.rate > 5": unknown stage reed, expected write, read; did you mean read?',
    `error: ${before} has no figure for "read.knee > baseline"`,
  ]);
});
