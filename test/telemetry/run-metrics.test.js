import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunMetrics } from '../../lib/telemetry/run-metrics.js';
import { stageSnapshot } from '../helpers/stage-snapshot.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { TestContext } from 'node:test' */

const STARTED_AT = 1_700_000_000_000;

/**
 * @param {TestContext} t
 * @param {{ rate?: number }} [options]
 */
function metricsOf(t, { rate } = {}) {
  const store = /** @type {any} */ ({ buckets: ['one'], hostname: 'localhost', port: 1 });
  const metrics = new RunMetrics({
    config: runConfig(NO_TARGET, { store, rate }),
    host: 'host-1',
    stages: [
      { stage: 'Read', operations: ['read'] },
      { stage: 'Mixed', operations: ['read', 'write'] },
    ],
    methods: new Map([['read', 'GET']]),
    now: () => 0,
    epochNow: () => STARTED_AT,
  });
  t.after(() => metrics.close());
  /** @param {string} name @param {Record<string, string | number>} [attributes] */
  const valuesOf = (name, attributes = {}) =>
    metrics
      .collect()
      .filter((metric) => metric.name === name)
      .flatMap(({ points }) => points)
      .filter((point) => Object.entries(attributes).every(([key, value]) => point.attributes[key] === value))
      .map(({ value }) => (typeof value === 'number' ? value : value.count));
  return { metrics, valuesOf };
}

test('the stages of a run are there from its beginning, with nothing counted', (t) => {
  const { metrics, valuesOf } = metricsOf(t);
  assert.deepEqual(valuesOf('r2_benchmark.operations'), [0, 0, 0]);
  assert.deepEqual(valuesOf('r2_benchmark.operation.duration'), [0, 0, 0]);
  assert.deepEqual(valuesOf('r2_benchmark.stage.running'), [0, 0]);
  assert.deepEqual(valuesOf('r2_benchmark.time_to_first_byte'), []);
  for (const { attributes, startedAt } of metrics.collect().flatMap(({ points }) => points)) {
    assert.deepEqual([attributes['host.name'], attributes['r2_benchmark.run.id']], ['host-1', 'run-1']);
    assert.ok(startedAt <= STARTED_AT);
  }
});

test('while a stage runs, its snapshots are what there is, and its end leaves nothing under way', (t) => {
  const { metrics, valuesOf } = metricsOf(t);
  metrics.stageStarts({ stage: 'Read', threads: 8 });
  metrics.snapshot('Read', stageSnapshot({ latencies: [1, 2], errors: { timeout: 1 } }));
  const read = { 'r2_benchmark.stage': 'Read' };
  assert.deepEqual(valuesOf('r2_benchmark.operations', read), [2]);
  assert.deepEqual(valuesOf('r2_benchmark.errors', { ...read, 'error.type': 'timeout' }), [1]);
  assert.deepEqual(valuesOf('http.client.request.duration', { ...read, 'http.request.method': 'GET' }), [2]);
  assert.deepEqual(valuesOf('r2_benchmark.stage.running', read), [1]);
  assert.deepEqual(valuesOf('http.client.active_requests'), [1]);
  assert.deepEqual(valuesOf('http.client.open_connections'), [1, 1]);
  assert.deepEqual(valuesOf('r2_benchmark.threads'), [8]);
  assert.deepEqual(valuesOf('nodejs.eventloop.utilization', { 'r2_benchmark.worker': 0 }), [0.5]);
  metrics.snapshot('Read', stageSnapshot({ latencies: [1, 2, 3] }, { isFinal: true, inFlight: 0, loops: [] }));
  metrics.stage({ stage: 'Read' });
  assert.deepEqual(valuesOf('r2_benchmark.operations', read), [3]);
  assert.deepEqual(valuesOf('r2_benchmark.stage.running', read), [0]);
  assert.deepEqual(valuesOf('http.client.active_requests'), [0]);
});

test('a stage that nobody knew of beforehand is shown like the others', (t) => {
  const { metrics, valuesOf } = metricsOf(t);
  metrics.stageStarts({ stage: 'Later', threads: 1 });
  metrics.snapshot('Later', stageSnapshot({ latencies: [1] }));
  assert.deepEqual(valuesOf('r2_benchmark.operations', { 'r2_benchmark.stage': 'Later' }), [1]);
});

test('only an open loop has a rate that was asked for', (t) => {
  assert.deepEqual(metricsOf(t).valuesOf('r2_benchmark.rate.requested'), []);
  assert.deepEqual(metricsOf(t, { rate: 12.5 }).valuesOf('r2_benchmark.rate.requested'), [12.5]);
});
