import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
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
import { peakOf, stageTruths } from '../result/truth-of.js';

/**
 * @import { TrueLine } from '../helpers/host-lines.js'
 * @import { TestContext } from 'node:test'
 */

const PROGRAM = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const BENCHMARK = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));

/** Two hosts that begin half a minute before midnight. */
const OPTIONS = { ...DEFAULTS, hosts: 2, seconds: 20 };
const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

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
 * Merges logs in files, and reads the result.
 *
 * @param {TestContext} t
 * @param {Record<string, readonly string[]>} logs lines by name
 */
async function addUp(t, logs) {
  const files = Object.entries(logs).map(([name, lines]) => [name, lines.map((line) => `${line}\n`).join('')]);
  const folder = await folderWith(t, Object.fromEntries(files));
  const { stdout, stderr, status } = await peak(folder, [...Object.keys(logs), '--json', '-']);
  return { report: stdout === '' ? null : resultFrom(stdout), warnings: stderr.split('\n').slice(0, -1), status };
}

/**
 * Makes logs together with their true figures.
 *
 * @param {Partial<typeof OPTIONS>} [options]
 * @param {(host: string, line: TrueLine) => boolean} [keeps] whether a line is written to its log
 */
function made(options, keeps = () => true) {
  const hosts = planHosts({ ...OPTIONS, ...options }).map((plan) => ({
    ...plan,
    lines: [...linesOfHost(plan)].filter((line) => keeps(plan.host, line)),
  }));
  /** @type {Record<string, readonly string[]>} */
  const logs = Object.fromEntries(hosts.map(({ host, lines }) => [`log-${host}.txt`, lines.map((line) => line.text)]));
  const truth = hosts.map(({ shape, lines }) => ({
    shape,
    told: lines.flatMap(({ tells = [] }) => tells),
  }));
  return { logs, truth };
}

/**
 * @param {any} report
 * @param {ReturnType<typeof made>['truth']} truth
 */
function assertPeaks({ merge: { peaks } }, truth) {
  for (const stage of STAGES) {
    const expected = Number(peakOf(stageTruths(truth, stage)));
    assert.ok(Math.abs(peaks[stage] - expected) < 0.1, `${stage}: ${peaks[stage]}, expected ${expected}`);
  }
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
  for (const skew of [0, 7000]) {
    test(`Row 24: over midnight, with clocks ${skew} ms apart, hosts are merged by the store's seconds`, async (t) => {
      const { logs, truth } = made({ skew });
      const { report, warnings, status } = await addUp(t, logs);
      assert.deepEqual([warnings, status], [[], 0]);
      assertPeaks(report, truth);
      assert.equal(report.stages[0].operations, operationsIn(logs));
    });
  }

  test('Row 24: a missing minute in a log is reported, and neither filled nor compensated', async (t) => {
    const whole = made({ seconds: 150 });
    const minutes = whole.logs['log-host-1.txt'].filter((line) => /"kind":"seconds","stage":"Write"/.test(line));
    const { logs } = made({ seconds: 150 }, (host, line) => host !== 'host-1' || line.text !== minutes[0]);
    const { warnings, status } = await addUp(t, logs);
    assert.equal(status, 1);
    assert.match(
      warnings[0],
      /^warning: log-host-1\.txt:\d+: the seconds of Write add up to \d+ of its \d+ operations/,
    );
  });

  test('Row 24: runs of one host on two days are refused, and merged only on request', async (t) => {
    const host = { hosts: 1, seconds: 5 };
    const [yesterday] = Object.values(made(host).logs);
    const [later] = Object.values(made({ ...host, start: DEFAULTS.start + 86_400_000 }).logs);
    const today = [later[0].replace('-test"', '-later"'), ...later.slice(1)];
    const folder = await folderWith(t, {
      'yesterday.txt': `${yesterday.join('\n')}\n`,
      'today.txt': `${today.join('\n')}\n`,
    });

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

  test('Row 24: stages of hosts that do not overlap are reported, and not summed to a peak', async (t) => {
    const { logs } = made({ shift: 3_600_000 });
    const [one, other] = Object.values(logs);
    const alone = await Promise.all([one, other].map((lines) => addUp(t, { 'log.txt': lines })));
    const { report, status } = await addUp(t, { 'one.txt': one, 'other.txt': other });
    assert.equal(status, 0);
    for (const [place, stage] of STAGES.entries()) {
      const own = alone.map((each) => each.report.merge.peaks[stage]);
      assert.equal(report.merge.peaks[stage], Math.max(...own), 'the peak is that of one host');
      assert.deepEqual([report.stages[place].merge.overlap.together, report.stages[place].merge.together], [0, null]);
    }
    const folder = await folderWith(t, { 'one.txt': `${one.join('\n')}\n`, 'other.txt': `${other.join('\n')}\n` });
    const { stdout } = await peak(folder, ['one.txt', 'other.txt']);
    assert.match(stdout, /^ {2}Overlap +none: the 2 hosts were never all in the stage at once/m);
  });

  test('Row 25: a truncated log is reported with file and line, and makes the total incomplete', async (t) => {
    const { logs } = made();
    const lines = logs['log-host-1.txt'];
    const begin = lines.findIndex((line) => line.startsWith('Read: scheduling'));
    const cut = lines.slice(0, begin + 4);
    cut[cut.length - 1] = cut[cut.length - 1].slice(0, 10);
    const { report, warnings, status } = await addUp(t, { ...logs, 'log-host-1.txt': cut });
    assert.equal(status, 1);
    assert.ok(
      warnings.some((line) =>
        line.startsWith(`warning: log-host-1.txt:${begin + 3}: the log ends in Read: what this host did later`),
      ),
      warnings.join('\n'),
    );
    assert.equal(report.stages[0].operations, operationsIn(logs), 'complete lines are counted');
  });

  test('Row 25: a log that is given twice counts once, with a warning', async (t) => {
    const { logs } = made();
    const { report, warnings, status } = await addUp(t, { ...logs, 'copy.txt': logs['log-host-1.txt'] });
    assert.equal(status, 0);
    assert.match(warnings[0], /^warning: copy\.txt:1: run .* also appears in log-host-1\.txt:1: counted once$/);
    assert.equal(report.stages[0].operations, operationsIn(logs));
  });

  test('Row 25: empty, binary and unrelated files are reported, and the others merged', async (t) => {
    const { logs } = made();
    const folder = await folderWith(
      t,
      Object.fromEntries(Object.entries(logs).map(([name, lines]) => [name, `${lines.join('\n')}\n`])),
    );
    const binary = Buffer.from(Array.from({ length: 5000 }, (_, place) => (place * 7919) % 256));
    await Promise.all([
      writeFile(path.join(folder, 'empty.txt'), ''),
      writeFile(path.join(folder, 'binary.txt'), binary),
      writeFile(path.join(folder, 'foreign.txt'), 'Lorem ipsum\ndolor sit amet\n'),
    ]);
    const names = ['empty.txt', 'binary.txt', 'foreign.txt'];
    const { stdout, stderr, status } = await peak(folder, [...names, ...Object.keys(logs), '--json', '-']);
    assert.equal(status, 1);
    for (const name of names) {
      assert.match(stderr, new RegExp(`^warning: ${name.replace('.', '\\.')}\\b`, 'm'));
    }
    assert.doesNotMatch(stderr, /[^\x20-\x7e\n]/, 'none of their content reaches the terminal');
    assert.equal(resultFrom(stdout).stages[0].operations, operationsIn(logs));
  });

  test('Row 25: several hundred megabytes with lines of any length are read in constant memory', async (t) => {
    const folder = await folderWith(t, {});
    const [lines] = Object.values(made({ hosts: 1 }).logs);
    const file = createWriteStream(path.join(folder, 'log.txt'));
    await pipeline(Readable.from(hugeLog(lines)), file);
    const { stdout, stderr, status } = await peak(folder, ['log.txt', '--json', '-'], ['--max-old-space-size=40']);
    assert.deepEqual([stderr, status], ['', 0]);
    assert.equal(resultFrom(stdout).stages[0].operations, operationsIn({ lines }));
  });
});

/** Logs so large that a small part fills the memory that the tests allow. */
const ENDLESS = [
  {
    what: 'idle seconds that are far apart, each of them twice',
    error: /^error: log\.txt:1000001: more than 1,000,000 seconds in one file$/m,
    lines: linesOf(1_500_000, (second) => {
      const line = `${timeOfDay(second * 100)}: Write: Ops 0.0/s Throughput 0.0MB/s`;
      return [line, line];
    }),
  },
];

describe('endless logs', () => {
  for (const { what, lines, error } of ENDLESS) {
    test(`Row 47: ${what} are refused by merge and compare, in little memory`, async (t) => {
      const folder = await folderWith(t, {});
      await pipeline(Readable.from(lines), createWriteStream(path.join(folder, 'log.txt')));
      for (const parameters of [
        ['merge', 'log.txt'],
        ['compare', 'log.txt', 'log.txt'],
      ]) {
        const { stdout, stderr, status } = await benchmark(folder, parameters, ['--max-old-space-size=200']);
        assert.match(stderr, error);
        assert.deepEqual([stdout, status], ['', 2]);
        assert.deepEqual(await readdir(folder), ['log.txt'], 'nothing else remains');
      }
    });
  }
});

test('Row 47: endless nesting is refused', async (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const folder = await folderWith(t, {
    'host.json': `{"format":3,\n"problems":[],\n"host":${deep}}`,
    'histogram.json': `{"format":3,\n"problems":[],\n"stages":[{"latency":{"histogram":{"operations":${deep}}}}]}`,
  });

  for (const file of ['host.json', 'histogram.json']) {
    const { stdout, stderr, status } = await benchmark(folder, ['report', file, '-o', 'page.html']);
    assert.deepEqual([stdout, status], ['', 2]);
    assert.equal(stderr, `error: ${file}:3: more than 64 levels of nesting in one file\n`);
  }
});

/**
 * @param {number} count
 * @param {(index: number) => string[]} linesAt
 */
function* linesOf(count, linesAt) {
  for (let index = 0; index < count; index += 1) {
    yield `${linesAt(index).join('\n')}\n`;
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
