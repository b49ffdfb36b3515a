import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { multipartOf } from '../../lib/options/resolve.js';
import { optionsOf } from '../../lib/options/table.js';
import { runCommand, runInProcess } from '../helpers/command.js';

const HINT = 'node r2-benchmark.js --help shows the usage';

/** @param {readonly string[]} lines of stderr */
function assertRefusal(lines) {
  const errors = lines.filter(
    (line) => !/^\(?node \S*r2-benchmark\.js ([a-z]+ )?--help shows the usage\)?$/.test(line),
  );
  assert.ok(
    errors.every((line) => /^error: \S/.test(line) && line.length < 300),
    lines.join('\n'),
  );
}

/**
 * Passes parameters to the program in this process, because there are many that it must reject.
 *
 * @param {readonly string[]} parameters
 * @returns {Promise<string[]>} lines of stderr
 */
async function refused(...parameters) {
  const { status, stdout, stderr } = await runInProcess(parameters, {});
  assert.deepEqual([status, stdout], [2, '']);
  const lines = stderr.trimEnd().split('\n');
  assertRefusal(lines);
  return lines;
}

/** Invalid numbers of objects, threads or retries. */
const NO_NUMBERS = ['', ' ', '0x10', '-1', '+1', '1.5', '1e3', '1e99', '10x', 'ten', 'NaN', 'Infinity', '١', '1,000'];
const NO_SIZES = ['', '-1', '1.5', '1e3', '16Kb', '16 KiB', '6TiB', '0.0001kB', 'big', '9999999999999999999'];
const NO_TIMES = ['', '0', '0ms', '-1s', '0.5ms', '1d', '2h', 'soon'];
const NO_RUN_IDS = ['', '.', '..', '...', 'a/b', '/', 'a b', 'a\nb', 'ä', '%2e', '*', 'x'.repeat(65), 'x'.repeat(1000)];

describe('the command line', { concurrency: 3 }, () => {
  test('rejects invalid numbers, and names their options', async () => {
    for (const given of [...NO_NUMBERS, '0', '1000000001']) {
      const expected = `expected a whole number from 1 to 1000000000, got ${given === '' ? 'nothing' : JSON.stringify(given)}`;
      assert.deepEqual(await refused('--local', '--', given, '10'), [`error: <objects>: ${expected}`, HINT]);
    }
  });

  test('rejects invalid ports by name', async () => {
    for (const given of ['', 'metrics', '65536', '-1', '1.5', ':9464', 'a b:9464', 'http://0.0.0.0:9464']) {
      const [error] = await refused('--local', '10', '2', `--metrics-port=${given}`);
      assert.match(
        error,
        /^error: --metrics-port: expected a port from 0 to 65535, optionally after an address, as in /,
      );
    }
  });

  test('a port is bound to this host only, unless an address is given', () => {
    const addressOf = (/** @type {string} */ given) => {
      const sink = new PassThrough();
      const parameters = ['10', '2', '--local', '--metrics-port', given];
      const request = readCommandLine(parameters, { stdout: sink, stderr: sink });
      assert.ok(request.command === 'run');
      return request.options.metricsPort;
    };
    assert.deepEqual(addressOf('9464'), { host: '127.0.0.1', port: 9464 });
    assert.deepEqual(addressOf('0.0.0.0:0'), { host: '0.0.0.0', port: 0 });
    assert.deepEqual(addressOf('[::1]:9464'), { host: '::1', port: 9464 });
    assert.deepEqual(addressOf('fd00::1:9464'), { host: 'fd00::1', port: 9464 });
    assert.deepEqual(addressOf('localhost:9464'), { host: 'localhost', port: 9464 });
  });

  test('writes objects above 4.9 GiB in parts by default, with parts large enough to need at most 10,000', () => {
    const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
    const read = (/** @type {string} */ line) => /** @type {any} */ (readCommandLine(line.split(' '), outputs).options);
    assert.deepEqual(multipartOf(read('10 10 --size 5TiB')), {
      ...{ partSize: 8 * 2 ** 20, partThreads: 4, minSize: Math.floor(4.9 * 2 ** 30) + 1 },
    });
    assert.equal(multipartOf(read('10 10 --size 4GiB')), undefined);
    assert.equal(multipartOf(read('10 10 --size 5TiB --stages read --run-id r')), undefined);
    assert.deepEqual(multipartOf(read('10 10 --multipart --part-size 5MiB --part-threads 2')), {
      ...{ partSize: 5 * 2 ** 20, partThreads: 2, minSize: 0 },
    });
  });

  for (const [option, values, expected] of /** @type {const} */ ([
    ['--size', NO_SIZES, /a size in whole bytes|at most 5TiB/],
    ['--timeout', NO_TIMES, /a duration in whole milliseconds|a time from 1ms to 1h/],
    ['--run-id', NO_RUN_IDS, /1 to 64 characters from A-Z a-z 0-9 \. _ -, not only dots/],
    [
      '--prefix',
      ['', '/', 'a/', '/a', 'a//b', '..', 'a/../b', 'a b', 'x'.repeat(513)],
      /names of characters from A-Z a-z 0-9/,
    ],
    ['--ramp', ['', '8', '8,8', '16,8', '0,8', '8,x', '8,100001', '1.5,2'], /2 to 20 increasing numbers of threads/],
  ])) {
    test(`rejects invalid values of ${option} by name`, async () => {
      for (const given of values) {
        const lines = await refused('10', '10', '--local', `${option}=${given}`);
        assert.ok(lines[0].startsWith(`error: ${option}: `), lines[0]);
        assert.match(lines[0], expected);
      }
    });
  }

  test('rejects a run that would take more than half of the free memory', async () => {
    const [line] = await refused('1000000000', '10', '--local', '--size', '1MiB');
    assert.match(line, /^error: --local .*1,000,000,000 of 1MiB.*expected at most [\d,]+ objects/);
  });

  test('rejects a run whose objects are too large for its embedded endpoint', async () => {
    const [line] = await refused('1', '1', '--local', '--size', '1025MiB');
    assert.equal(line, 'error: --local stores objects of at most 1GiB, got --size 1025MiB');
    const [streamed] = await refused('1', '1', '--local', '--client', 'sdk', '--sdk-defaults', '--size', '1025KiB');
    assert.equal(streamed, 'error: --local stores objects of at most 1MiB with --sdk-defaults, got --size 1025KiB');
  });

  test('prints the version of the package', async (t) => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const { stdout, stderr, status } = await runCommand(t, ['--version']);
    assert.deepEqual({ stdout, stderr, status }, { stdout: `${version}\n`, stderr: '', status: 0 });
  });

  test('the help fits on a screen and shows examples', async () => {
    const { stdout, stderr, status } = await runInProcess(['--help'], {});
    assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
    const lines = stdout.trimEnd().split('\n');
    assert.ok(lines.length <= 40, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter((line) => line.length > 100),
      [],
    );
    assert.match(lines[0], /^Usage: node r2-benchmark\.js <objects> <threads> \[options\]$/);
    assert.match(stdout, /node r2-benchmark\.js 10000 100 --local/);
    assert.match(stdout, /--log log-\$\(hostname\)\.txt/);
    assert.match(stdout, /node peak-performance\.js log\*\.txt/);
    assert.match(stdout, /node r2-benchmark\.js cleanup \S+/);
  });

  test('the full help shows every option, and fits the width of a screen', async () => {
    const { stdout, stderr, status } = await runInProcess(['--help', 'all'], {});
    assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
    const lines = stdout.trimEnd().split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > 100),
      [],
    );
    const options = optionsOf('run').map(([, { flag }]) => flag);
    assert.deepEqual(
      options.filter((flag) => !lines.some((line) => line.startsWith(`  ${flag} `))),
      [],
    );
    assert.deepEqual(await runInProcess(['help', 'all'], {}), { status, stdout, stderr });
  });
});

const OUTPUTS = { stdout: new PassThrough(), stderr: new PassThrough() };

describe('the commands', { concurrency: 3 }, () => {
  test('cleanup accepts the same as the option of this name', () => {
    for (const [command, option] of [
      ['cleanup a-run', '--cleanup a-run'],
      ['cleanup a-run --shard 1/3 --prefix x/y --quiet', '--cleanup a-run --shard 1/3 --prefix x/y --quiet'],
      ['cleanup list --env-file a.env', '--env-file a.env --cleanup=list'],
      ['cleanup list --prefix x', 'cleanup --list --prefix x'],
      ['cleanup list', '--cleanup --list'],
    ]) {
      const [asCommand, asOption] = [command, option].map((line) => readCommandLine(line.split(' '), OUTPUTS));
      assert.deepEqual(asCommand, asOption, command);
      assert.equal(asCommand.command, command.includes('list') ? 'list' : command.split(' ')[0]);
    }
  });

  test('reject an option of another command, and one before the name', async () => {
    assert.match(
      (await refused('cleanup', 'x', '--size', '1'))[0],
      /^error: --size does not apply here: it belongs to a run, ab,/,
    );
    assert.match(
      (await refused('merge', 'x', '--local'))[0],
      /^error: --local does not apply here: it belongs to a run, ab$/,
    );
    assert.deepEqual(await refused('--quiet', '--json', 'x', 'merge', 'y'), [
      'error: --quiet: options for merge must come after the command name, expected node r2-benchmark.js merge … --quiet',
      'error: --json: options for merge must come after the command name, expected node r2-benchmark.js merge … --json',
      'node r2-benchmark.js merge --help shows the usage',
    ]);
  });

  test('have a help with their own options, and the version of the package', async () => {
    const [{ stdout: version }, { stdout: program }] = [
      await runInProcess(['--version'], {}),
      await runInProcess(['--help'], {}),
    ];
    for (const [command, own, other] of [
      ['merge', '--several-runs', '--size'],
      ['cleanup', '--shard', '--size'],
    ]) {
      assert.match(program, new RegExp(`^ {7}node r2-benchmark\\.js ${command} `, 'm'));
      const { status, stdout, stderr } = await runInProcess([command, '--help'], {});
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^Usage: node r2-benchmark\\.js ${command} `));
      assert.ok(stdout.includes(`  ${own} `) && !stdout.includes(`  ${other} `), stdout);
      assert.ok(
        stdout.split('\n').every((line) => line.length <= 100),
        stdout,
      );
      assert.deepEqual(await runInProcess([command, '--version'], {}), { status: 0, stdout: version, stderr: '' });
    }
  });
});
