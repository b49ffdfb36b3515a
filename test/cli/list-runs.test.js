import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatListing } from '../../lib/cli/cleanup.js';
import { LATER, NO_TARGET, runConfig } from '../helpers/run-config.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const CONFIG = runConfig({ ...NO_TARGET, buckets: ['a', 'b'] });

const RUN = {
  runId: 'a-run',
  objects: 1,
  bytes: 0,
  uploads: 0,
  oldest: NOW,
  newest: NOW,
};

/** @param {number} seconds */
function ago(seconds) {
  return NOW - seconds * 1000;
}

test('shows runs in a table with their ages, and the command that removes the first one', () => {
  const runs = [
    { ...RUN, runId: 'late', objects: 7, oldest: ago(59), newest: ago(-3) },
    { ...RUN, runId: 'an-earlier-one', objects: 12_345, bytes: 1.5 * 2 ** 20, oldest: ago(90_061), newest: ago(3600) },
  ];
  assert.deepEqual(formatListing({ runs, foreign: 0 }, CONFIG, LATER, NOW), [
    'Left under benchmark/ in a, b:',
    'Run             Objects     Size     Oldest     Newest',
    'late                  7  0.0 MiB    59s ago     0s ago',
    'an-earlier-one    12345  1.5 MiB  1d 1h ago  1h 0m ago',
    'Remove the objects of a run with: node r2-benchmark.js cleanup late',
  ]);
});

test('reports that no run left anything', () => {
  assert.deepEqual(formatListing({ runs: [], foreign: 0 }, CONFIG, LATER, NOW), [
    'No run left objects under benchmark/ in a, b',
  ]);
});

test('counts foreign objects', () => {
  assert.equal(
    formatListing({ runs: [], foreign: 5 }, CONFIG, LATER, NOW)[1],
    'Clean-up leaves alone 5 objects under benchmark/ that no run on these buckets wrote',
  );
});
