import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupCommand, cleanupProblems, describeCleanup, readAgainCommand } from '../../lib/cli/cleanup.js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import { WHOLE } from '../../lib/workload/shard.js';

test('the result of a clean-up is told in one line', () => {
  const config = /** @type {any} */ ({
    runId: 'a-run',
    prefix: 'benchmark',
    shard: WHOLE,
    store: { buckets: ['a', 'b'] },
  });
  const result = { ...newResult(), removed: 3, left: 0 };
  const removed = 'Clean-up of run a-run: 3 objects removed under benchmark/a-run/ in a, b';
  assert.equal(describeCleanup(result, config), `${removed}, 0 left`);
  assert.equal(describeCleanup({ ...result, left: 2 }, config), `${removed}, 2 left`);
  assert.equal(describeCleanup({ ...result, left: -1 }, config), `${removed}, how many are left could not be counted`);
  assert.match(describeCleanup({ ...result, foreign: 4 }, config), /, 0 left, and 4 that the run did not write/);
  assert.equal(
    describeCleanup({ ...result, left: 5, misplaced: 4 }, config),
    `${removed}, 5 left, 4 of them in other buckets than this list gives them`,
  );
  assert.match(
    describeCleanup({ ...result, otherBuckets: ['a', null] }, config),
    /, 0 left in these buckets, which are not all buckets of the run$/,
  );
  assert.match(
    describeCleanup({ ...result, versions: 7 }, config),
    /: 3 objects and 7 older versions and delete markers removed/,
  );
  const shard = { index: 1, count: 4 };
  assert.match(describeCleanup(result, { ...config, shard }), /^Clean-up of run a-run, shard 1\/4: 3 objects /);
});

test('what went wrong with a clean-up is told a line each, and what is not shown is counted', () => {
  const config = /** @type {any} */ ({
    runId: 'r',
    prefix: 'benchmark',
    shard: WHOLE,
    store: { buckets: ['a', 'b'] },
  });
  const result = { ...newResult(), problems: ['k: AccessDenied'], furtherProblems: 7 };
  const problems = ['k: AccessDenied', '7 further errors are counted, but not shown'];
  assert.deepEqual(cleanupProblems(result, config), problems);
  const adviceOn = (/** @type {(string | null)[] | null} */ otherBuckets) =>
    cleanupProblems({ ...newResult(), misplaced: 1, otherBuckets }, config).join();
  assert.match(adviceOn(['b', 'a']), /: clean up with: S3_BUCKET=b,a node r2-benchmark\.js --cleanup r$/);
  assert.match(adviceOn(['b', null, 'a']), /over 3 buckets, .* pass them in the order S3_BUCKET=b,<another>,a$/);
  assert.match(adviceOn(null), /do not fit the buckets a,b: pass all buckets of the run/);
});

test('the command that cleans up names the prefix where it is not the usual one', () => {
  assert.match(cleanupCommand({ runId: 'r', prefix: 'benchmark', shard: WHOLE }), / --cleanup r$/);
  assert.match(cleanupCommand({ runId: 'r', prefix: 'x/y', shard: WHOLE }), / --cleanup r --prefix x\/y$/);
  assert.match(
    cleanupCommand({
      runId: 'r',
      prefix: 'benchmark',
      shard: WHOLE,
      later: { region: 'weur', profile: 'my r2', addressing: 'virtual' },
    }),
    / --cleanup r --region weur --profile 'my r2' --addressing virtual$/,
  );
});

test('a shard is told how to clean up its own objects, and how to read them again', () => {
  const place = { runId: 'r', prefix: 'benchmark', shard: { index: 1, count: 4 }, threads: 50 };
  assert.match(cleanupCommand(place), / --cleanup r --shard 1\/4$/);
  assert.equal(
    readAgainCommand(place, { objects: 30, size: 1000 }),
    'node r2-benchmark.js 30 30 --size 1000B --stages read,stat --run-id r --shard 1/4',
  );
  const sizes = /** @type {const} */ ({ kind: 'log-uniform', min: 1024, max: 4096 });
  assert.match(readAgainCommand(place, { objects: 30, size: 4096, sizes }), / 30 30 --size 1KiB\.\.4KiB --stages /);
});

test('the command for a run whose id an earlier version took, though it looks like an option, works', () => {
  assert.match(cleanupCommand({ runId: '-x', prefix: 'benchmark', shard: WHOLE }), / --cleanup=-x$/);
});

test('the command that cleans up is one for a shell, whatever the names', () => {
  const place = { runId: 'r', prefix: 'benchmark', shard: WHOLE };
  assert.equal(
    cleanupCommand({ ...place, later: { envFile: "my bucket's.env" } }),
    `node r2-benchmark.js --cleanup r --env-file 'my bucket'\\''s.env'`,
  );
  const variables = { S3_BUCKET: 'a, b', S3_PORT: '9000', S3_REGION: '' };
  assert.equal(
    cleanupCommand({ ...place, later: { envFile: '.env', variables } }),
    `S3_BUCKET='a, b' S3_PORT=9000 S3_REGION='' node r2-benchmark.js --cleanup r`,
  );
});
