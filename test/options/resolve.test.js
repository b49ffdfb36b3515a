import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { makeRunId, resolve } from '../../lib/options/resolve.js';
import { UsageError } from '../../lib/options/usage-error.js';
import { isRunId } from '../../lib/load/workload/keyspace.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { CommandLine } from '../../lib/cli/command-line.js' */

const OUTPUTS = { stdout: new PassThrough(), stderr: new PassThrough() };
const { store } = runConfig(NO_TARGET);

/**
 * @param {string} line the command line
 * @param {object} [context]
 * @param {NodeJS.ProcessEnv} [context.env]
 * @param {number} [context.availableCores]
 */
function resolved(line, { env = {}, availableCores = 8 } = {}) {
  const { options } = /** @type {{ options: CommandLine }} */ (readCommandLine(line.split(' '), OUTPUTS));
  return resolve(options, { store, env, availableCores, now: 0, random: () => 0.5 });
}

/**
 * @param {() => unknown} call
 * @returns {string} the problems that it reports
 */
function problemsOf(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.problems.join('\n');
  }
  assert.fail('not refused');
}

test('each core has at least the threads of a race', () => {
  const coresOf = (/** @type {string} */ line) => resolved(`${line} --stages write,create`).load.cores;
  assert.deepEqual(['100 16 --cores 4', '100 15 --cores 4', '2000 2000'].map(coresOf), [2, 1, 8]);
  assert.equal(resolved('100 64 --stages write,swap --contenders 4').load.amounts.contenders, 4);
});

test('races that cannot be run are refused, each in one line', () => {
  for (const [line, problem] of /** @type {[string, RegExp][]} */ ([
    ['100 7 --stages write,create', /^--contenders 8 requires at least 8 <threads> and <objects>/],
    ['3 16 --stages write,swap --contenders 4', /^--contenders 4 requires at least 4 <threads> and <objects>/],
    ['100 16 --stages write,swap --size 7B', /^create and swap require a --size of at least 8 bytes/],
    [
      '100 16 --stages write,swap --client sdk --sdk-defaults',
      /^create and swap cannot be combined with --sdk-defaults/,
    ],
    ['100 16 --stages write,copy,create', /^--stages can have only one of copy and create/],
    ['100 16 --mix read=50,create=50', /^create cannot be combined with --mix/],
    ['100 16 --stages write,swap --multipart', /^swap cannot be combined with objects written in parts/],
    ['100 16 --stages swap --run-id a', /^swap cannot be combined with objects of an earlier run/],
    ['100 16 --contenders 4', /^--contenders requires create in --stages/],
    ['100 16 --stages write,create --contenders 1', /^--contenders: expected/],
  ])) {
    const problems = problemsOf(() => resolved(line));
    assert.match(problems, problem);
    assert.equal(problems.split('\n').length, 1, problems);
  }
});

test('threads are limited by objects, and cores by threads', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.oneof(fc.constant('auto'), fc.integer({ min: 1, max: 64 })),
      fc.integer({ min: 1, max: 64 }),
      (objects, threads, given, availableCores) => {
        const { load } = resolved(`${objects} ${threads} --cores ${given}`, { availableCores });
        assert.equal(load.threads, Math.min(objects, threads));
        assert.ok(load.cores >= 1 && load.cores <= load.threads);
        if (given === 'auto') {
          assert.ok(load.cores <= availableCores);
        } else {
          assert.equal(load.cores, Math.min(Number(given), load.threads));
        }
      },
    ),
  );
});

test('by default there is one core per 250 threads, up to all cores', () => {
  const cores = (/** @type {number} */ threads) => resolved(`100000 ${threads}`, { availableCores: 4 }).load.cores;
  assert.deepEqual([1, 250, 251, 500, 1000, 10_000].map(cores), [1, 1, 2, 2, 4, 4]);
});

test('a run without --shard is a whole run, even if a scheduler started it', () => {
  const env = { SLURM_PROCID: '1', SLURM_NTASKS: '4' };
  assert.deepEqual(resolved('10 1', { env }).objects.shard, { index: 0, count: 1 });
});

test('a shard comes from the option or from the scheduler', () => {
  const slurm = { SLURM_PROCID: '1', SLURM_NTASKS: '4' };
  const kubernetes = { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '3' };
  for (const [given, env, index, count] of /** @type {const} */ ([
    ['1/2', {}, 1, 2],
    ['1/2', slurm, 1, 2],
    ['auto', slurm, 1, 4],
    ['auto', kubernetes, 2, 3],
    ['auto', { ...kubernetes, ...slurm }, 1, 4],
    ['auto/7', slurm, 1, 7],
    ['auto/5', { JOB_COMPLETION_INDEX: '0' }, 0, 5],
  ])) {
    assert.deepEqual(resolved(`10 1 --run-id a-run --shard ${given}`, { env }).objects.shard, { index, count }, given);
  }
});

test('a missing or invalid shard is refused with the expected variables', () => {
  for (const [given, env] of /** @type {[string, NodeJS.ProcessEnv][]} */ ([
    ['auto', {}],
    ['auto/2', {}],
    ['auto', { SLURM_PROCID: '0' }],
    ['auto', { JOB_COMPLETION_INDEX: '0' }],
    ['auto', { SLURM_PROCID: '4', SLURM_NTASKS: '4' }],
    ['auto', { SLURM_PROCID: '', SLURM_NTASKS: '4' }],
    ['auto', { SLURM_PROCID: '1', SLURM_NTASKS: 'four' }],
    ['auto', { SLURM_PROCID: '0', SLURM_NTASKS: '0' }],
    ['auto/2', { SLURM_PROCID: '2', SLURM_NTASKS: '4' }],
  ])) {
    const problems = problemsOf(() => resolved(`10 1 --run-id a-run --shard ${given}`, { env }));
    assert.match(problems, /--shard auto: expected SLURM_PROCID and SLURM_NTASKS.*JOB_COMPLETION_INDEX/);
  }
});

test('several shards need a run id, a single one does not', () => {
  assert.match(
    problemsOf(() => resolved('10 1 --shard 0/2')),
    /^--shard requires a --run-id/,
  );
  assert.match(
    problemsOf(() => resolved('10 1 --shard auto', { env: { SLURM_PROCID: '0', SLURM_NTASKS: '2' } })),
    /--run-id/,
  );
  assert.deepEqual(resolved('10 1 --shard 0/1').objects.shard, { index: 0, count: 1 });
});

test('a run has the given id, or a new one', () => {
  assert.equal(resolved('10 1 --run-id mine').objects.runId, 'mine');
  assert.match(resolved('10 1').objects.runId, /^19700101-000000-[0-9a-z]{4}$/);
});

test('objects that are kept are not removed by a stage', () => {
  assert.deepEqual(resolved('10 1 --keep').load.stages, ['write', 'read', 'stat']);
});

test('a clean-up covers the whole run, whatever the other options are', () => {
  const { objects, load } = resolved('--cleanup old-run');
  const { runId, count, shard } = objects;
  assert.deepEqual([runId, count, load.threads, load.cores, shard], ['old-run', 0, 1, 1, { index: 0, count: 1 }]);
});

test('a run id contains the time of the run in UTC', () => {
  assert.equal(
    makeRunId(Date.UTC(2026, 0, 31, 23, 59, 58, 999), () => 0),
    '20260131-235958-0000',
  );
  assert.equal(
    makeRunId(Date.UTC(2026, 0, 1), () => 1 - Number.EPSILON),
    '20260101-000000-zzzz',
  );
});

test('every time and random number gives a valid run id', () => {
  const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(fc.property(time, chance, (now, random) => isRunId(makeRunId(now, () => random))));
});

test('hosts of a common ramp need a common start', () => {
  const problem = /^--start-at: expected the same moment on all hosts of a ramp, such as next:60s/;
  const line = '10 4 --ramp 1,2 --run-id a-run --shard 1/2 --start-at';
  assert.match(
    problemsOf(() => resolved(`${line} +30s`)),
    problem,
  );
  for (const start of ['next:60s', '1800000000']) {
    assert.equal(resolved(`${line} ${start}`).objects.shard.index, 1);
  }
  for (const alone of ['', '--run-id a-run --shard 0/1']) {
    assert.deepEqual(resolved(`10 4 --ramp 1,2 --start-at +30s ${alone}`.trim()).schedule.ramp?.threads, [1, 2]);
  }
});

test('stages keep common slots if hosts share them', () => {
  const { options } = /** @type {{ options: CommandLine }} */ (
    readCommandLine(['10', '1', '--duration', '5s'], OUTPUTS)
  );
  const context = { store, env: {}, availableCores: 1, now: 0, random: () => 0 };
  assert.equal(resolve(options, context).schedule.sharesSlots, false);
  for (const shared of ['--start-at next:60s', '--run-id r --shard 0/2']) {
    assert.equal(resolved(`10 1 --duration 5s ${shared}`).schedule.sharesSlots, true, shared);
  }
  assert.equal(resolved('10 1 --duration 5s --run-id r --shard 0/1').schedule.sharesSlots, false);
});
