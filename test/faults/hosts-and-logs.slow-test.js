import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linesOfHost } from '../helpers/host-lines.js';
import { DEFAULTS, planHosts } from '../helpers/host-plan.js';
import { folderWith } from '../helpers/command.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * @import { TestContext } from 'node:test'
 */

const PROGRAM = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const BENCHMARK = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));

/** Two hosts that begin half a minute before midnight. */
const OPTIONS = { ...DEFAULTS, hosts: 2, seconds: 20 };

const MEBIBYTE = 2 ** 20;

/**
 * @param {string} folder of the logs
 * @param {readonly string[]} parameters
 * @param {readonly string[]} [nodeOptions]
 */
function peak(folder, parameters, nodeOptions = []) {
  return run(folder, [...nodeOptions, PROGRAM, ...parameters]);
}

/**
 * @param {string} folder of the logs
 * @param {readonly string[]} parameters
 * @param {readonly string[]} [nodeOptions]
 */
function benchmark(folder, parameters, nodeOptions = []) {
  return run(folder, [...nodeOptions, BENCHMARK, ...parameters]);
}

/**
 * @param {string} folder
 * @param {readonly string[]} parameters of Node
 */
async function run(folder, parameters) {
  const child = spawn(process.execPath, parameters, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.doesNotMatch(stderr, /^ {4}at |unexpected/m);
  return { stdout, stderr, status };
}

/**
 * @param {TestContext} t
 * @param {Record<string, readonly string[]>} logs lines by name
 */
function folderOf(t, logs) {
  const files = Object.entries(logs).map(([name, lines]) => [name, lines.map((line) => `${line}\n`).join('')]);
  return folderWith(t, Object.fromEntries(files));
}

/**
 * Merges logs in files, and reads the result.
 *
 * @param {TestContext} t
 * @param {Record<string, readonly string[]>} logs lines by name
 */
async function addUp(t, logs) {
  const { stdout, stderr, status } = await peak(await folderOf(t, logs), [...Object.keys(logs), '--json', '-']);
  return { report: stdout === '' ? null : resultFrom(stdout), warnings: stderr.split('\n').slice(0, -1), status };
}

/**
 * @param {Partial<typeof OPTIONS>} [options]
 * @returns {Record<string, readonly string[]>} lines by name of the log
 */
function made(options) {
  const hosts = planHosts({ ...OPTIONS, ...options });
  return Object.fromEntries(
    hosts.map((plan) => [`log-${plan.host}.txt`, [...linesOfHost(plan)].map((line) => line.text)]),
  );
}

/**
 * @param {Record<string, readonly string[]>} logs
 * @returns {number} operations of Write in the lines of seconds
 */
function operationsIn(logs) {
  const seconds = Object.values(logs).flatMap((lines) => lines.filter((line) => / Write: Ops /.test(line)));
  return seconds.reduce((sum, line) => sum + Number(/Ops ([\d.]+)\/s/.exec(line)?.[1]), 0);
}

describe('logs of several hosts', { concurrency: 3 }, () => {
  test("Row 24: over midnight, with clocks apart, hosts are merged by the store's seconds, but for a missing minute", async (t) => {
    const logs = made({ skew: 7000, seconds: 150 });
    const whole = await addUp(t, logs);
    assert.deepEqual([whole.warnings, whole.status], [[], 0]);
    assert.equal(whole.report.stages[0].operations, operationsIn(logs));

    const name = 'log-host-1.txt';
    const minute = logs[name].findIndex((line) => /"kind":"seconds","stage":"Write"/.test(line));
    const { warnings, status } = await addUp(t, { ...logs, [name]: logs[name].toSpliced(minute, 1) });
    assert.equal(status, 1);
    assert.match(
      warnings[0],
      /^warning: log-host-1\.txt:\d+: the seconds of Write add up to \d+ of its \d+ operations/,
    );
  });

  test('Row 24: runs of one host on two days are refused, and merged only on request', async (t) => {
    const host = { hosts: 1, seconds: 5 };
    const [yesterday] = Object.values(made(host));
    const [later] = Object.values(made({ ...host, start: DEFAULTS.start + 86_400_000 }));
    const today = [later[0].replace('-test"', '-later"'), ...later.slice(1)];
    const folder = await folderOf(t, { 'yesterday.txt': yesterday, 'today.txt': today });

    const files = ['yesterday.txt', 'today.txt'];
    const refused = await peak(folder, [...files, '--json', 'sum.json']);
    assert.match(
      refused.stderr,
      /^error: today\.txt:1: host host-1 started this run 23h 59m after its run in yesterday\.txt:1 ended, .* pass --several-runs/,
    );
    assert.deepEqual([refused.stdout, refused.status], ['', 2]);
    assert.ok(!(await readdir(folder)).some((name) => name.startsWith('sum.json')), 'no report remains');
    const meant = await peak(folder, [...files, '--several-runs', '--json', '-']);
    assert.equal(meant.status, 0);
    assert.equal(resultFrom(meant.stdout).stages[0].operations, operationsIn({ yesterday, today }));
  });

  test('Row 24: stages of hosts that do not overlap are reported', async (t) => {
    const logs = made({ shift: 3_600_000 });
    const { stdout, status } = await peak(await folderOf(t, logs), Object.keys(logs));
    assert.equal(status, 0);
    assert.match(stdout, /^ {2}Overlap +none: the 2 hosts were never all in the stage at once/m);
  });

  test('Row 25: truncated, repeated, empty, binary and unrelated files are reported, and the others merged', async (t) => {
    const logs = made();
    const lines = logs['log-host-1.txt'];
    const begin = lines.findIndex((line) => line.startsWith('Read: scheduling'));
    const cut = [...lines.slice(0, begin + 3), lines[begin + 3].slice(0, 10)];
    const bytes = Array.from({ length: 5000 }, (_, place) => (place * 7919) % 256);
    const { report, warnings, status } = await addUp(t, {
      ...logs,
      'log-host-1.txt': cut,
      'copy.txt': logs['log-host-2.txt'],
      'empty.txt': [],
      'binary.txt': [String.fromCharCode(...bytes)],
      'foreign.txt': ['Lorem ipsum', 'dolor sit amet'],
    });
    assert.equal(status, 1);
    for (const expected of [
      `log-host-1.txt:${begin + 3}: the log ends in Read: what this host did later`,
      'copy.txt:1: run ',
      'empty.txt',
      'binary.txt',
      'foreign.txt',
    ]) {
      assert.ok(
        warnings.some((line) => line.startsWith(`warning: ${expected}`)),
        warnings.join('\n'),
      );
    }
    assert.doesNotMatch(warnings.join(''), /[^\x20-\x7e]/, 'none of their content reaches the terminal');
    assert.equal(report.stages[0].operations, operationsIn(logs), 'complete lines are counted');
  });

  test('Row 25: several hundred megabytes with lines of any length are read in constant memory', async (t) => {
    const folder = await folderWith(t, {});
    const [lines] = Object.values(made({ hosts: 1 }));
    const file = createWriteStream(path.join(folder, 'log.txt'));
    await pipeline(Readable.from(hugeLog(lines)), file);
    const { stdout, stderr, status } = await peak(folder, ['log.txt', '--json', '-'], ['--max-old-space-size=40']);
    assert.deepEqual([stderr, status], ['', 0]);
    assert.equal(resultFrom(stdout).stages[0].operations, operationsIn({ lines }));
  });
});

test('Row 47: endless seconds are refused by merge and compare, in little memory', async (t) => {
  const folder = await folderWith(t, {});
  await pipeline(Readable.from(endlessSeconds()), createWriteStream(path.join(folder, 'log.txt')));
  for (const parameters of [
    ['merge', 'log.txt'],
    ['compare', 'log.txt', 'log.txt'],
  ]) {
    const { stdout, stderr, status } = await benchmark(folder, parameters, ['--max-old-space-size=200']);
    assert.match(stderr, /^error: log\.txt:1000001: more than 1,000,000 seconds in one file$/m);
    assert.deepEqual([stdout, status], ['', 2]);
    assert.deepEqual(await readdir(folder), ['log.txt'], 'nothing else remains');
  }
});

/** Idle seconds that are far apart, each of them twice: a small part of them fills the memory that the test allows. */
function* endlessSeconds() {
  for (let index = 0; index < 1_500_000; index += 1) {
    const line = `${timeOfDay(index * 100)}: Write: Ops 0.0/s Throughput 0.0MB/s\n`;
    yield line + line;
  }
}

/** @param {number} second */
function timeOfDay(second) {
  return new Date(1000 * second).toISOString().slice('1970-01-01T'.length, -'.000Z'.length);
}

/**
 * A complete log with noise between its lines: one line of 96 MiB, and 96 MiB of short ones.
 *
 * @param {readonly string[]} lines
 */
function* hugeLog(lines) {
  const noise = 'x'.repeat(MEBIBYTE);
  const shortLines = `${'y'.repeat(1023)}\n`.repeat(1024);
  const middle = lines.length >>> 1;
  yield `${lines.slice(0, middle).join('\n')}\n`;
  for (let mebibyte = 0; mebibyte < 96; mebibyte += 1) {
    yield noise;
  }
  yield '\n';
  for (let mebibyte = 0; mebibyte < 96; mebibyte += 1) {
    yield shortLines;
  }
  yield `${lines.slice(middle).join('\n')}\n`;
}
