import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonReport } from '../../lib/report/json-report.js';
import { runFacts } from '../../lib/run/run-facts.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { RunResult } from '../../lib/model/result.js' */

const FACTS = runFacts({
  config: runConfig(NO_TARGET),
  host: 'fra-1',
  startedAt: 0,
  clock: null,
  versions: { node: 'v20.0.0' },
});
const REQUESTS = { preflight: 1, clock: 20, cleanup: 48 };
const CLEANUP = { removed: 3, left: 0, foreign: 1, problems: [] };

/** @param {Partial<RunResult>} [overrides] */
function reportOf(overrides = {}) {
  const operations = [
    { after: 400, latency: 4 },
    { after: 800, latency: 8, failures: ['timeout'] },
  ];
  const stages = [finishedStage({ operations }), finishedStage({ name: 'Read', operations: [], rest: 5 })];
  const result = /** @type {RunResult} */ ({
    facts: FACTS,
    problems: [],
    stages,
    cleanup: CLEANUP,
    requests: REQUESTS,
    crash: null,
    ...overrides,
  });
  return { text: jsonReport(result, 1), stages };
}

test('the report is one JSON object that ends with a line feed', () => {
  const { text } = reportOf();
  assert.ok(text.endsWith('}\n'));
  const report = JSON.parse(text);
  assert.deepEqual([report.format, report.run, report.host, report.exitStatus], [2, 'run-1', 'fra-1', 1]);
  assert.deepEqual([report.problems, report.cleanup, report.requests], [[], CLEANUP, REQUESTS]);
  assert.equal(report.options.threads, 4);
});

test('it has everything about each stage: counts, seconds, connections, latencies and their histogram', () => {
  const { text, stages } = reportOf();
  const [write, read] = JSON.parse(text).stages;
  const { latencies, seconds, ...rest } = stages[0];
  for (const [name, value] of Object.entries(rest)) {
    assert.deepEqual(write[name], value, name);
  }
  assert.deepEqual(
    write.seconds,
    seconds.map(({ second, ...figures }) => ({ secondStart: second, ...figures })),
  );
  assert.equal(write.latency.unit, 'ms');
  assert.deepEqual(write.latency.operations, latencies.operations.summary());
  assert.deepEqual(write.latency.attempts, latencies.attempts.summary());
  assert.equal(write.latency.histogram.unit, 'us');
  assert.equal(decodeFromCompressedBase64(write.latency.histogram.data).totalCount, 2);
  assert.equal(read.latency.operations, null);
});

test('what went wrong is in it, a secret is not', () => {
  const { text } = reportOf({ problems: ['no bucket "one"'], stages: [], cleanup: null });
  const report = JSON.parse(text);
  assert.deepEqual([report.problems, report.stages, report.cleanup], [['no bucket "one"'], [], null]);
  for (const secret of ['the-access-key', 'the-secret-key', 'the-session-token']) {
    assert.ok(!text.includes(secret));
  }
});
