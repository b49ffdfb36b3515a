import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peakJson } from '../../lib/report/peak-json.js';
import { aggregateOf, madeLogs } from '../merge/logs-of.js';

const AGGREGATE = aggregateOf(madeLogs({ hosts: 2, seconds: 5, skew: 100 }));

test('the JSON report has runs, stages with all counts, and warnings', () => {
  const warning = { file: 'a', line: 1, message: 'b', incomplete: false };
  const report = JSON.parse(peakJson({ ...AGGREGATE, warnings: [warning] }));
  const { stages, peaks, hosts, clocks } = report;
  assert.deepEqual(Object.keys(report), ['format', 'peaks', 'isDated', 'clocks', 'hosts', 'stages', 'warnings']);
  assert.deepEqual(
    stages.map((/** @type {any} */ stage) => [stage.stage, stage.peak.operationsPerSecond]),
    Object.entries(peaks),
  );
  const [write] = stages;
  const { operations, attempts, retries, bytes, errors } = write;
  assert.deepEqual([attempts, bytes, errors], [operations + retries, operations * 16_384, { SlowDown: retries }]);
  assert.deepEqual(Object.keys(write.shares[0]), [
    ...['host', 'file', 'startMs', 'stopMs', 'operations', 'peak', 'limitedBy'],
  ]);
  assert.deepEqual(Object.keys(write.latency), ['count', 'p50', 'p90', 'p99', 'p999']);
  assert.deepEqual(
    hosts.map((/** @type {any} */ host) => [host.name, host.runs[0].shard, host.runs[0].size]),
    [
      ['host-1', '0/2', 16_384],
      ['host-2', '1/2', 16_384],
    ],
  );
  assert.deepEqual(Object.keys(write).slice(0, 3), ['stage', 'hosts', 'peak']);
  assert.equal(write.peak.secondStart, AGGREGATE.stages[0].peak.second);
  assert.deepEqual([report.format, write.peak.second], [2, undefined]);
  assert.deepEqual(clocks.worst, { uncertainty: 6, host: 'host-2' });
  assert.deepEqual(report.warnings, [warning]);
});
