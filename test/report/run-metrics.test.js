import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunMetrics } from '../../lib/report/telemetry/run-metrics.js';
import { stageSnapshot } from '../helpers/stage-snapshot.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

const STARTED_AT = 1_700_000_000_500;

const READS = { operation: 'read', method: 'GET' };
const STATS = { operation: 'stat', method: 'HEAD' };

function prepare() {
  const store = /** @type {any} */ ({ buckets: ['one'], hostname: 'localhost', port: 1 });
  const metrics = new RunMetrics({
    config: runConfig(NO_TARGET, { store }),
    host: 'host-1',
    stages: [
      { stage: 'Read', kinds: [READS] },
      { stage: 'Mixed', kinds: [READS, STATS] },
    ],
    epochNow: () => STARTED_AT,
  });
  const collect = () => metrics.collect((name, unit) => ({ name, unit }));
  /** @param {string} name @param {Record<string, string | number>} [attributes] */
  const valuesOf = (name, attributes = {}) =>
    collect()
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => /** @type {any[]} */ (dataPoints))
      .filter((point) => Object.entries(attributes).every(([key, value]) => point.attributes[key] === value))
      .map(({ value }) => (typeof value === 'number' ? value : value.count));
  return { metrics, collect, valuesOf };
}

test('exports every counter from zero, and rare latencies once they occur', () => {
  const { metrics, valuesOf } = prepare();
  for (const name of ['bytes', 'warmup_operations', 'stale_reads']) {
    assert.deepEqual(valuesOf(`r2_benchmark.${name}`), [0, 0, 0], name);
  }
  assert.deepEqual(valuesOf('r2_benchmark.operation.duration'), [0, 0, 0]);
  assert.deepEqual(valuesOf('r2_benchmark.time_to_first_byte'), []);
  const snapshot = stageSnapshot({ latencies: [1, 2] });
  const [kind] = snapshot.kinds;
  const { operations, histogram } = kind.latency;
  const latency = {
    ...kind.latency,
    firstByte: operations,
    histogram: { ...histogram, firstByte: histogram.operations },
  };
  metrics.snapshot('Read', [{ ...snapshot, kinds: [{ ...kind, latency }] }]);
  assert.deepEqual(valuesOf('r2_benchmark.time_to_first_byte'), [2]);
});

test('a running stage exports its latest snapshot, and its end leaves nothing in flight', () => {
  const { metrics, valuesOf } = prepare();
  metrics.stageStarts({ stage: 'Read', threads: 8 });
  metrics.snapshot('Read', [stageSnapshot({ latencies: [1, 2], errors: { timeout: 1 } })]);
  const read = { 'r2_benchmark.stage': 'Read' };
  assert.deepEqual(valuesOf('r2_benchmark.operations', read), [2]);
  assert.deepEqual(valuesOf('r2_benchmark.errors', { ...read, 'error.type': 'timeout' }), [1]);
  assert.deepEqual(valuesOf('http.client.request.duration', { ...read, 'http.request.method': 'GET' }), [2]);
  assert.deepEqual(valuesOf('r2_benchmark.stage.running', read), [1]);
  assert.deepEqual(valuesOf('http.client.active_requests'), [1]);
  assert.deepEqual(valuesOf('http.client.open_connections'), [1, 1]);
  assert.deepEqual(valuesOf('r2_benchmark.threads'), [8]);
  assert.deepEqual(valuesOf('nodejs.eventloop.utilization', { 'r2_benchmark.worker': 0 }), [0.5]);
  metrics.snapshot('Read', [stageSnapshot({ latencies: [1, 2, 3] }, { isFinal: true, inFlight: 0, loops: [] })]);
  metrics.stage({ stage: 'Read' });
  assert.deepEqual(valuesOf('r2_benchmark.operations', read), [3]);
  assert.deepEqual(valuesOf('r2_benchmark.stage.running', read), [0]);
  assert.deepEqual(valuesOf('http.client.active_requests'), [0]);
});
