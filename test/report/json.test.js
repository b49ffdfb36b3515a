import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultFrom } from '../helpers/result-schema.js';
import { readResult } from '../../lib/result/read-result.js';
import { jsonReporter } from '../../lib/report/reporters.js';
import { aggregateOf, madeLogs } from '../result/logs-of.js';

const LOGS = madeLogs({ hosts: 2, seconds: 5, skew: 100 });
const AGGREGATE = aggregateOf(LOGS);

test('the JSON report is a result: hosts, stages with all counts and seconds, and facts about merging', () => {
  const warning = { file: 'a', line: 1, message: 'b', incomplete: false };
  const { result } = AGGREGATE;
  const told = { ...result, merge: { ...result.merge, warnings: [warning] } };
  const text = [...jsonReporter.format(told)].join('');
  const report = resultFrom(text);
  assert.deepEqual([readResult(text).problems, readResult(text).warnings], [[], []]);
  const { stages, merge, hosts } = report;
  assert.deepEqual(
    stages.map((/** @type {any} */ stage) => [stage.stage, stage.peak, stage.merge.peak.operationsPerSecond]),
    Object.entries(merge.peaks).map(([stage, peak]) => [stage, peak, peak]),
  );
  const [write] = stages;
  const { operations, attempts, retries, bytes, errors, figures } = write;
  assert.deepEqual(
    [figures.operations, figures.peak, figures.rate, figures.p99, figures.p999],
    [operations, write.peak, write.average, write.latency.operations.p99, write.latency.operations.p999],
  );
  assert.deepEqual([attempts, bytes, errors], [operations + retries, operations * 16_384, { SlowDown: retries }]);
  assert.equal(
    write.seconds.reduce((/** @type {number} */ sum, /** @type {any} */ second) => sum + second.operations, 0),
    operations,
  );
  assert.deepEqual(Object.keys(write.merge.shares[0]), [
    ...['host', 'file', 'startedAt', 'endedAt', 'operations', 'peak', 'limitedBy'],
    ...['certainty', 'evidence', 'advice'],
  ]);
  assert.equal(write.latency.operations.count, operations);
  assert.deepEqual(
    hosts.map((/** @type {any} */ host) => [host.merge.name, host.shard, host.options.size]),
    [
      ['host-1', '0/2', 16_384],
      ['host-2', '1/2', 16_384],
    ],
  );
  assert.deepEqual([report.shard, report.host, report.options.size], [null, null, 16_384]);
  assert.equal(write.merge.peak.secondStart, AGGREGATE.stages[0].peak.secondStart);
  assert.deepEqual(merge.clocks.worst, { uncertainty: 6, host: 'host-2' });
  assert.deepEqual(merge.warnings, [warning]);
});
