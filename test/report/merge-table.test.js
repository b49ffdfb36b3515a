import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMergeTable } from '../../lib/report/merge-table.js';
import { aggregateOf, madeLogs, withBottleneck } from '../merge/logs-of.js';

/** @import { Look } from '../../lib/report/reporter.js' */

/**
 * @param {number} columns
 * @returns {Look}
 */
function lookOf(columns) {
  return { columns, rows: 24, isUnicode: true, hasColour: false };
}

/**
 * @param {readonly (string | null)[]} causes bottleneck of Write on each host
 * @param {number} [columns]
 */
function tableOf(causes, columns = 80) {
  const logs = Object.entries(madeLogs({ hosts: causes.length, seconds: 4 })).map(([name, lines], index) => {
    const cause = causes[index];
    return [name, cause === null ? lines : withBottleneck(lines, cause)];
  });
  const { result } = aggregateOf(Object.fromEntries(logs));
  return formatMergeTable({ stages: result.stages.filter(({ stage }) => stage === 'Write') }, lookOf(columns));
}

test('a merge ends with the peak of each stage as a bar, and the bottleneck of its hosts', () => {
  assert.deepEqual(tableOf(['store', 'store']).split('\n'), [
    '',
    'Stage  Peak/s                    Mean/s  Peak MiB/s       p50       p99  Errors',
    'Write   981.0  ████████████████   929.0        15.3  119.49ms  199.17ms      13',
    '',
    'Write was limited by the store, on all 2 hosts; host-1: so it seems.',
    '',
  ]);
});
