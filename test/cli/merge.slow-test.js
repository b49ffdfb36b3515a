import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resultFrom } from '../helpers/result-schema.js';
import { COUNT_NAMES } from '../../lib/model/counters.js';

/** @import { Readable } from 'node:stream' */

const PROGRAM = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const BENCHMARK = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));
const OLD_LOG = fileURLToPath(new URL('../golden/old-tool.txt', import.meta.url));
const OWN_LOG = fileURLToPath(new URL('../golden/own-log.txt', import.meta.url));

const OLD_PEAKS = 'Peak Performance: {\n  Write: 1284.2,\n  Read: 2057.7,\n  Stat: 2418.3,\n  Remove: 1749.2\n}\n';
const OWN_PEAKS = 'Peak Performance: {\n  Write: 1200,\n  Read: 2000,\n  Stat: 5555.6,\n  Remove: 1950\n}\n';

/** The golden log ends with a machine line of a later version. @param {string} [file] */
function laterVersion(file = OWN_LOG) {
  return `warning: ${file}:57: ignored kinds of machine lines that this version does not recognize: "no kind"\n`;
}

let folder = '';

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'peak-'));
});

after(() => rm(folder, { recursive: true }));

/**
 * Runs the program in the folder of the test logs.
 *
 * @param {readonly string[]} args
 */
async function peak(...args) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, status };
}

/**
 * Runs the program like peak(), and returns only the peaks, which come first.
 *
 * @param {readonly string[]} args
 */
async function peaksOf(...args) {
  const { stdout, ...rest } = await peak(...args);
  return { stdout: stdout.slice(0, stdout.indexOf('}\n') + 2), ...rest };
}

/**
 * @param {string} name
 * @param {readonly string[]} lines
 */
async function logFile(name, lines) {
  await writeFile(path.join(folder, name), lines.map((line) => `${line}\n`).join(''));
  return name;
}

/**
 * @param {string} time
 * @param {string} operationsPerSecond
 */
function second(time, operationsPerSecond) {
  return `${time}: Write: Ops ${operationsPerSecond}/s Throughput 0.0MB/s`;
}

const SCHEDULE = 'Write: scheduling for 10000 objects in 1000 threads and 1 buckets';
const SUMMARY = 'Write took 3000ms. Peak ops 999.9/s Avg ops 742.0/s  Total size 156.3MB  Recoverable errors 0';

test("the peaks of the old tool's log are those in its summaries", async () => {
  assert.deepEqual(await peaksOf(OLD_LOG), { stdout: OLD_PEAKS, stderr: '', status: 0 });
});

test('the peaks of our log include those of stages without a full second', async () => {
  assert.deepEqual(await peaksOf(OWN_LOG), { stdout: OWN_PEAKS, stderr: laterVersion(), status: 0 });
});

test('old and new logs may be mixed', async () => {
  const { stdout, stderr, status } = await peaksOf(OLD_LOG, OWN_LOG);
  const best = 'Peak Performance: {\n  Write: 1284.2,\n  Read: 2057.7,\n  Stat: 3000,\n  Remove: 1950\n}\n';
  assert.deepEqual({ stdout, stderr, status }, { stdout: best, stderr: laterVersion(), status: 0 });
});

test('adds hosts second by second, even across midnight', async () => {
  const a = await logFile('a.txt', [SCHEDULE, second('23:59:59', '100.5'), second('00:00:00', '200.2'), SUMMARY]);
  const b = await logFile('b.txt', [SCHEDULE, second('00:00:00', '300.1'), second('00:00:01', '400.0'), SUMMARY]);
  const c = await logFile('c.txt', [SCHEDULE, second('23:59:59', '100.7'), second('00:00:00', '0.0'), SUMMARY]);
  const expected = { stdout: 'Peak Performance: {\n  Write: 500.3\n}\n', stderr: '', status: 0 };
  assert.deepEqual(await peaksOf(a, b, c), expected);
});

test('a log with CRLF, a byte order mark and mixed-in stderr gives the same peaks', async () => {
  const log = await readFile(OLD_LOG, 'utf8');
  const mixed = `\uFEFF${log.replaceAll('\n', '\r\nprogress: 40%\r\n')}`;
  await writeFile(path.join(folder, 'mixed.txt'), mixed);
  assert.deepEqual(await peaksOf('mixed.txt'), { stdout: OLD_PEAKS, stderr: '', status: 0 });
});

test('adds, shows and writes stages that this version does not run like all others', async () => {
  const summary = SUMMARY.replace('Write', 'Copy-Part');
  const lines = (/** @type {string} */ rate) => [
    SCHEDULE.replace('Write', 'Copy-Part'),
    second('03:10:05', rate).replace('Write', 'Copy-Part'),
    summary,
    'Tag took 1000ms. Peak ops 7.0/s Avg ops 7.0/s  Total size 0.0MB  Recoverable errors 0',
  ];
  const a = await logFile('list-a.txt', [...lines('100.5'), second('03:10:06', '1.0'), SUMMARY]);
  const b = await logFile('list-b.txt', lines('20.2'));
  const { stdout, stderr, status } = await peak(a, b, '--csv', 'list.csv');
  assert.deepEqual([stderr, status], ['', 0]);
  assert.equal(
    stdout.slice(0, stdout.indexOf('}\n') + 2),
    "Peak Performance: {\n  Write: 999.9,\n  'Copy-Part': 120.7,\n  Tag: 7\n}\n",
  );
  assert.match(stdout, /^Copy-Part\n {2}Peak second +120\.7 ops\/s/m);
  const csv = await readFile(path.join(folder, 'list.csv'), 'utf8');
  assert.match(csv, /^03:10:04,Copy-Part,list-b\.txt,20\.2,\d+$/m);
});

test('counts a file that is given twice once, with a warning', async () => {
  await copyFile(OLD_LOG, path.join(folder, 'log.txt'));
  const { stdout, stderr, status } = await peaksOf('log.txt', './log.txt');
  assert.equal(stdout, OLD_PEAKS);
  assert.equal(stderr, 'warning: ./log.txt: the same file as log.txt, counted once\n');
  assert.equal(status, 0);
});

test('refuses a file that is missing or a directory, by name', async () => {
  for (const [file, problem] of [
    ['missing.txt', 'cannot be read: no such file or directory (ENOENT)'],
    ['.', 'is a directory, expected a log file'],
  ]) {
    const { stdout, stderr, status } = await peaksOf(OLD_LOG, file);
    assert.deepEqual([stdout, stderr, status], ['', `error: ${file}: ${problem}\n`, 2]);
  }
});

test('names files without log lines, and prints the rest', async () => {
  await logFile('foreign.txt', ['Lorem ipsum']);
  const { stdout, stderr, status } = await peaksOf('foreign.txt', OLD_LOG);
  assert.equal(stdout, OLD_PEAKS);
  assert.deepEqual(stderr.split('\n'), [
    'warning: foreign.txt:1: contains no log lines: expected output of r2-benchmark (stdout, --log or --json)',
    '',
  ]);
  assert.equal(status, 1);
});

test('names a truncated log with the line at which its last stage starts', async () => {
  const cut = await logFile('cut.txt', ['run id 7f3a', SCHEDULE, second('03:10:05', '931.1')]);
  const { stdout, stderr, status } = await peaksOf(cut);
  assert.equal(stdout, 'Peak Performance: {\n  Write: 931.1\n}\n');
  assert.equal(stderr, 'warning: cut.txt:2: Write begins here and has no summary: the log is cut short\n');
  assert.equal(status, 1);
});

test('merges a run that ended early or lacks a shard, and reports it in the status', async () => {
  const log = await readFile(OWN_LOG, 'utf8');
  await writeFile(path.join(folder, 'stalled.txt'), log.replace('"end":"complete"', '"end":"stalled"'));
  await writeFile(path.join(folder, 'shard.txt'), log.replace('"shard":"0/1"', '"shard":"0/2"'));
  const stalled = await peaksOf('stalled.txt');
  assert.match(stalled.stderr, /^warning: stalled\.txt:\d+: Write ended before its work was done \(stalled\)$/m);
  const shard = await peaksOf('shard.txt');
  const missing = 'warning: shard.txt:1: run 20260131-235958-7f3a: no log of shard 1/2\n';
  assert.equal(shard.stderr, laterVersion('shard.txt') + missing);
  assert.deepEqual([stalled.stdout, stalled.status, shard.stdout, shard.status], [OWN_PEAKS, 1, OWN_PEAKS, 1]);
});

test('without any stage, prints only the reason', async () => {
  const log = await logFile('retries.txt', ['Retrying on TRANSIENT error']);
  const { stdout, stderr, status } = await peak(log);
  assert.equal(stdout, '');
  assert.equal(stderr, 'error: found no stages in the files; expected logs or results of r2-benchmark\n');
  assert.equal(status, 1);
});

test('responds on stderr with status 2 if there are no logs, or an unknown option', async () => {
  const without = await peak();
  assert.deepEqual([without.stdout, without.status], ['', 2]);
  assert.match(without.stderr, /^error: missing required argument 'files'\n.*--help/);
  const unknown = await peak('--frobnicate', OLD_LOG);
  assert.deepEqual([unknown.stdout, unknown.status], ['', 2]);
  assert.match(unknown.stderr, /^error: unknown option '--frobnicate': --help all shows every option\n/);
});

test('the help fits on one screen and shows an example', () => {
  const options = { cwd: path.dirname(PROGRAM), encoding: /** @type {const} */ ('utf8') };
  const { stdout, stderr, status } = spawnSync(process.execPath, ['peak-performance.js', '--help'], options);
  assert.deepEqual([stderr, status], ['', 0]);
  assert.match(stdout, /^Usage: node peak-performance\.js <files\.\.\.> \[options\]\n/);
  assert.match(stdout, /node peak-performance\.js log\*\.txt/);
  assert.ok(stdout.split('\n').length <= 32);
  assert.ok(stdout.split('\n').every((line) => line.length <= 100));
});

test('prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.deepEqual(await peak('--version'), { stdout: `${version}\n`, stderr: '', status: 0 });
});

for (const args of [[OLD_LOG], ['--help']]) {
  test(`a closed stdout ends ${path.basename(args[0])} with status 141 and without a crash`, async () => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.deepEqual({ stderr, status }, { stderr: '', status: 141 });
  });
}

test('reports a full disk in one line', { skip: !existsSync('/dev/full') && 'needs /dev/full' }, async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [PROGRAM, OLD_LOG], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  const stderrStream = /** @type {Readable} */ (child.stderr);
  const [stderr, [status]] = await Promise.all([text(stderrStream), once(child, 'exit')]);
  assert.match(stderr, /^error: the output cannot be written: ENOSPC.*\n$/);
  assert.equal(status, 1);
});

test('prints the text in addition to a report in a file, but not to a report on stdout', async () => {
  const both = await peak(OWN_LOG, '--json', 'report.json', '--csv', 'series.csv');
  assert.deepEqual([both.stdout.startsWith(OWN_PEAKS), both.stderr, both.status], [true, laterVersion(), 0]);
  const [json, csv] = await Promise.all(
    ['report.json', 'series.csv'].map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  assert.equal(resultFrom(json).merge.peaks.Write, 1200);
  assert.equal(csv.split('\n')[1], '2026-01-31T23:59:58Z,Write,fra-1,400,6553600');
  assert.deepEqual(await peak(OWN_LOG, '--json', '-'), { stdout: json, stderr: laterVersion(), status: 0 });
  assert.deepEqual(await peak(OWN_LOG, '--csv', '-'), { stdout: csv, stderr: laterVersion(), status: 0 });
});

test('reports unwritable reports before it reads the logs', async () => {
  const two = await peak(OWN_LOG, '--json', '-', '--csv', '-');
  assert.deepEqual([two.stdout, two.status], ['', 2]);
  assert.match(two.stderr, /^error: --json, --csv: only one of them can go to standard output\n/);
  const nowhere = await peak('missing.txt', '--csv', 'nowhere/series.csv');
  assert.deepEqual([nowhere.stdout, nowhere.status], ['', 2]);
  assert.match(nowhere.stderr, /^error: --csv: nowhere\/series\.csv cannot be written: /);
  const none = await peak(OWN_LOG, '--json', '');
  assert.deepEqual([none.status, none.stderr.split('\n')[0]], [2, 'error: --json: expected a value, got nothing']);
});

test('does not write a report over a log or the other report', async () => {
  const log = await readFile(OWN_LOG, 'utf8');
  await Promise.all(['kept-a.txt', 'kept-b.txt'].map((name) => writeFile(path.join(folder, name), log)));
  for (const [args, option] of /** @type {const} */ ([
    [['--json', 'kept-a.txt', 'kept-b.txt'], '--json'],
    [['kept-a.txt', '--csv', './kept-a.txt'], '--csv'],
  ])) {
    const { stdout, stderr, status } = await peak(...args);
    assert.deepEqual([stdout, status], ['', 2]);
    assert.match(stderr, new RegExp(`^error: ${option}: (\\./)?kept-a\\.txt is a log and would be overwritten: `));
  }
  assert.equal(await readFile(path.join(folder, 'kept-a.txt'), 'utf8'), log);
  const same = await peak('kept-a.txt', '--json', 'both', '--csv', './both');
  assert.deepEqual([same.stdout, same.status], ['', 2]);
  assert.match(same.stderr, /^error: --json, --csv: expected two files, got "both" for both\n/);
  const [first, again] = [await peak('kept-a.txt', '--json', 'r.json'), await peak('kept-a.txt', '--json', 'r.json')];
  assert.deepEqual([first.status, again.status], [0, 0], 'an earlier report may be written over');
});

test('if the logs contain no stage, the results report that instead of keeping those of an earlier build', async () => {
  const log = await logFile('nothing.txt', ['Retrying on TRANSIENT error']);
  const files = ['nothing.json', 'nothing.xml', 'nothing.md'];
  await Promise.all(files.slice(1).map((name) => writeFile(path.join(folder, name), 'of an earlier build')));
  const to = ['--json', files[0], '--junit', files[1], '--summary', files[2]];
  const { stdout, stderr, status } = await peak(log, ...to, '--assert', 'write.errors == 0');
  const problem = 'found no stages in the files; expected logs or results of r2-benchmark';
  assert.deepEqual([stdout, stderr, status], ['', `error: ${problem}\n`, 1]);
  const [json, junit, summary] = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  assert.deepEqual(resultFrom(json).problems, [problem]);
  assert.ok(junit.includes(`<error type="incomplete" message="${problem}"/>`), junit);
  assert.match(summary, /^## r2-benchmark: something went wrong\n[^]*^- found no stages in the files; /m);
});

test('if an assertion refers to a stage that did not run, the results report that with the figures', async () => {
  const files = ['unrun.json', 'unrun.xml', 'unrun.md'];
  const to = ['--json', files[0], '--junit', files[1], '--summary', files[2]];
  const { stdout, stderr, status } = await peak(OLD_LOG, ...to, '--assert', 'list.rate > 1');
  assert.deepEqual([stdout, status], ['', 2]);
  const problem = '--assert: "list.rate > 1": unknown stage list, expected write, read, stat, remove';
  assert.ok(stderr.startsWith(`error: ${problem}`), stderr);
  const [json, junit, summary] = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  const { problems, stages } = resultFrom(json);
  assert.deepEqual([problems.length, problems[0].startsWith(problem), stages.length], [1, true, 4]);
  assert.match(junit, /<error type="incomplete" message="--assert: [^"]*unknown stage list, /);
  assert.match(summary, /^## r2-benchmark: something went wrong\n[^]*^- .*unknown stage list, /m);
});

test('an assertion on counters that an old log lacks is inconclusive, and so is the status', async () => {
  const names = ['throttled', 'failed', 'integrityErrors'];
  const args = names.flatMap((name) => ['--assert', `${name} == 0`]);
  const { stdout, stderr, status } = await peak(OLD_LOG, ...args, '--json', '-');
  assert.equal(status, 1);
  assert.deepEqual(
    stderr.trimEnd().split('\n'),
    names.map((name) => `threshold inconclusive: ${name} == 0: not known: the result does not contain it`),
  );
  const [{ throttled, merge }] = resultFrom(stdout).stages;
  assert.equal(throttled, 0);
  const known = ['operations', 'bytes', 'attempts', 'retries'];
  assert.deepEqual(
    merge.untold,
    COUNT_NAMES.filter((name) => !known.includes(name)),
  );
});

test('reads a log from standard input', async () => {
  const child = spawn(process.execPath, [PROGRAM, '-'], { cwd: folder });
  child.stdin.end(await readFile(OLD_LOG));
  const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.deepEqual([stdout.startsWith(OLD_PEAKS), status], [true, 0]);
});

test('understands the log of a real run, including its percentiles', async () => {
  const parameters = ['300', '5', '--local', '--size', '1KiB', '--quiet'];
  const run = spawn(process.execPath, [BENCHMARK, ...parameters], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  await writeFile(path.join(folder, 'real.txt'), await text(run.stdout));
  const { stdout, stderr, status } = await peak('real.txt', '--json', '-');
  assert.deepEqual([stderr, status], ['', 0]);
  const { stages, hosts, merge } = resultFrom(stdout);
  assert.deepEqual([merge.isDated, hosts[0].options.size], [true, 1024]);
  for (const { stage, operations, attempts, bytes, latency } of stages) {
    const moved = stage === 'Write' || stage === 'Read' ? 307_200 : 0;
    assert.deepEqual([operations, attempts, bytes, latency.operations.count], [300, 300, moved, 300]);
  }
});

test('the merge command of r2-benchmark does the same', async () => {
  for (const args of [
    [OLD_LOG],
    [OWN_LOG, '--json', '-'],
    [OWN_LOG, '--csv', '-'],
    ['missing.txt'],
    [OLD_LOG, OLD_LOG],
  ]) {
    const child = spawn(process.execPath, [BENCHMARK, 'merge', ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    assert.deepEqual({ stdout, stderr, status }, await peak(...args), args.join(' '));
  }
});
