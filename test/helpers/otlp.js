import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

/**
 * @import { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

// What OpenTelemetry itself generates from its definitions: https://github.com/open-telemetry/opentelemetry-proto
const { opentelemetry } = createRequire(import.meta.url)('@opentelemetry/otlp-transformer/build/src/generated/root.js');

const { collector } = opentelemetry.proto;

/** Messages whose ids are bytes, and hexadecimal digits in JSON. */
const IDS = ['traceId', 'spanId', 'parentSpanId'];

/**
 * Decodes what is in JSON by the official definitions, by way of the binary form, and refuses what they do not know: all that was
 * there has to be there afterwards.
 *
 * @param {'metrics' | 'trace'} signal
 * @param {any} json
 * @returns {any} the message; 64-bit integers are decimal strings
 */
export function decodeStrictly(signal, json) {
  const type =
    signal === 'metrics'
      ? collector.metrics.v1.ExportMetricsServiceRequest
      : collector.trace.v1.ExportTraceServiceRequest;
  const withBytes = mapIds(json, (digits) => Buffer.from(digits, 'hex'));
  const message = type.decode(type.encode(type.fromObject(withBytes)).finish());
  const decoded = mapIds(type.toObject(message, { longs: String }), (bytes) => Buffer.from(bytes).toString('hex'));
  assert.deepEqual(withoutEmptyLists(decoded), withoutEmptyLists(json));
  return decoded;
}

/**
 * @param {any} value
 * @param {(id: any) => any} change
 * @returns {any}
 */
function mapIds(value, change) {
  if (Array.isArray(value)) {
    return value.map((each) => mapIds(each, change));
  }
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value) || value instanceof Uint8Array) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, IDS.includes(name) ? change(each) : mapIds(each, change)]),
  );
}

/** A list without elements is not there in the binary form. @param {any} value @returns {any} */
function withoutEmptyLists(value) {
  if (Array.isArray(value)) {
    return value.map(withoutEmptyLists);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  const kept = Object.entries(value).filter(([, each]) => !(Array.isArray(each) && each.length === 0));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutEmptyLists(each)]));
}

/**
 * A series of a metric, as a collector has it.
 *
 * @typedef {object} Series
 * @property {string} name
 * @property {Record<string, string>} attributes
 * @property {any} point a NumberDataPoint or an ExponentialHistogramDataPoint
 * @property {'sum' | 'gauge' | 'exponentialHistogram'} type
 */

/**
 * @param {any} request an ExportMetricsServiceRequest
 * @returns {Series[]}
 */
export function seriesOf({ resourceMetrics }) {
  const metrics = resourceMetrics.flatMap((/** @type {any} */ { scopeMetrics }) =>
    scopeMetrics.flatMap((/** @type {any} */ scope) => scope.metrics),
  );
  return metrics.flatMap((/** @type {any} */ metric) => {
    const type = /** @type {const} */ (['sum', 'gauge', 'exponentialHistogram']).find((each) => metric[each]) ?? 'sum';
    return metric[type].dataPoints.map((/** @type {any} */ point) => ({
      name: metric.name,
      attributes: attributesOf(point.attributes),
      point,
      type,
    }));
  });
}

/**
 * @param {readonly { key: string, value: any }[]} attributes
 * @returns {Record<string, string>}
 */
export function attributesOf(attributes) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? String(value.intValue)]));
}

/** @typedef {{ path: string, headers: IncomingHttpHeaders, body: any }} Received */

/** A collector of OTLP over HTTP that keeps what it gets. */
export class Collector {
  /** Decoded, in the order in which they came. @type {Received[]} */
  received = [];
  #server;

  /** @param {ReturnType<typeof createServer>} server that listens */
  constructor(server) {
    this.#server = server;
  }

  get url() {
    return `http://127.0.0.1:${/** @type {AddressInfo} */ (this.#server.address()).port}`;
  }

  /** @returns {any[]} metrics requests */
  get metrics() {
    return this.#bodies('/v1/metrics');
  }

  /** @returns {any[]} the spans of all requests */
  get spans() {
    return this.#bodies('/v1/traces').flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap((/** @type {any} */ { scopeSpans }) =>
        scopeSpans.flatMap((/** @type {any} */ scope) => scope.spans),
      ),
    );
  }

  /** @param {string} path */
  #bodies(path) {
    return this.received.filter((each) => each.path === path).map(({ body }) => body);
  }
}

/**
 * @param {TestContext} t
 * @param {(response: ServerResponse, received: Received, count: number) => void} [answer] to each request; takes all of them by
 *   default
 * @returns {Promise<Collector>}
 */
export async function startCollector(t, answer = (response) => response.end('{}')) {
  const server = createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?');
    const text = await textOf(request);
    const body = decodeStrictly(path.endsWith('metrics') ? 'metrics' : 'trace', JSON.parse(text));
    const received = { path, headers: request.headers, body };
    collecting.received.push(received);
    answer(response, received, collecting.received.length);
  });
  const collecting = new Collector(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return collecting;
}

/** @param {IncomingMessage} request */
async function textOf(request) {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  return String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
}
