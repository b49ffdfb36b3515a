import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupProblems, describeCleanup } from '../../lib/cli/cleanup.js';
import { newResult } from '../../lib/run/cleanup/cleanup.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

const TARGET = { ...NO_TARGET, buckets: ['a', 'b'] };

test('reports the result of a clean-up in one line', () => {
  const config = runConfig(TARGET, { runId: 'a-run' });
  const result = { ...newResult(), removed: 1200, left: 0 };
  const removed = 'Clean-up of run a-run: 1,200 objects removed under benchmark/a-run/ in a, b';
  assert.equal(describeCleanup(result, config), `${removed}, 0 left`);
  assert.equal(describeCleanup({ ...result, left: 2 }, config), `${removed}, 2 left`);
  assert.equal(describeCleanup({ ...result, left: -1 }, config), `${removed}, the rest could not be counted`);
  assert.match(describeCleanup({ ...result, foreign: 4 }, config), /, 0 left, kept 4 not written by this run/);
  assert.match(
    describeCleanup({ ...result, otherBuckets: ['a', null] }, config),
    /, 0 left in these buckets, but the run also used others$/,
  );
  assert.match(
    describeCleanup({ ...result, versions: 7 }, config),
    /: 1,200 objects and 7 older versions and delete markers removed/,
  );
  const shard = { index: 1, count: 4 };
  assert.match(
    describeCleanup(result, runConfig(TARGET, { runId: 'a-run', shard })),
    /^Clean-up of run a-run, shard 1\/4: 1,200 objects /,
  );
});

test('reports the problems of a clean-up one per line, and counts those it does not show', () => {
  const result = { ...newResult(), problems: ['k: AccessDenied'], furtherProblems: 7 };
  const problems = ['k: AccessDenied', '7 more errors are not shown'];
  assert.deepEqual(cleanupProblems(result), problems);
  assert.deepEqual(cleanupProblems({ ...newResult(), otherBuckets: ['b', null, 'a'] }), [
    'the run used 3 buckets, and some of them are missing here: pass them in the order S3_BUCKET=b,<another>,a',
  ]);
});
