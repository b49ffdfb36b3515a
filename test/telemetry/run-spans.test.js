import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunSpans } from '../../lib/telemetry/run-spans.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Span } from '../../lib/telemetry/metric.js' */

const STARTED_AT = 1_700_000_000_000;

/** @param {{ host?: string, index?: number, end?: 'complete' | 'stalled', exitStatus?: number | null }} [run] */
function spansOf({ host = 'host-1', index = 0, end = 'complete', exitStatus = 0 } = {}) {
  /** @type {Span[]} */
  const spans = [];
  const config = runConfig(NO_TARGET, { shard: { index, count: 2 }, objects: 10, size: 1024, stages: ['write'] });
  const run = new RunSpans({ config, host, epochNow: () => STARTED_AT, add: (span) => spans.push(span) });
  run.stage(finishedStage({ operations: [{ after: 10 }] }, { end }));
  run.runEnds(exitStatus);
  return spans;
}

test('the stages of a run are children of its span, and say what they came to', () => {
  const [stage, run] = spansOf();
  assert.deepEqual([run.name, run.parentSpanId, run.problem], ['r2-benchmark', null, null]);
  assert.deepEqual([stage.name, stage.parentSpanId, stage.traceId], ['Write', run.spanId, run.traceId]);
  assert.deepEqual([stage.attributes['r2_benchmark.operations'], stage.problem], [1, null]);
  assert.match(stage.traceId, /^[0-9a-f]{32}$/);
  assert.match(stage.spanId, /^[0-9a-f]{16}$/);
  assert.notEqual(stage.spanId, run.spanId);
});

test('all hosts of a run are in one trace, each with spans of its own', () => {
  const all = [spansOf(), spansOf({ index: 1 }), spansOf({ host: 'host-2' })].flat();
  assert.equal(new Set(all.map(({ traceId }) => traceId)).size, 1);
  assert.equal(new Set(all.map(({ spanId }) => spanId)).size, all.length);
});

test('a stage or a run that did not end well says so', () => {
  const [stage, run] = spansOf({ end: 'stalled', exitStatus: 1 });
  assert.deepEqual([stage.problem, run.problem], ['the stage ended early: stalled', 'exit status 1']);
  const [, broken] = spansOf({ exitStatus: null });
  assert.equal(broken.problem, 'the run broke off');
});
