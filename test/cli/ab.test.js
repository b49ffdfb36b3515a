import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { FROM_CLONE } from '../../lib/options/store/environment.js';
import { problemsOfAll } from '../../lib/options/usage-error.js';
import { prepareCells } from '../../lib/series/prepare-cells.js';
import { folderWith, runInProcess } from '../helpers/command.js';

/** @import { AbOptions } from '../../lib/cli/command-line.js' */

/**
 * @param {readonly string[]} parameters after `ab`
 * @returns {AbOptions}
 */
function read(...parameters) {
  const sink = new PassThrough();
  const request = readCommandLine(['ab', ...parameters], { stdout: sink, stderr: sink });
  assert.equal(request.command, 'ab');
  return /** @type {AbOptions} */ (request.options);
}

/** @param {readonly string[]} parameters after `ab` */
function problemsOf(...parameters) {
  try {
    read(...parameters);
  } catch (error) {
    return /** @type {{ problems: string[] }} */ (error).problems;
  }
  return [];
}

describe('the command line of ab', () => {
  test('each side has the common options, followed by its own', () => {
    const common = ['2000', '50', '--local', '--size', '1KiB', '--timeout', '5s'];
    const { a, b, quads, margin } = read(
      ...common,
      ...['--a', '--client sdk --size 2KiB', '--b', "--threads 10 --no-keep-alive --env-file 'b c.env'"],
    );
    const pick = (/** @type {typeof a} */ { options }) => {
      const { objects, threads, size, client, keepAlive, envFile, timeout, local } = options;
      return { objects, threads, size, client, keepAlive, envFile, timeout, local };
    };
    const shared = { objects: 2000, timeout: 5000, local: true };
    assert.deepEqual(pick(a), {
      ...shared,
      ...{ threads: 50, size: 2048, client: 'sdk', keepAlive: true, envFile: '.env' },
    });
    assert.deepEqual(pick(b), {
      ...shared,
      ...{ threads: 10, size: 1024, client: 'direct', keepAlive: false, envFile: 'b c.env' },
    });
    assert.deepEqual([quads, margin], [6, 0.03]);
    assert.deepEqual(b.words, ['--threads', '10', '--no-keep-alive', '--env-file', 'b c.env']);
  });

  test('reports all problems at once: those of a side with its name, common ones once', () => {
    const given = ['none', '50', '--local', '--quads', '5', '--margin', '3', '--size', 'big'];
    assert.deepEqual(problemsOf(...given, '--a', '--client curl', '--b', '--threads many --arrival poisson'), [
      '--size: expected a size in whole bytes, such as 16KiB, 1.5MB or 1000, got "big"',
      '--margin: expected a percentage from 0% to 50%, such as 3% or 0.5%, got "3"',
      '--quads: expected a whole number from 6 to 40, got "5"',
      '<objects>: expected a whole number from 1 to 1000000000, got "none"',
      'A: --client: expected direct, sdk, edge or public, got "curl"',
      'B: --threads: expected a whole number from 1 to 100000, got "many"',
      'B: --arrival requires --rate or --find-peak --peak-of rate',
    ]);
  });

  test('rejects an option that a side cannot have, with the name of the side', () => {
    const problems = problemsOf('100', '4', '--local', '--a', '--quads 9', '--b', 'secret');
    assert.match(problems[0], /^A: --quads does not apply here: it belongs to ab$/);
    assert.match(problems[1], /^B: expected options, such as --env-file FILE, got another word$/);
    assert.ok(!problems[1].includes('secret'));
    assert.match(problemsOf('100', '4', '--local', '--a', '--help', '--b', '')[0], /^A: unknown option '--help'/);
    assert.deepEqual(problemsOf('100', '4', '--local', '--a', "--client 'sdk", '--b', ''), [
      "--a: expected a closing '",
    ]);
  });

  test('rejects stages without writes, and a run ID that leaves no room for two', () => {
    assert.deepEqual(problemsOf('100', '4', '--local', '--stages', 'read', '--a', '', '--b', ''), [
      'ab requires write in --stages: each turn has its own objects',
    ]);
    const [problem] = problemsOf('100', '4', '--local', '--run-id', 'x'.repeat(63), '--a', '', '--b', '');
    assert.match(problem, /^--run-id must leave room for suffixes such as -a10/);
  });

  test('rejects list if a page would show what earlier turns left', () => {
    const stages = (/** @type {string} */ names) =>
      problemsOf('9', '4', '--local', '--stages', names, '--a', '', '--b', '');
    const problem =
      'list cannot be combined with --stages that leave objects (without batch-remove or remove, or with copy): each page must contain only the keys of its own turn';
    assert.deepEqual(stages('write,list'), [problem]);
    assert.deepEqual(stages('write,list,copy,remove'), [problem]);
    for (const names of ['write,list,remove', 'write,list,batch-remove', 'write,copy', 'write,read']) {
      assert.deepEqual(stages(names), []);
    }
    const sink = new PassThrough();
    const plain = readCommandLine(['9', '4', '--local', '--stages', 'write,list,copy'], { stdout: sink, stderr: sink });
    assert.equal(plain.command, 'run');
  });

  test('problems of both sides are reported as common', () => {
    const sides = [
      { label: 'A', problems: ['one', 'two'] },
      { label: 'B', problems: ['two', 'three'] },
    ];
    assert.deepEqual(problemsOfAll(sides), ['A: one', 'two', 'B: three']);
  });
});

describe('before anything is written, ab refuses', () => {
  test('without leaving anything of A open when opening B fails', { timeout: 10_000 }, async (t) => {
    const childProcesses = () => process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap');
    const broken = new Error('broken');
    let calls = 0;
    let openWithA = 0;
    t.mock.method(process, 'availableMemory', () => {
      calls += 1;
      if (calls === 3) {
        openWithA = childProcesses().length;
        throw broken;
      }
      return 1e9;
    });
    const { signal } = new AbortController();
    const context = { env: {}, now: 0, random: Math.random, invocation: FROM_CLONE, signal, areTurns: true };
    const { a, b } = read('10', '2', '--local', '--a', '', '--b', '--faults latency=1ms');
    const cells = [a, b].map(({ options }, index) => ({ label: 'AB'[index], options: { ...options.given } }));
    await assert.rejects(prepareCells(cells, context), broken);
    assert.equal(openWithA, 1);
    while (childProcesses().length > 0) {
      await setImmediate();
    }
  });

  test('objects of B that the embedded endpoint cannot hold', async () => {
    const given = ['ab', '10', '2', '--local', '--a', '', '--b', '--size 4GiB'];
    const { status, stderr } = await runInProcess(given, {});
    assert.deepEqual([status, stderr], [2, 'error: B: --local stores objects of at most 1GiB, got --size 4GiB\n']);
  });

  test('a cost above the limit', async (t) => {
    const folder = await folderWith(t, {
      'r2.env': 'S3_BUCKET=bucket\nS3_HOSTNAME=x.r2.cloudflarestorage.com\nS3_ACCESS_KEY=k\nS3_SECRET_KEY=s\n',
    });
    const given = ['ab', '1000', '4', '--a', '', '--b', '', '--max-cost', '0.1', '--env-file', `${folder}/r2.env`];
    const { status, stderr } = await runInProcess(given, {});
    assert.equal(status, 2);
    // 26 turns of 1,104 writes at $4.50 per million, and of 2,208 reads and stats at $0.36 per million, with two lists.
    assert.match(stderr, /^error: --max-cost: all turns would cost at least \$0\.1500 at R2's list prices/m);
    const timed = await runInProcess([...given, '--duration', '1s', '--json', `${folder}/none/ab.json`], {});
    assert.match(timed.stderr, /^error: --json: /, 'a turn of a duration ends at the limit');
  });
});
