import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics, prometheusName } from '../../lib/telemetry/prometheus-text.js';
import { valuesOf } from '../helpers/stage-snapshot.js';
import { ORIGIN, metricOf } from './metrics-of.js';

const INFO = `# HELP target_info What is measured, and where.
# TYPE target_info gauge
target_info{service_name="r2-benchmark",r2_benchmark_object_size="1024"} 1
`;

test('names get the suffixes of their unit and type that OpenTelemetry lays down', () => {
  const nameOf = (/** @type {string} */ name, /** @type {any} */ type, /** @type {string} */ unit) =>
    prometheusName({ name, type, unit, description: '', isWhole: false });
  assert.equal(nameOf('r2_benchmark.operations', 'counter', '{operation}'), 'r2_benchmark_operations_total');
  assert.equal(nameOf('r2_benchmark.bytes', 'counter', 'By'), 'r2_benchmark_bytes_total');
  assert.equal(nameOf('http.client.request.duration', 'histogram', 's'), 'http_client_request_duration_seconds');
  assert.equal(nameOf('process.cpu.time', 'counter', 's'), 'process_cpu_time_seconds_total');
  assert.equal(nameOf('system.cpu.utilization', 'gauge', '1'), 'system_cpu_utilization_ratio');
  assert.equal(nameOf('r2_benchmark.rate.requested', 'sum', '{operation}/s'), 'r2_benchmark_rate_requested_per_second');
});

test('a counter is two lines of description, and one for each series', () => {
  assert.equal(
    formatMetrics([metricOf({ value: 12 })], ORIGIN),
    `${INFO}# HELP r2_benchmark_operations_total Operations that succeeded.
# TYPE r2_benchmark_operations_total counter
r2_benchmark_operations_total{r2_benchmark_stage="Read",server_port="443"} 12
`,
  );
});

test('a histogram has cumulative buckets, its sum in seconds and its count', () => {
  const value = valuesOf([0.05, 2, 2, 90_000]);
  const lines = formatMetrics(
    [metricOf({ name: 'r2_benchmark.operation.duration', type: 'histogram', unit: 's', value })],
    ORIGIN,
  )
    .slice(INFO.length)
    .trimEnd()
    .split('\n');
  const of = (/** @type {string} */ bound) =>
    lines
      .find((line) => line.includes(`le="${bound}"`))
      ?.split(' ')
      .at(-1);
  assert.deepEqual(['0.0001', '0.0016', '0.0025', '80', '+Inf'].map(of), ['1', '1', '3', '3', '4']);
  assert.deepEqual(lines.slice(-2), [
    'r2_benchmark_operation_duration_seconds_sum{r2_benchmark_stage="Read",server_port="443"} 90.00405',
    'r2_benchmark_operation_duration_seconds_count{r2_benchmark_stage="Read",server_port="443"} 4',
  ]);
});

test('no value of a label ends its line or its quotation marks', () => {
  const metric = metricOf({ value: 1 });
  const points = [{ ...metric.points[0], attributes: { 'aws.s3.bucket': 'a"b\\c\nd 1' } }];
  const [last] = formatMetrics([{ ...metric, points }], ORIGIN)
    .trimEnd()
    .split('\n')
    .slice(-1);
  assert.equal(last, String.raw`r2_benchmark_operations_total{aws_s3_bucket="a\"b\\c\nd 1"} 1`);
});
