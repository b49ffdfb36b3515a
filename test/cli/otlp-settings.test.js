import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readOtlpSettings } from '../../lib/cli/otlp-settings.js';
import { UsageError } from '../../lib/options/usage-error.js';
import { folderWith } from '../helpers/command.js';

/** @import { OtlpSettings } from '../../lib/telemetry/otlp-target.js' */

/**
 * @param {Record<string, string>} env
 * @param {string} [url]
 */
function settingsOf(env, url) {
  const settings = readOtlpSettings(env, url === undefined ? undefined : new URL(url));
  assert.ok(settings !== null);
  return settings;
}

/** @param {OtlpSettings} settings */
function urlsOf({ metrics, traces }) {
  return [metrics?.url.href ?? null, traces?.url.href ?? null];
}

/**
 * @param {Record<string, string>} env
 * @returns {readonly string[]}
 */
function problemsOf(env) {
  try {
    readOtlpSettings(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.problems;
  }
}

test('without a variable, metrics and spans go to a collector on this host, every ten seconds', () => {
  const { interval, resource, ...targets } = settingsOf({});
  assert.deepEqual(urlsOf({ interval, resource, ...targets }), [
    'http://localhost:4318/v1/metrics',
    'http://localhost:4318/v1/traces',
  ]);
  assert.deepEqual([interval, resource], [10_000, {}]);
  const { headers, timeout, compresses, isTls } = targets.metrics ?? {};
  assert.deepEqual([headers, timeout, compresses, isTls], [{}, 10_000, false, false]);
});

test('the paths of the signals follow a common address, and no address of a signal', () => {
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' };
  const own = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://one.example:9090/api/v1/otlp/v1/metrics?tenant=a' };
  assert.deepEqual(urlsOf(settingsOf(common)), [
    'https://collector.example/otlp/v1/metrics',
    'https://collector.example/otlp/v1/traces',
  ]);
  assert.deepEqual(urlsOf(settingsOf({ ...common, ...own })), [
    'http://one.example:9090/api/v1/otlp/v1/metrics?tenant=a',
    'https://collector.example/otlp/v1/traces',
  ]);
});

for (const url of ['http://h.example:4318', 'http://h.example:4318/', 'http://h.example:4318/v1/metrics']) {
  test(`--otlp-url ${url} goes before the variables, and means the same as the others`, () => {
    const env = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other.example' };
    assert.deepEqual(urlsOf(settingsOf(env, url)), [
      'http://h.example:4318/v1/metrics',
      'http://h.example:4318/v1/traces',
    ]);
  });
}

test('headers are decoded, and those of a signal go before the common ones', () => {
  const { metrics, traces } = settingsOf({
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi,x-scope=one',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'X-Scope=two',
  });
  assert.deepEqual(metrics?.headers, { authorization: 'Basic YTpi', 'x-scope': 'one' });
  assert.deepEqual(traces?.headers, { authorization: 'Basic YTpi', 'x-scope': 'two' });
});

test('time, interval, compression and resource are those of the variables', () => {
  const { metrics, traces, interval, resource } = settingsOf({
    OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '3000',
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'gzip',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=one,deployment.environment.name=a%2Cb',
    OTEL_SERVICE_NAME: 'two',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  assert.deepEqual([metrics?.timeout, traces?.timeout, interval], [2000, 3000, 1000]);
  assert.deepEqual([metrics?.compresses, traces?.compresses], [true, false]);
  assert.deepEqual(resource, { 'service.name': 'two', 'deployment.environment.name': 'a,b' });
});

test('a variable that is empty counts as not set', () => {
  assert.deepEqual(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRIC_EXPORT_INTERVAL: ' ' }), settingsOf({}));
});

test('all of it, or a signal, can be turned off', () => {
  assert.equal(readOtlpSettings({ OTEL_SDK_DISABLED: 'TRUE' }), null);
  assert.deepEqual(urlsOf(settingsOf({ OTEL_TRACES_EXPORTER: 'none' })), ['http://localhost:4318/v1/metrics', null]);
  assert.deepEqual(urlsOf(settingsOf({ OTEL_METRICS_EXPORTER: 'none' })), [null, 'http://localhost:4318/v1/traces']);
});

test('authorities and certificates are read from their files', async (t) => {
  const folder = await folderWith(t, { 'ca.pem': 'authority', 'client.pem': 'certificate', 'key.pem': 'key' });
  const { metrics } = settingsOf({
    OTEL_EXPORTER_OTLP_CERTIFICATE: path.join(folder, 'ca.pem'),
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: path.join(folder, 'client.pem'),
    OTEL_EXPORTER_OTLP_CLIENT_KEY: path.join(folder, 'key.pem'),
  });
  const { certificate, clientCertificate, clientKey } = metrics ?? {};
  assert.deepEqual([certificate, clientCertificate, clientKey].map(String), ['authority', 'certificate', 'key']);
});

test('every problem is named at once, with what was expected', () => {
  assert.deepEqual(
    problemsOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
      OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/does/not/exist.pem',
      OTEL_METRIC_EXPORT_INTERVAL: '1',
    }).map((problem) => problem.split(',')[0]),
    [
      'OTEL_EXPORTER_OTLP_PROTOCOL: expected http/json',
      'OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL such as http://localhost:4318',
      'OTEL_EXPORTER_OTLP_TIMEOUT: expected a whole number from 1 to 3600000',
      'OTEL_EXPORTER_OTLP_COMPRESSION: expected gzip or none',
      'OTEL_EXPORTER_OTLP_CERTIFICATE: expected a file that can be read',
      'OTEL_METRIC_EXPORT_INTERVAL: expected a whole number from 100 to 86400000',
    ],
  );
});

for (const headers of ['api-key secret-9', 'api-key=secret-9%', 'api key=secret-9', 'api-key=secret-9%0Aa']) {
  test(`headers that cannot be sent are refused without a word of them: ${JSON.stringify(headers)}`, () => {
    const [problem, ...others] = problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: headers });
    assert.match(problem, /^OTEL_EXPORTER_OTLP_HEADERS: expected .* pair 1$/);
    assert.ok(!problem.includes('secret'));
    assert.deepEqual(others, []);
  });
}

test('an address with a user in it is refused, and its password is not shown', () => {
  const [problem] = problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret-9@collector.example' });
  assert.match(problem, /without a user, for whom OTEL_EXPORTER_OTLP_HEADERS has room, got ".*@collector\.example"$/);
  assert.ok(!problem.includes('secret'));
});
