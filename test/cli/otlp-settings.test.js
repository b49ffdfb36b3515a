import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOtlpSettings } from '../../lib/cli/telemetry.js';
import { UsageError } from '../../lib/options/usage-error.js';

test('without a variable, metrics go to a collector on this host, every ten seconds', () => {
  assert.deepEqual(readOtlpSettings({}), { endpoint: 'http://localhost:4318', interval: 10_000 });
});

test('messages name the collector of the variables, which the exporter reads itself, without a query', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://one.example:9090/v1/metrics?key=secret',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  };
  const expected = { endpoint: 'http://one.example:9090/v1/metrics', interval: 1000 };
  assert.deepEqual(readOtlpSettings(env), expected);
});

test('a variable that is empty counts as not set', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRIC_EXPORT_INTERVAL: ' ', OTEL_SDK_DISABLED: 'false' };
  assert.deepEqual(readOtlpSettings(env), readOtlpSettings({}));
});

test('a variable turns metrics off', () => {
  assert.equal(readOtlpSettings({ OTEL_SDK_DISABLED: 'TRUE' }), null);
  assert.equal(readOtlpSettings({ OTEL_METRICS_EXPORTER: 'none' }), null);
});

test('every problem is reported at once, with what was expected, and without a user', () => {
  const env = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@collector:4317',
    OTEL_METRIC_EXPORT_INTERVAL: '1',
  };
  assert.throws(
    () => readOtlpSettings(env),
    (error) => {
      assert.ok(error instanceof UsageError);
      assert.deepEqual(
        error.problems.map((problem) => problem.split(',')[0]),
        [
          'OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf',
          'OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL such as http://localhost:4318',
          'OTEL_METRIC_EXPORT_INTERVAL: expected a whole number from 100 to 86400000',
        ],
      );
      assert.doesNotMatch(error.message, /secret/);
      return true;
    },
  );
});
