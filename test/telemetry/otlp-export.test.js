import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { OtlpExport } from '../../lib/telemetry/otlp-export.js';
import { startCollector } from '../helpers/otlp.js';
import { ORIGIN, metricOf } from './metrics-of.js';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { Metric, Span } from '../../lib/telemetry/metric.js'
 * @import { Collector } from '../helpers/otlp.js'
 */

const INTERVAL_MS = 500;

/** @type {Span} */
const SPAN = {
  name: 'Read',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: '00f067aa0ba902b7',
  parentSpanId: null,
  startedAt: 1,
  endedAt: 2,
  attributes: {},
  problem: null,
};

/**
 * @param {Collector} collector
 * @param {{ interval?: number, query?: string, collect?: () => readonly Metric[] }} [options]
 */
function exportTo(collector, { interval = INTERVAL_MS, query = '', collect } = {}) {
  const warnings = /** @type {string[]} */ ([]);
  let value = 0;
  const target = (/** @type {string} */ path) => ({
    url: new URL(`${path}${query}`, collector.url),
    isTls: false,
    headers: {},
    timeout: 10_000,
    compresses: false,
  });
  const exporting = new OtlpExport(
    { metrics: target('/v1/metrics'), traces: target('/v1/traces'), interval, resource: {} },
    {
      collect: collect ?? (() => [metricOf({ value: ++value })]),
      origin: ORIGIN,
      now: () => performance.now(),
      epochNow: () => 1000,
      random: () => 0,
      warn: (message) => warnings.push(message),
    },
  );
  return { exporting, warnings };
}

/** @param {any} request */
function valueIn({ resourceMetrics }) {
  return Number(resourceMetrics[0].scopeMetrics[0].metrics[0].sum.dataPoints[0].asInt);
}

test('metrics are sent at intervals and once more at the end, and nothing is said of it', async (t) => {
  /** @type {EventTarget} */
  const arrivals = new EventTarget();
  const collector = await startCollector(t, (response, _received, count) => {
    response.end('{}');
    arrivals.dispatchEvent(new Event(`arrival ${count}`));
  });
  const { exporting, warnings } = exportTo(collector);
  const second = once(arrivals, 'arrival 2');
  exporting.start();
  await second;
  await exporting.finish();
  const values = collector.metrics.map(valueIn);
  assert.ok(values.length >= 3);
  assert.deepEqual(
    values,
    values.toSorted((one, other) => one - other),
  );
  assert.deepEqual(warnings, []);
});

test('spans are sent once, with the metrics that come after them', async (t) => {
  const collector = await startCollector(t);
  const { exporting } = exportTo(collector, { interval: 600_000 });
  exporting.start();
  exporting.add(SPAN);
  exporting.add({ ...SPAN, name: 'r2-benchmark', spanId: 'b7ad6b7169203331' });
  await exporting.finish();
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    ['Read', 'r2-benchmark'],
  );
  assert.equal(collector.metrics.length, 1);
});

test('a collector that refuses is named once, without what its address may hide, and what was lost is counted', async (t) => {
  let requests = 0;
  const refused = /** @type {EventTarget} */ (new EventTarget());
  const collector = await startCollector(t, (response) => {
    response.writeHead(500).end();
    requests += 1;
    if (requests === 3) {
      refused.dispatchEvent(new Event('enough'));
    }
  });
  const { exporting, warnings } = exportTo(collector, { query: '?key=secret' });
  const enough = once(refused, 'enough');
  exporting.start();
  await enough;
  exporting.add(SPAN);
  await exporting.finish();
  // The end may cut off an export that was refused just then.
  const [, lost] = /^(\d+) of \1 exports /.exec(warnings[1]) ?? [];
  assert.ok([collector.metrics.length, collector.metrics.length - 1].includes(Number(lost)), warnings[1]);
  assert.deepEqual(warnings, [
    `${collector.url}/v1/metrics does not take metrics or spans (HTTP status 500): the run goes on, and what is lost is said at its end`,
    `${lost} of ${lost} exports of metrics to ${collector.url}/v1/metrics were lost, the last one among them`,
    `1 of 1 spans for ${collector.url}/v1/traces were lost`,
  ]);
});

test('what was lost on the way is made up for by the last export', async (t) => {
  const refused = /** @type {EventTarget} */ (new EventTarget());
  const collector = await startCollector(t, (response, _received, count) => {
    response.writeHead(count === 1 ? 500 : 200).end();
    refused.dispatchEvent(new Event(`answer ${count}`));
  });
  const { exporting, warnings } = exportTo(collector);
  const another = once(refused, 'answer 2');
  exporting.start();
  await another;
  await exporting.finish();
  assert.match(
    warnings[1],
    /^1 of [23] exports of metrics to \S+\/v1\/metrics were lost; the last one arrived, with all since the beginning$/,
  );
});

test('a collector that hangs does not hold up the end, and what it hung on at the end is not counted twice', async (t) => {
  const hanging = /** @type {EventTarget} */ (new EventTarget());
  const held = /** @type {ServerResponse[]} */ ([]);
  const collector = await startCollector(t, (response, _received, count) => {
    if (count === 1) {
      held.push(response);
      hanging.dispatchEvent(new Event('hangs'));
    } else {
      response.end('{}');
    }
  });
  const { exporting, warnings } = exportTo(collector, { interval: 2000 });
  const hangs = once(hanging, 'hangs');
  exporting.start();
  await hangs;
  await exporting.finish();
  assert.equal(held.length, 1);
  assert.deepEqual(warnings, []);
  assert.equal(collector.metrics.length, 2);
});

test('an error in what is to be sent is said once, on one line, and counted as a loss of that export', async (t) => {
  const tries = new EventTarget();
  const collector = await startCollector(t);
  let count = 0;
  const { exporting, warnings } = exportTo(collector, {
    collect: () => {
      count += 1;
      if (count <= 2) {
        tries.dispatchEvent(new Event(`try ${count}`));
        throw new TypeError('no\nfigures');
      }
      return [metricOf({ value: count })];
    },
  });
  const second = once(tries, 'try 2');
  exporting.start();
  await second;
  await exporting.finish();
  assert.deepEqual(warnings, [
    `${collector.url}/v1/metrics gets no metrics or spans (an unexpected error: TypeError: no figures): the run goes on, and what is lost is said at its end`,
    `2 of 3 exports of metrics to ${collector.url}/v1/metrics were lost; the last one arrived, with all since the beginning`,
  ]);
  assert.deepEqual(collector.metrics.map(valueIn), [3]);
});

test('a span that cannot be encoded is lost at the end, which it does not break off', async (t) => {
  const collector = await startCollector(t);
  const { exporting, warnings } = exportTo(collector, { interval: 600_000 });
  exporting.start();
  exporting.add({ ...SPAN, startedAt: NaN });
  await exporting.finish();
  assert.match(
    warnings[0],
    /\/v1\/traces gets no metrics or spans \(an unexpected error: RangeError: [^\n]+\): the run goes on/,
  );
  assert.deepEqual(warnings.slice(1), [`1 of 1 spans for ${collector.url}/v1/traces were lost`]);
  assert.equal(collector.metrics.length, 1);
});
