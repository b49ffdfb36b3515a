import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '../../lib/model/histogram.js';
import { decodeSeconds } from '../../lib/report/html/browser/seconds.js';
import { readResult } from '../../lib/model/read-result.js';
import { writeResult } from '../../lib/model/write-result.js';
import { longMerge } from '../helpers/long-merge.js';
import { resultFrom } from '../helpers/result-schema.js';

test('the seconds of hosts, and their minutes, add up to those of all', () => {
  const text = [...writeResult(longMerge({ hosts: 3, seconds: 130 }).result)].join('');
  const { stages } = resultFrom(text);
  const [{ seconds, operations, merge }] = stages;
  const counts = merge.shares.map((/** @type {any} */ { series }) => decodeSeconds(series.tenths));
  for (const [index, second] of seconds.entries()) {
    const sum = counts.reduce((/** @type {number} */ total, /** @type {number[]} */ host) => total + host[index], 0);
    assert.equal(sum, second.operations);
  }
  const minutes = merge.shares.flatMap((/** @type {any} */ { series }) => series.minutes);
  const values = minutes.reduce(
    (/** @type {number} */ sum, /** @type {any} */ { histogram }) => sum + Histogram.decode(histogram).count,
    0,
  );
  assert.equal(values, operations);
  assert.ok(
    minutes.every(
      (/** @type {any} */ { minuteStart, p50, p99, maximum }) => minuteStart % 60 === 0 && p50 <= p99 && p99 <= maximum,
    ),
  );
  assert.deepEqual([readResult(text).problems, readResult(text).warnings], [[], []]);
});

test('failed attempts of a second are in the sum over all hosts', () => {
  const [{ seconds }] = longMerge({ hosts: 3, seconds: 130 }).result.stages;
  const failed = [...seconds].reduce((sum, { failedAttempts = 0 }) => sum + failedAttempts, 0);
  const throttled = [...seconds].reduce((sum, second) => sum + (second.throttled ?? 0), 0);
  assert.ok(failed > 0);
  assert.equal(throttled * 3, failed * 2);
});
