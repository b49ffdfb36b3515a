import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ratesOf, resultOf } from '../compare/results.js';
import { folderWith, runCommand, runInProcess } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { Comparison } from '../../lib/model/comparison.js'
 * @import { Result } from '../../lib/model/result.js'
 */

/** @param {number} rate */
function run(rate) {
  return resultOf(['Write', 'Read'].map((name) => ({ name, rates: ratesOf(60, () => rate) })));
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
  assert.match(different.stdout, /^Write: 10% more operations per second\.$/m);
  assert.match(different.stdout, /^Read: 10% more operations per second\.$/m);
  const alike = await compare(before, path.join(folder, '.', 'before.json'));
  assert.deepEqual([alike.status, alike.stderr], [0, '']);
  assert.match(alike.stdout, /^Read: the same operations per second, within 3%\.$/m);
});

test('writes a page, which must not replace a result', async (t) => {
  const folder = await folderWith(t, texts({ 'before.json': run(1000), 'after.json': run(1100) }));
  const [before, after, page] = ['before.json', 'after.json', 'page.html'].map((name) => path.join(folder, name));
  const written = await compare(before, after, '--report', page);
  assert.deepEqual([written.status, written.stderr], [0, '']);
  assert.match(
    await readFile(page, 'utf8'),
    /<h1>After the change, Write is faster \(1\.100 times the rate\), Read is faster /,
  );
  const refused = await compare(before, after, '--report', after);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /^error: --report: .*after\.json is one of the two results/);
});

test('compares two short runs of the program, as far as possible', async (t) => {
  const results = await folderWith(t, {});
  const [before, after] = ['before', 'after'].map((name) => path.join(results, name));
  for (const place of [before, after]) {
    const options = ['--local', '--json', `${place}.json`, '--log', `${place}.log`];
    assertStatus(await runCommand(t, ['200', '10', ...options]), 0);
  }
  const outcome = await runCommand(t, ['compare', `${before}.json`, `${after}.json`, '--json', 'comparison.json']);
  assertStatus(outcome, 0);
  assert.match(outcome.stdout, /^Too short to compare: Write\s/m);
  assert.match(outcome.stdout, /comparison\s+needs\s+30\s+whole\s+seconds/);
  const ofLogs = await runCommand(t, ['compare', `${before}.log`, `${after}.json`]);
  assertStatus(ofLogs, 0);
  assert.match(ofLogs.stdout, /^Too short to compare: /m);
});

test('the JSON of a comparison contains what the text shows', async (t) => {
  const folder = await folderWith(t, texts({ 'before.json': run(1000), 'after.json': run(1100) }));
  const [before, after, file] = ['before.json', 'after.json', 'out.json'].map((name) => path.join(folder, name));
  const { status, stdout } = await compare(before, after, '--margin', '20%', '--json', file);
  assert.equal(status, 0);
  const written = await readFile(file, 'utf8');
  const comparison = /** @type {Comparison} */ (JSON.parse(written));
  assert.deepEqual([comparison.margin, comparison.before.name], [0.2, before]);
  assert.deepEqual(
    comparison.stages.map(({ stage, metrics }) => [stage, metrics[0].metric, metrics[0].verdict]),
    [
      ['Write', 'rate', 'the same'],
      ['Read', 'rate', 'the same'],
    ],
  );
  assert.match(stdout, /within 20%/);
  const direct = await compare(before, after, '--margin', '20%', '--json', '-');
  assert.equal(direct.stdout, written);
});

test('accepts a result of many hosts, or a folder of their results, as a side', async (t) => {
  const shards = ['fra-1', 'fra-2'].map((host, index) => {
    const whole = resultOf([
      { rates: ratesOf(60), latencies: (second) => Array.from({ length: ratesOf(60)[second] }, () => 5) },
    ]);
    const facts = { ...whole.hosts[0], host, shard: `${index}/2` };
    return { ...whole, ...facts, hosts: [facts] };
  });
  const folder = await folderWith(t, {});
  for (const side of ['monday', 'tuesday']) {
    await mkdir(path.join(folder, side));
    await Promise.all(
      shards.map((result) => writeFile(path.join(folder, side, `${result.host}.json`), JSON.stringify(result))),
    );
  }
  const [monday, tuesday, merged] = ['monday', 'tuesday', 'merged.json'].map((name) => path.join(folder, name));
  const files = shards.map(({ host }) => path.join(monday, `${host}.json`));
  assertStatus(await runCommand(t, ['merge', ...files, '--json', merged]), 0);
  for (const before of [monday, merged]) {
    const { status, stdout, stderr } = await compare(before, tuesday);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /2 hosts/);
    assert.match(stdout, /^Read: the same operations per second, within 3%\.$/m);
    assert.match(stdout, /^ {2}ops\/s +2,000\.2 +2,000\.2 /m);
  }
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
  assert.match(forced.stdout, /^Compared anyway \(--force\), despite mismatches:$/m);
});

test('rejects runs without a common stage even then', async (t) => {
  const [write, read] = ['Write', 'Read'].map((name) => resultOf([{ name, rates: ratesOf(60) }]));
  const folder = await folderWith(t, texts({ 'before.json': write, 'after.json': read }));
  const sides = ['before.json', 'after.json'].map((name) => path.join(folder, name));
  const { status, stderr } = await compare(...sides, '--force');
  assert.equal(status, 2);
  assert.equal(
    stderr,
    'error: the runs cannot be compared: the results have no stage in common: Write before, Read after\n',
  );
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

test('rejects a side with several runs of one host', async (t) => {
  const later = run(1000);
  const hour = 3_600_000;
  const facts = { ...later.hosts[0], run: 'run-2', start: '2026-01-31T13:00:00.000Z' };
  const stages = later.stages.map((stage) => ({
    ...stage,
    startedAt: Number(stage.startedAt) + hour,
    endedAt: Number(stage.endedAt) + hour,
    seconds: stage.seconds.map((second) => ({ ...second, secondStart: second.secondStart + hour / 1000 })),
  }));
  const folder = await folderWith(t, texts({ 'one.json': run(1000) }));
  const both = path.join(folder, 'both');
  await mkdir(both);
  await writeFile(path.join(both, 'a.json'), JSON.stringify(run(1000)));
  await writeFile(path.join(both, 'b.json'), JSON.stringify({ ...later, ...facts, hosts: [facts], stages }));
  const { status, stderr } = await compare(path.join(folder, 'one.json'), both);
  assert.equal(status, 2);
  assert.match(stderr, /compare takes one run per side/);
});

test('does not overwrite either of the two files, or any result', async (t) => {
  const folder = await folderWith(
    t,
    texts({ 'before.json': run(1000), 'after.json': run(1000), 'third.json': run(100) }),
  );
  const [before, after, third] = ['before.json', 'after.json', 'third.json'].map((name) => path.join(folder, name));
  for (const file of [before, third]) {
    const { status, stderr } = await compare(before, after, '--json', file);
    assert.equal(status, 2);
    assert.match(stderr, /^error: --json: .* and would be overwritten/);
    assert.ok((await readFile(file, 'utf8')).startsWith('{"format"'));
  }
});

test('reports what the command line does not allow at once', async () => {
  for (const margin of ['', '3', '0.03', '-3%', '51%', '1e1%', 'NaN%', '3 %']) {
    const { status, stderr } = await compare('before.json', 'after.json', `--margin=${margin}`);
    assert.equal(status, 2);
    assert.match(stderr, /^error: --margin: expected a percentage from 0% to 50%, such as 3% or 0\.5%, got /);
  }
  const { status, stderr } = await compare('', 'after.json', '--margin=x', '--json', '');
  assert.equal(status, 2);
  assert.deepEqual(
    stderr.split('\n').map((line) => /^error: ([^:]+)/.exec(line)?.[1]),
    ['--json', '--margin', '<before>', undefined, undefined],
  );
  assert.match((await compare('before.json')).stderr, /missing required argument 'after'/);
  assert.match((await compare('a', 'b', 'c')).stderr, /too many arguments/);
});

test('hostile names and texts never reach a terminal unescaped', async (t) => {
  const hostile = '\u001b[2J\u202e<script>\nfake: 1';
  const result = run(1000);
  const facts = { ...result.hosts[0], host: hostile, run: hostile, versions: { [hostile]: hostile } };
  const stages = result.stages.map((stage) => ({ ...stage, end: hostile, stage: `Read${hostile}` }));
  const folder = await folderWith(t, texts({ 'before.json': { ...result, stages } }));
  const after = path.join(folder, 'after\u001b[2J.json');
  await writeFile(after, JSON.stringify({ ...result, ...facts, hosts: [facts], stages }));
  const { stdout, stderr } = await compare(path.join(folder, 'before.json'), after);
  assert.doesNotMatch((stdout + stderr).replaceAll('\n', ''), /\p{C}/u);
  assert.doesNotMatch(stdout + stderr, /^fake/m);
});

test('checks the later run against limits, with the earlier one as their baseline', async (t) => {
  const folder = await folderWith(t, {
    ...texts({ 'before.json': run(1000), 'after.json': run(900) }),
    'guard.txt': 'write.rate > 0.8 * baseline\n',
  });
  const [before, after, guard, file] = ['before.json', 'after.json', 'guard.txt', 'out.json'].map((name) =>
    path.join(folder, name),
  );
  const kept = await compare(before, after, '--assert-file', guard, '--assert', 'errors == 0');
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
  const refused = await compare(before, after, '--assert', 'raed.rate > 5', '--assert', 'read.knee > baseline');
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.deepEqual(refused.stderr.trimEnd().split('\n'), [
    'error: --assert: "raed.rate > 5": unknown stage raed, expected write, read; did you mean read?',
    `error: ${before} has no figure for "read.knee > baseline"`,
  ]);
});
