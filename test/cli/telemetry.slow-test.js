import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Histogram } from '../../lib/result/histogram.js';
import { COUNTERS, LATENCY_METRICS } from '../../lib/report/telemetry/run-metrics.js';
import { folderWith, startCommand } from '../helpers/command.js';
import { testCertificate } from '../helpers/local-s3.js';
import { attributesOf, seriesOf, startCollector } from '../helpers/otlp.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { Series } from '../helpers/otlp.js'
 */

const FAULTS = 'latency=10ms,status=503:7%,reset=1%';

/** Each export is one of many. */
const OFTEN = { OTEL_METRIC_EXPORT_INTERVAL: '200' };

/**
 * @param {readonly Series[]} series
 * @param {string} name
 * @param {Record<string, string>} attributes that it has, among others
 * @returns {any[]} the points
 */
function pointsOf(series, name, attributes) {
  return series
    .filter(
      (each) =>
        each.name === name && Object.entries(attributes).every(([key, value]) => each.attributes[key] === value),
    )
    .map(({ point }) => point);
}

/** @param {any} point */
function numberOf({ asInt, asDouble }) {
  return asInt === undefined ? asDouble : Number(asInt);
}

/**
 * Holds what was exported last against the result: each counter, each kind of error, each histogram, each bucket.
 *
 * @param {readonly Series[]} series
 * @param {any} result
 */
function assertSame(series, result) {
  for (const stage of result.stages) {
    const ofStage = { 'r2_benchmark.stage': stage.stage, 'r2_benchmark.run.id': result.run, 'host.name': result.host };
    for (const kind of stage.kinds ?? [{ ...stage, operation: stage.stage.toLowerCase() }]) {
      const ofKind = { ...ofStage, 'r2_benchmark.operation': kind.operation };
      for (const [name, instrument] of Object.entries(COUNTERS)) {
        const points = pointsOf(series, instrument.name, ofKind).map(numberOf);
        const expected = instrument.unit === 's' ? kind[name] / 1000 : kind[name];
        // What cannot occur in the load is not exported.
        assert.deepEqual(
          points,
          points.length === 0 && expected === 0 ? [] : [expected],
          `${stage.stage} ${instrument.name}`,
        );
      }
      const errors = series.filter(
        ({ name, attributes }) =>
          name === 'r2_benchmark.errors' && Object.entries(ofKind).every(([key, value]) => attributes[key] === value),
      );
      assert.deepEqual(
        Object.fromEntries(errors.map(({ attributes, point }) => [attributes['error.type'], numberOf(point)])),
        Object.fromEntries(Object.entries(kind.errors)),
        stage.stage,
      );
      for (const [latency, { name }] of Object.entries(LATENCY_METRICS)) {
        assertSameHistogram(
          pointsOf(series, name, ofKind),
          kind.latency[latency] ?? null,
          kind.latency.histogram[latency],
        );
      }
    }
    for (const bucket of stage.buckets) {
      const ofBucket = { ...ofStage, 'aws.s3.bucket': bucket.bucket };
      const counted = ['operations', 'failed', 'failed_attempts', 'throttled'].map((name) =>
        pointsOf(series, `r2_benchmark.bucket.${name}`, ofBucket).map(numberOf),
      );
      const { operations, failed, failedAttempts, throttled } = bucket;
      assert.deepEqual(counted, [[operations], [failed], [failedAttempts], [throttled]]);
      assertSameHistogram(
        pointsOf(series, 'r2_benchmark.bucket.operation.duration', ofBucket),
        bucket.latency,
        bucket.histogram,
      );
    }
    assert.deepEqual(
      [
        pointsOf(series, 'r2_benchmark.connections.opened', ofStage),
        pointsOf(series, 'r2_benchmark.connections.reused', ofStage),
      ].map((points) => points.map(numberOf)),
      [[stage.connections.opened], [stage.connections.reused]],
    );
  }
}

/**
 * @param {any[]} points
 * @param {any} summary of the result
 * @param {string} encoded
 */
function assertSameHistogram(points, summary, encoded) {
  const filled = points.filter(({ count }) => count !== '0');
  assert.equal(filled.length, summary === null ? 0 : 1);
  if (summary === null) {
    return;
  }
  const [{ count, bucketCounts, explicitBounds, min, max }] = filled;
  assert.deepEqual([Number(count), min, max], [summary.count, summary.minimum / 1000, summary.maximum / 1000]);
  const expected = bucketCounts.map(() => 0);
  const { values, counts } = Histogram.decode(encoded).valueCounts();
  values.forEach((value, index) => {
    const bucket = explicitBounds.findIndex((/** @type {number} */ bound) => value <= Math.round(bound * 1e6));
    expected[bucket === -1 ? explicitBounds.length : bucket] += counts[index];
  });
  assert.deepEqual(bucketCounts.map(Number), expected);
}

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {Record<string, string>} [env]
 */
async function runWatched(t, parameters, env = {}) {
  const collector = await startCollector(t);
  const all = [...parameters, '--otlp', '--json', 'result.json'];
  const command = await startCommand(t, all, { env: { ...OFTEN, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env } });
  const outcome = await command.outcome;
  const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  return { collector, outcome, result, exports: collector.metrics.map(seriesOf) };
}

/** @param {readonly Series[][]} exports in their order */
function assertNothingDecreases(exports) {
  const before = new Map();
  for (const { name, attributes, point, type, isMonotonic } of exports.flat()) {
    if (type === 'histogram' || isMonotonic) {
      const key = JSON.stringify([name, attributes]);
      const value = type === 'histogram' ? Number(point.count) : numberOf(point);
      assert.ok(BigInt(point.startTimeUnixNano) <= BigInt(point.timeUnixNano));
      assert.ok(value >= (before.get(key) ?? 0), `${key}: ${value} after ${before.get(key)}`);
      before.set(key, value);
    }
  }
}

/** @type {Record<string, { parameters: string[], status?: number, shows: (result: any) => boolean }>} */
const LOADS = {
  'with retries, on two cores': {
    parameters: ['600', '20', '--size', '1KiB', '--cores', '2', '--faults', FAULTS],
    shows: ({ stages }) => stages.every((/** @type {any} */ { retries }) => retries > 0),
  },
  'with operations that failed, or were throttled or cut off': {
    parameters: [
      ...['100000', '10', '--size', '1KiB', '--retries', '1', '--duration', '2s', '--gap', '0s', '--warmup', '500ms'],
      ...['--faults', 'status=503:30%,status=500:20%,hang=1%'],
    ],
    status: 1,
    shows: ({ stages }) => stages.every((/** @type {any} */ { failed, throttled }) => failed > 0 && throttled > 0),
  },
};

for (const [what, { parameters, status = 0, shows }] of Object.entries(LOADS)) {
  test(`what a collector has at the end of a run ${what} is what the result says`, async (t) => {
    const { outcome, result, exports } = await runWatched(t, [...parameters, '--local']);
    assertStatus(outcome, status);
    assert.ok(shows(result));
    assert.ok(exports.length > 3);
    assertSame(/** @type {Series[]} */ (exports.at(-1)), result);
    assertNothingDecreases(exports);
  });
}

test('secrets of the headers reach the collector, and no one else', async (t) => {
  const collector = await startCollector(t, (response, { headers }) => {
    response.writeHead(500).end(String(headers['x-key']));
  });
  const command = await startCommand(t, ['20', '2', '--local', '--otlp', '--json', 'result.json', '--log', 'log.txt'], {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=do-not-show-me' },
  });
  const { status, stdout, stderr } = await command.outcome;
  assert.equal(status, 0);
  assert.equal(collector.received[0].headers['x-key'], 'do-not-show-me');
  const files = await Promise.all(
    ['result.json', 'log.txt'].map((name) => readFile(path.join(command.folder, name), 'utf8')),
  );
  assert.ok([stdout, stderr, ...files].every((text) => !text.includes('do-not-show-me')));
  assert.match(stderr, /^warning: http:\/\/127\.0\.0\.1:\d+ does not accept metrics \(HTTP status 500\)/m);
});

/** How long the end of a run waits for a collector, and what a busy machine may add. */
const MAX_END_MS = 5000 + 4000;

/** @type {readonly [what: string, reason: RegExp, behave: ((socket: Socket) => unknown) | null][]} */
const BAD_COLLECTORS = [
  ['hangs', /no (valid )?response in time/, () => {}],
  ['refuses connections', /ECONNREFUSED/, null],
  ['answers with an error', /HTTP status 500/, answer('500 Internal Server Error\r\ncontent-length: 0')],
  ['switches protocols', /./, answer('101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket')],
];

/** @param {string} head */
function answer(head) {
  return (/** @type {Socket} */ socket) => socket.once('data', () => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
}

describe('a bad collector', { concurrency: 4 }, () => {
  for (const [what, reason, behave] of BAD_COLLECTORS) {
    test(`Row 46: a collector that ${what} does not change the run, is named once, and delays its end by at most 5 s`, async (t) => {
      const server = createServer((socket) => {
        socket.on('error', () => {}).resume();
        behave?.(socket);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const { port } = /** @type {AddressInfo} */ (server.address());
      if (behave === null) {
        server.close();
      }
      const parameters = ['50', '10', '--local', '--json', 'result.json', '--otlp'];
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
      const command = await startCommand(t, parameters, { env });
      await command.shows('stdout', /^Remove took /m);
      const endsAt = performance.now();
      const outcome = await command.outcome;
      assertStatus(outcome, 0);
      assert.ok(performance.now() - endsAt < MAX_END_MS);
      const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
      assert.deepEqual(
        result.stages.map((/** @type {any} */ { operations }) => operations),
        [50, 50, 50, 50],
      );
      const warnings = outcome.stderr.match(/^warning: .*$/gm) ?? [];
      const collector = `http://127.0.0.1:${port}`;
      assert.equal(warnings.length, 2);
      assert.ok(warnings[0].startsWith(`warning: ${collector} does not accept metrics (`), warnings[0]);
      assert.match(warnings[0], reason);
      // A run on a busy machine lasts long enough for a second export.
      const lost = /^warning: (\d+) of \1 exports to (\S+) were lost, including the last one$/.exec(warnings[1]);
      assert.equal(lost?.[2], collector, warnings[1]);
    });
  }
});

test('signals that end the wait for a scrape leave the status that the result has', async (t) => {
  const parameters = ['50', '10', '--local', '--metrics-port', '0', '--metrics-hold', '1h', '--json', 'result.json'];
  const command = await startCommand(t, [...parameters, '--assert', 'write.operations == 51']);
  await command.shows('stderr', /^Waiting up to 1h 0m for a last scrape of \S+$/m);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGTERM', 'SIGINT', 'SIGHUP'])) {
    command.child.kill(signal);
    await wait(3);
  }
  assertStatus(await command.outcome, 3);
});

test('a port that is taken, or variables that cannot be read, end the run before it begins', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {AddressInfo} */ (server.address());
  const run = ['10', '2', '--local', '--otlp', '--metrics-port', String(port), '--log', 'log.txt'];
  const env = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/none.pem' };
  const command = await startCommand(t, run, { env });
  const { status, stdout, stderr } = await command.outcome;
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /OpenTelemetry's variables: Failed to read root certificate file/);
  assert.match(stderr, /--metrics-port: cannot listen on port \d+ of 127\.0\.0\.1 \(EADDRINUSE\)/);
});

test('a collector is reached by TLS with the authority and the compression that the variables name', async (t) => {
  const { key, cert } = await testCertificate();
  const folder = await folderWith(t, { 'ca.pem': cert });
  const collector = await startCollector(t, undefined, { key, cert });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_CERTIFICATE: path.join(folder, 'ca.pem'),
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%2Cb',
    OTEL_SERVICE_NAME: 'two',
  };
  const command = await startCommand(t, ['20', '2', '--local', '--otlp'], { env });
  assertStatus(await command.outcome, 0);
  const [{ headers, body }] = collector.received;
  assert.equal(headers['content-encoding'], 'gzip');
  const attributes = attributesOf(body.resourceMetrics[0].resource.attributes);
  assert.deepEqual([attributes['service.name'], attributes['deployment.environment.name']], ['two', 'a,b']);
});
