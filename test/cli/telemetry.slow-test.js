import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Histogram } from '../../lib/model/histogram.js';
import { COUNTERS, LATENCIES } from '../../lib/telemetry/instruments.js';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { attributesOf, seriesOf, startCollector } from '../helpers/otlp.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { Series } from '../helpers/otlp.js'
 */

const FAULTS = 'latency=2ms,status=503:7%,reset=1%';

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
        const [point, ...others] = pointsOf(series, instrument.name, ofKind);
        const expected = instrument.unit === 's' ? kind[name] / 1000 : kind[name];
        assert.deepEqual([numberOf(point), others], [expected, []], `${stage.stage} ${instrument.name}`);
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
      for (const [latency, { name }] of Object.entries(LATENCIES)) {
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
  const [{ count, scale, zeroCount, positive, min, max }] = filled;
  assert.deepEqual([Number(count), min, max], [summary.count, summary.minimum / 1000, summary.maximum / 1000]);
  const expected = new Map();
  const { values, counts } = Histogram.decode(encoded).valueCounts();
  values.forEach((value, place) => {
    const index = Math.ceil(Math.log2(value / 1e6) * 2 ** scale) - 1;
    expected.set(index, (expected.get(index) ?? 0) + counts[place]);
  });
  const buckets = positive.bucketCounts.flatMap((/** @type {string} */ each, /** @type {number} */ place) =>
    each === '0' ? [] : [[positive.offset + place, Number(each)]],
  );
  assert.deepEqual(
    [Number(zeroCount), buckets],
    [expected.get(-Infinity) ?? 0, [...expected].filter(([index]) => index !== -Infinity)],
  );
}

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {Record<string, string>} [env]
 */
async function runWatched(t, parameters, env = {}) {
  const collector = await startCollector(t);
  const all = [...parameters, '--otlp-url', collector.url, '--json', 'result.json'];
  const command = await startCommand(t, all, { env: { ...OFTEN, ...env } });
  const outcome = await command.outcome;
  const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  return { collector, outcome, result, exports: collector.metrics.map(seriesOf) };
}

/** @param {readonly Series[][]} exports in their order */
function assertNothingBecomesLess(exports) {
  const before = new Map();
  for (const { name, attributes, point, type } of exports.flat()) {
    if (type === 'exponentialHistogram' || name in COUNTER_NAMES) {
      const key = JSON.stringify([name, attributes]);
      const value = type === 'exponentialHistogram' ? Number(point.count) : numberOf(point);
      assert.ok(value >= (before.get(key) ?? 0), `${key}: ${value} after ${before.get(key)}`);
      before.set(key, value);
    }
  }
}

const COUNTER_NAMES = Object.fromEntries(Object.values(COUNTERS).map(({ name }) => [name, true]));

for (const cores of ['1', '2']) {
  test(`what a collector has at the end is what the result says, on ${cores} cores, with retries`, async (t) => {
    const { collector, outcome, result, exports } = await runWatched(
      t,
      ['3000', '20', '--local', '--size', '1KiB', '--cores', cores, '--faults', FAULTS],
      { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
    );
    assertStatus(outcome, 0);
    assert.ok(result.stages.every((/** @type {any} */ { retries }) => retries > 0));
    assert.ok(exports.length > 3);
    assertSame(/** @type {Series[]} */ (exports.at(-1)), result);
    assertNothingBecomesLess(exports);
    const names = collector.spans.map(({ name }) => name);
    assert.deepEqual(names, ['Write', 'Read', 'Stat', 'Remove', 'r2-benchmark']);
    const run = collector.spans.at(-1);
    assert.ok(collector.spans.slice(0, -1).every(({ parentSpanId }) => parentSpanId === run.spanId));
    assert.ok(collector.spans.every(({ traceId }) => traceId === run.traceId));
    assert.equal(attributesOf(run.attributes)['r2_benchmark.run.id'], result.run);
  });
}

test('operations that failed, or were throttled or cut off, are exported as the result has them', async (t) => {
  const { outcome, result, exports } = await runWatched(t, [
    ...[
      '100000',
      '10',
      '--local',
      '--size',
      '1KiB',
      '--retries',
      '1',
      '--duration',
      '2s',
      '--gap',
      '0s',
      '--warmup',
      '500ms',
    ],
    ...['--faults', 'status=503:30%,status=500:20%,hang=1%'],
  ]);
  assertStatus(outcome, 1);
  assertSame(/** @type {Series[]} */ (exports.at(-1)), result);
  assertNothingBecomesLess(exports);
});

test('of several buckets each is exported by itself', async (t) => {
  const endpoint = await startTestEndpoint(t, { buckets: ['one', 'two', 'three'] });
  const collector = await startCollector(t);
  const parameters = ['900', '9', '--size', '1KiB', '--json', 'result.json', '--otlp-url', collector.url];
  const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(endpoint), env: OFTEN });
  assertStatus(await command.outcome, 0);
  const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  assertSame(seriesOf(collector.metrics.at(-1)), result);
});

test('mixed operations are exported by their kinds', async (t) => {
  const { outcome, result, exports } = await runWatched(t, [
    ...[
      '300',
      '6',
      '--local',
      '--size',
      '1KiB',
      '--mix',
      'read=70,write=20,stat=10',
      '--duration',
      '3s',
      '--gap',
      '0s',
    ],
    ...['--cores', '2', '--faults', 'status=503:5%'],
  ]);
  assertStatus(outcome, 0);
  assert.ok(result.stages.some((/** @type {any} */ { kinds = [] }) => kinds.length === 3));
  assertSame(/** @type {Series[]} */ (exports.at(-1)), result);
  assertNothingBecomesLess(exports);
});

test('objects in parts are exported with their parts', async (t) => {
  const { outcome, result, exports } = await runWatched(t, [
    ...['12', '3', '--local', '--size', '11MiB', '--multipart', '--cores', '2', '--faults', 'status=503:5%'],
  ]);
  assertStatus(outcome, 0);
  assert.ok(result.stages[0].parts > 0);
  assertSame(/** @type {Series[]} */ (exports.at(-1)), result);
});

test('a search is exported with all of its steps', async (t) => {
  const { outcome, result, exports } = await runWatched(t, [
    ...['20000', '8', '--local', '--size', '1KiB', '--find-peak', '--stages', 'write,read', '--cores', '1'],
    ...['--faults', 'latency=5ms'],
  ]);
  assertStatus(outcome, 0);
  const series = /** @type {Series[]} */ (exports.at(-1));
  assertNothingBecomesLess(exports);
  for (const { stage, search } of result.stages) {
    const operations = search.steps.reduce(
      (/** @type {number} */ sum, /** @type {any} */ step) => sum + step.operations,
      0,
    );
    const exported = pointsOf(series, 'r2_benchmark.operations', { 'r2_benchmark.stage': stage }).map(numberOf);
    assert.deepEqual(exported, [operations]);
  }
});

test('a ramp is exported as one stage', async (t) => {
  const { outcome, result, exports } = await runWatched(t, [
    ...[
      '20000',
      '8',
      '--local',
      '--size',
      '1KiB',
      '--ramp',
      '2,8',
      '--step-time',
      '4s',
      '--stages',
      'write',
      '--gap',
      '0s',
    ],
    ...['--faults', 'latency=5ms'],
  ]);
  assertStatus(outcome, 0);
  assertSame(/** @type {Series[]} */ (exports.at(-1)), result);
  assertNothingBecomesLess(exports);
});

test('secrets of the headers reach the collector, and nobody else', async (t) => {
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
  assert.match(
    stderr,
    /^warning: http:\/\/127\.0\.0\.1:\d+\/v1\/\w+ does not take metrics or spans \(HTTP status 500\)/m,
  );
});

for (const [what, behave] of /** @type {const} */ ([
  ['hangs', () => {}],
  ['resets its connections', (/** @type {any} */ socket) => socket.resetAndDestroy()],
  ['speaks another protocol', (/** @type {any} */ socket) => socket.end('220 mail.example ESMTP\r\n')],
  [
    'switches protocols',
    (/** @type {any} */ socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
      ),
  ],
])) {
  test(`a collector that ${what} changes nothing of the run, and is named once`, async (t) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume();
      behave(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = /** @type {AddressInfo} */ (server.address());
    const parameters = ['500', '10', '--local', '--json', 'result.json', '--otlp-url', `http://127.0.0.1:${port}`];
    const command = await startCommand(t, parameters, { env: { OTEL_EXPORTER_OTLP_TIMEOUT: '500' } });
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
    assert.deepEqual(
      result.stages.map((/** @type {any} */ { operations }) => operations),
      [500, 500, 500, 500],
    );
    const warnings = outcome.stderr.match(/^warning: .*$/gm) ?? [];
    assert.deepEqual(
      warnings.map((line) =>
        line.replace(/^warning: (http\S+ does not take|\d+ of \d+ \w+).*$/, '$1').replace(/http\S+/, 'it'),
      ),
      ['it does not take', '1 of 1 exports', '5 of 5 spans'],
    );
  });
}

test('a host that Prometheus scrapes shows the result, and goes once the last scrape has come', async (t) => {
  const parameters = ['500', '10', '--local', '--metrics-port', '0', '--metrics-hold', '1h', '--json', 'result.json'];
  const command = await startCommand(t, parameters);
  const [, early] = await command.shows('stderr', /^Prometheus finds the metrics of this run at (\S+)$/m);
  assert.equal((await fetch(early)).status, 200);
  const [, url] = await command.shows('stderr', /^Waiting up to 1h 0m for a last scrape of (\S+)$/m);
  const text = await (await fetch(url)).text();
  assertStatus(await command.outcome, 0);
  const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  for (const { stage, operations, bytes } of result.stages) {
    const of = (/** @type {string} */ name) =>
      Number(new RegExp(`^${name}\\{r2_benchmark_stage="${stage}",.*\\} (\\d+)$`, 'm').exec(text)?.[1]);
    assert.deepEqual([of('r2_benchmark_operations_total'), of('r2_benchmark_bytes_total')], [operations, bytes]);
  }
});

test('signals that end the wait for a scrape leave the status that the result has', async (t) => {
  const parameters = ['500', '10', '--local', '--metrics-port', '0', '--metrics-hold', '1h', '--json', 'result.json'];
  for (const [limit, expected] of /** @type {const} */ ([
    ['write.operations == 500', 0],
    ['write.operations == 501', 3],
  ])) {
    const command = await startCommand(t, [...parameters, '--assert', limit]);
    await command.shows('stderr', /^Waiting up to 1h 0m for a last scrape of \S+$/m);
    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGTERM', 'SIGINT', 'SIGHUP'])) {
      command.child.kill(signal);
      await wait(3);
    }
    assertStatus(await command.outcome, expected);
  }
});

test('a run that a signal has stopped waits for no scrape', async (t) => {
  const parameters = ['100000', '10', '--local', '--metrics-port', '0', '--metrics-hold', '1h'];
  const command = await startCommand(t, parameters);
  await command.shows('stderr', /^Run /m);
  command.child.kill('SIGINT');
  const outcome = await command.outcome;
  assertStatus(outcome, 130);
  assert.doesNotMatch(outcome.stderr, /^Waiting up to /m);
});

test('signals while a collector is waited for say nothing of objects, which are removed by then', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const finalExport = once(server, 'connection');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const parameters = ['20', '2', '--json', 'result.json', '--otlp-url', `http://127.0.0.1:${port}`];
  const env = { OTEL_METRIC_EXPORT_INTERVAL: '600000' };
  const command = await startCommand(t, parameters, { dotEnv: dotEnvOf(endpoint), env });
  await finalExport;
  command.child.kill('SIGINT');
  command.child.kill('SIGTERM');
  const { status, stderr } = await command.outcome;
  assert.equal(status, 0);
  assert.doesNotMatch(stderr, /^Stopping|Objects may remain/m);
  assert.deepEqual(await keysIn(endpoint), []);
  resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
});

test('a port that is taken, or what cannot be read, ends the run before it begins', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {AddressInfo} */ (server.address());
  const command = await startCommand(t, ['10', '2', '--local', '--otlp', '--metrics-port', String(port)], {
    env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  });
  const { status, stderr } = await command.outcome;
  assert.equal(status, 2);
  assert.match(stderr, /OTEL_EXPORTER_OTLP_PROTOCOL: expected http\/json/);
  assert.match(stderr, /--metrics-port: cannot listen at port \d+ of 127\.0\.0\.1 \(EADDRINUSE\)/);
});
