import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeMetrics, encodeSpans } from '../../lib/telemetry/otlp-json.js';
import { attributesOf, decodeStrictly, seriesOf } from '../helpers/otlp.js';
import { valuesOf } from '../helpers/stage-snapshot.js';
import { ORIGIN, metricOf } from './metrics-of.js';

const NOW = 1_700_000_001_500;

/** @param {Parameters<typeof metricOf>[0]} metric */
function exported(metric) {
  const message = decodeStrictly('metrics', JSON.parse(JSON.stringify(encodeMetrics([metricOf(metric)], ORIGIN, NOW))));
  const [series] = seriesOf(message);
  return { message, series };
}

test('a counter is a monotonic sum since the beginning, with its attributes and its times', () => {
  const { message, series } = exported({ value: 12 });
  assert.equal(series.type, 'sum');
  const [{ scopeMetrics, resource }] = message.resourceMetrics;
  const { aggregationTemporality, isMonotonic } = scopeMetrics[0].metrics[0].sum;
  assert.deepEqual([aggregationTemporality, isMonotonic], [2, true]);
  assert.deepEqual(series.attributes, { 'r2_benchmark.stage': 'Read', 'server.port': '443' });
  const { asInt, startTimeUnixNano, timeUnixNano } = series.point;
  assert.deepEqual([asInt, startTimeUnixNano, timeUnixNano], ['12', '1700000000000250000', '1700000001500000000']);
  assert.deepEqual(attributesOf(resource.attributes), {
    'service.name': 'r2-benchmark',
    'r2_benchmark.object.size': '1024',
  });
  assert.deepEqual(scopeMetrics[0].scope, { name: 'r2-benchmark', version: '1.2.3' });
});

test('what may become less is a sum that is not monotonic, and what cannot be added up a gauge', () => {
  const [{ scopeMetrics }] = exported({ type: 'sum', value: 3 }).message.resourceMetrics;
  assert.equal(scopeMetrics[0].metrics[0].sum.isMonotonic, false);
  const { series } = exported({ type: 'gauge', unit: '1', isWhole: false, value: 0.25 });
  assert.deepEqual([series.type, series.point.asDouble], ['gauge', 0.25]);
});

test('the largest counts keep every digit, and a requested rate its fraction', () => {
  assert.equal(exported({ value: Number.MAX_SAFE_INTEGER }).series.point.asInt, '9007199254740991');
  assert.equal(exported({ type: 'sum', value: 0.5 }).series.point.asDouble, 0.5);
});

test('a histogram has every value, in seconds', () => {
  const anyLatencies = fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), { maxLength: 50 });
  fc.assert(
    fc.property(anyLatencies, (latencies) => {
      const { point } = exported({ type: 'histogram', unit: 's', isWhole: false, value: valuesOf(latencies) }).series;
      const { bucketCounts = [] } = point.positive ?? {};
      const inBuckets = bucketCounts.reduce(
        (/** @type {number} */ sum, /** @type {string} */ count) => sum + Number(count),
        0,
      );
      assert.deepEqual(
        [Number(point.count), inBuckets + Number(point.zeroCount)],
        [latencies.length, latencies.length],
      );
      assert.ok(
        Math.abs(point.sum - latencies.reduce((sum, latency) => sum + latency, 0) / 1000) < 1e-9 * (1 + point.sum),
      );
      if (latencies.length > 0) {
        assert.deepEqual([point.min, point.max], [Math.min(...latencies) / 1000, Math.max(...latencies) / 1000]);
      }
    }),
  );
});

test('spans have ids of the right length, their parent, and a status', () => {
  const run = {
    name: 'r2-benchmark',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: null,
    startedAt: 1_700_000_000_000,
    endedAt: 1_700_000_002_000,
    attributes: { 'r2_benchmark.objects': 10 },
    problem: null,
  };
  const stage = { ...run, name: 'Read', spanId: '00f067aa0ba902b7', parentSpanId: run.spanId, problem: 'stalled' };
  const message = decodeStrictly('trace', JSON.parse(JSON.stringify(encodeSpans([stage, run], ORIGIN))));
  const { spans } = message.resourceSpans[0].scopeSpans[0];
  assert.deepEqual(
    spans.map((/** @type {any} */ span) => [
      span.name,
      span.kind,
      span.traceId,
      span.spanId,
      span.parentSpanId,
      span.status,
    ]),
    [
      ['Read', 1, run.traceId, stage.spanId, run.spanId, { code: 2, message: 'stalled' }],
      ['r2-benchmark', 1, run.traceId, run.spanId, undefined, { code: 1 }],
    ],
  );
  assert.equal(spans[1].endTimeUnixNano, '1700000002000000000');
});

test('the oracle refuses a field that the definitions do not have', () => {
  const message = JSON.parse(JSON.stringify(encodeMetrics([metricOf({ value: 1 })], ORIGIN, NOW)));
  message.resourceMetrics[0].scopeMetrics[0].metrics[0].sum.isMonotone = true;
  assert.throws(() => decodeStrictly('metrics', message), { code: 'ERR_ASSERTION' });
});
