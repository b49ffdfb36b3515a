import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resultFrom } from '../helpers/result-schema.js';

const PROGRAM = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const OLD_LOG = fileURLToPath(new URL('../golden/old-tool.txt', import.meta.url));
const OWN_LOG = fileURLToPath(new URL('../golden/own-log.txt', import.meta.url));

const OLD_PEAKS = 'Peak Performance: {\n  Write: 1284.2,\n  Read: 2057.7,\n  Stat: 2418.3,\n  Remove: 1749.2\n}\n';
const OWN_PEAKS = 'Peak Performance: {\n  Write: 1200,\n  Read: 2000,\n  Stat: 5555.6,\n  Remove: 1950\n}\n';

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
 * @param {string} name
 * @param {readonly string[]} lines
 */
async function logFile(name, lines) {
  await writeFile(path.join(folder, name), lines.map((line) => `${line}\n`).join(''));
  return name;
}

test("the peaks of the old tool's log are those in its summaries", async () => {
  const { stdout, stderr, status } = await peak(OLD_LOG);
  assert.deepEqual([stdout.startsWith(OLD_PEAKS), stderr, status], [true, '', 0]);
});

for (const args of [[OLD_LOG], ['--help']]) {
  test(`a closed stdout ends ${path.basename(args[0])} with status 141 and without a crash`, async () => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.deepEqual({ stderr, status }, { stderr: 'stdout was closed\n', status: 141 });
  });
}

test('prints the text in addition to a report in a file, but not to a report on stdout', async () => {
  const both = await peak(OWN_LOG, '--json', 'report.json', '--csv', 'series.csv');
  assert.deepEqual([both.stdout.startsWith(OWN_PEAKS), both.stderr, both.status], [true, '', 0]);
  const [json, csv] = await Promise.all(
    ['report.json', 'series.csv'].map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  assert.equal(resultFrom(json).merge.peaks.Write, 1200);
  assert.equal(csv.split('\n')[1], '2026-01-31T23:59:58Z,Write,fra-1,400,6553600');
  assert.deepEqual(await peak(OWN_LOG, '--json', '-'), { stdout: json, stderr: '', status: 0 });
  assert.deepEqual(await peak(OWN_LOG, '--csv', '-'), { stdout: csv, stderr: '', status: 0 });
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
