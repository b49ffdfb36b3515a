import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, MeterProvider } from '@opentelemetry/sdk-metrics';
import { ScrapeServer } from '../../lib/report/telemetry/scrape-server.js';

/** @import { TestContext } from 'node:test' */

const LONG_MS = 600_000;
const NEVER = new AbortController().signal;
const HUGE = 1_000_000;

/**
 * @param {TestContext} t
 * @param {() => number} [count] what its only metric shows
 */
async function openServer(t, count = () => 1) {
  const server = await ScrapeServer.open({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  const resource = emptyResource();
  const reader = server.reader({
    collect: async () => {
      /** @type {any} */
      const metric = {
        descriptor: { name: 'seen', description: 'Seen.', unit: '', valueType: ValueType.INT },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.GAUGE,
        dataPoints: [{ attributes: {}, startTime: [0, 0], endTime: [0, 0], value: count() }],
      };
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'test' }, metrics: [metric] }] },
        errors: [],
      };
    },
  });
  new MeterProvider({ resource, readers: [reader] });
  return server;
}

/**
 * @param {string} url
 * @returns {Promise<string | undefined>} what the metric shows
 */
async function scrape(url) {
  const text = await (await fetch(url)).text();
  return /^seen (\d+)$/m.exec(text)?.[1];
}

/** @param {string} url */
function connectTo(url) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

test('a scrape gets the current metrics', async (t) => {
  let scrapes = 0;
  const { url } = await openServer(t, () => (scrapes += 1));
  const first = await fetch(url);
  assert.match(String(first.headers.get('content-type')), /^text\/plain/);
  await first.text();
  assert.equal(await scrape(`${url}?a=b`), '2');
});

test('waits for a scrape that begins after the run, and no longer', async (t) => {
  const server = await openServer(t);
  assert.equal(await scrape(server.url), '1');
  const waited = server.waitForScrape(LONG_MS, NEVER);
  assert.equal(await scrape(server.url), '1');
  await waited;
});

test('waits no longer than the given time, or until it is stopped', async (t) => {
  const server = await openServer(t);
  await server.waitForScrape(1, NEVER);
  const stopped = new AbortController();
  const waited = server.waitForScrape(LONG_MS, stopped.signal);
  stopped.abort();
  await waited;
  await server.waitForScrape(LONG_MS, AbortSignal.abort());
});

test('huge, malformed or other requests do no harm, and get no metrics', async (t) => {
  const { url } = await openServer(t);
  for (const request of [
    'no HTTP at all\r\n\r\n',
    `GET /${'a'.repeat(HUGE)} HTTP/1.1\r\n\r\n`,
    `GET /metrics HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(HUGE)}\r\n\r\n`,
  ]) {
    const socket = connectTo(url);
    // The server may reset the connection before it has read everything: this is no error.
    const closed = new Promise((resolve) => socket.resume().on('close', resolve));
    socket.write(request);
    await closed;
  }
  const body = await fetch(url, { method: 'POST', body: 'a'.repeat(10 * HUGE) }).catch(() => null);
  assert.ok(body === null || body.status === 404);
  const other = await fetch(new URL('/', url));
  assert.deepEqual([other.status, await other.text()], [404, 'r2-benchmark: GET /metrics returns the metrics\n']);
  assert.equal(await scrape(url), '1');
});

test('clients that send or read nothing delay neither other clients nor the end', async (t) => {
  const server = await openServer(t);
  const slow = [1, 2, 3].map(() => connectTo(server.url));
  await Promise.all(slow.map((socket) => once(socket, 'connect')));
  slow[1].write('GET /metrics HT');
  slow[2].pause().write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.equal(await scrape(server.url), '1');
  const closed = Promise.all(slow.slice(0, 2).map((socket) => once(socket.resume(), 'close')));
  await server.close();
  await closed;
});

test('connections that send nothing do not keep a scrape out', async (t) => {
  const server = await openServer(t);
  const idle = Array.from({ length: 400 }, () => connectTo(server.url));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  assert.equal(await scrape(server.url), '1');
  idle.forEach((socket) => socket.destroy());
});
