import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOtlpSettings } from '../../lib/cli/telemetry.js';
import { UsageError } from '../../lib/options/usage-error.js';

/**
 * @param {Record<string, string>} env
 * @param {string} [url]
 */
function settingsOf(env, url) {
  return readOtlpSettings(env, url === undefined ? undefined : new URL(url));
}

test('without a variable, metrics go to a collector on this host, every ten seconds', () => {
  assert.deepEqual(settingsOf({}), { endpoint: 'http://localhost:4318', url: undefined, interval: 10_000 });
});

test('messages name the collector of the variables, which the exporter reads itself, without a query', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://one.example:9090/v1/metrics?key=secret',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  };
  const expected = { endpoint: 'http://one.example:9090/v1/metrics', url: undefined, interval: 1000 };
  assert.deepEqual(settingsOf(env), expected);
});

for (const url of ['http://h.example:4318', 'http://h.example:4318/', 'http://h.example:4318/v1/metrics']) {
  test(`--otlp-url ${url} takes precedence over the variables, with the path of metrics`, () => {
    const settings = settingsOf({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other.example' }, url);
    assert.equal(settings?.url, 'http://h.example:4318/v1/metrics');
  });
}

test('a variable that is empty counts as not set', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRIC_EXPORT_INTERVAL: ' ', OTEL_SDK_DISABLED: 'false' };
  assert.deepEqual(settingsOf(env), settingsOf({}));
});

test('a variable turns metrics off', () => {
  assert.equal(settingsOf({ OTEL_SDK_DISABLED: 'TRUE' }), null);
  assert.equal(settingsOf({ OTEL_METRICS_EXPORTER: 'none' }, 'http://h.example:4318'), null);
});

test('every problem is reported at once, with what was expected, and without a user', () => {
  const env = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@collector:4317',
    OTEL_METRIC_EXPORT_INTERVAL: '1',
  };
  assert.throws(
    () => settingsOf(env),
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
