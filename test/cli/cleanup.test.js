import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupProblems, describeCleanup } from '../../lib/cli/cleanup.js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import { LATER, NO_TARGET, runConfig } from '../helpers/run-config.js';

const TARGET = { ...NO_TARGET, buckets: ['a', 'b'] };

test('reports the result of a clean-up in one line', () => {
  const config = runConfig(TARGET, { runId: 'a-run' });
  const result = { ...newResult(), removed: 3, left: 0 };
  const removed = 'Clean-up of run a-run: 3 objects removed under benchmark/a-run/ in a, b';
  assert.equal(describeCleanup(result, config), `${removed}, 0 left`);
  assert.equal(describeCleanup({ ...result, left: 2 }, config), `${removed}, 2 left`);
  assert.equal(describeCleanup({ ...result, left: -1 }, config), `${removed}, the rest could not be counted`);
  assert.match(describeCleanup({ ...result, foreign: 4 }, config), /, 0 left, kept 4 not written by this run/);
  assert.equal(
    describeCleanup({ ...result, left: 5, misplaced: 4 }, config),
    `${removed}, 5 left, 4 of them in the wrong bucket for this bucket list`,
  );
  assert.match(
    describeCleanup({ ...result, otherBuckets: ['a', null] }, config),
    /, 0 left in these buckets, but the run also used others$/,
  );
  assert.match(
    describeCleanup({ ...result, versions: 7 }, config),
    /: 3 objects and 7 older versions and delete markers removed/,
  );
  const shard = { index: 1, count: 4 };
  assert.match(
    describeCleanup(result, runConfig(TARGET, { runId: 'a-run', shard })),
    /^Clean-up of run a-run, shard 1\/4: 3 objects /,
  );
});

test('reports the problems of a clean-up one per line, and counts those it does not show', () => {
  const config = runConfig(TARGET, { runId: 'r' });
  const result = { ...newResult(), problems: ['k: AccessDenied'], furtherProblems: 7 };
  const problems = ['k: AccessDenied', '7 more errors are not shown'];
  assert.deepEqual(cleanupProblems(result, config, LATER), problems);
  const adviceOn = (/** @type {(string | null)[] | null} */ otherBuckets) =>
    cleanupProblems({ ...newResult(), misplaced: 1, otherBuckets }, config, LATER).join();
  assert.match(adviceOn(['b', 'a']), /: clean up with: S3_BUCKET=b,a node r2-benchmark\.js --cleanup r$/);
  assert.match(
    adviceOn(['b', null, 'a']),
    /the run used 3 buckets, .* pass them in the order S3_BUCKET=b,<another>,a$/,
  );
  assert.match(adviceOn(null), /do not match the buckets a,b: pass all buckets of the run/);
});
