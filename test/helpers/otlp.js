import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Server as TlsServer, createServer as createTlsServer } from 'node:https';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

/**
 * @import { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

// What OpenTelemetry generated from its definitions (https://github.com/open-telemetry/opentelemetry-proto), in an older version of
// otlp-transformer: the newer ones write messages by hand, and read none.
const { opentelemetry } = createRequire(import.meta.url)('otlp-definitions/build/src/generated/root.js');

const { ExportMetricsServiceRequest } = opentelemetry.proto.collector.metrics.v1;

/**
 * Decodes a message by the official definitions, and refuses what they do not know: encoded again, it has as many bytes.
 *
 * @param {Buffer} bytes
 * @returns {any} with 64-bit integers as decimal strings
 */
function decodeStrictly(bytes) {
  const message = ExportMetricsServiceRequest.decode(bytes);
  const decoded = ExportMetricsServiceRequest.toObject(message, { longs: String });
  const again = ExportMetricsServiceRequest.encode(ExportMetricsServiceRequest.fromObject(decoded)).finish();
  assert.equal(again.length, bytes.length);
  return decoded;
}

/**
 * A series of a metric, as a collector has it.
 *
 * @typedef {object} Series
 * @property {string} name
 * @property {Record<string, string>} attributes
 * @property {any} point a NumberDataPoint or a HistogramDataPoint
 * @property {'sum' | 'gauge' | 'histogram'} type
 * @property {boolean} isMonotonic
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
    const type = /** @type {const} */ (['sum', 'gauge', 'histogram']).find((each) => metric[each]) ?? 'sum';
    return metric[type].dataPoints.map((/** @type {any} */ point) => ({
      name: metric.name,
      attributes: attributesOf(point.attributes),
      point,
      type,
      isMonotonic: metric[type].isMonotonic === true,
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
class Collector {
  /** Decoded, in the order in which they came. @type {Received[]} */
  received = [];
  #server;

  /** @param {ReturnType<typeof createServer>} server that listens */
  constructor(server) {
    this.#server = server;
  }

  get url() {
    const { port } = /** @type {AddressInfo} */ (this.#server.address());
    return `${this.#server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${port}`;
  }

  /** @returns {any[]} metrics requests */
  get metrics() {
    return this.received.map(({ body }) => body);
  }
}

/**
 * @param {TestContext} t
 * @param {(response: ServerResponse, received: Received, count: number) => void} [answer] to each request; takes all of them by
 *   default
 * @param {{ key: string, cert: string }} [tls]
 * @returns {Promise<Collector>}
 */
export async function startCollector(t, answer = (response) => response.end(), tls) {
  const listener = async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    assert.equal(request.headers['content-type'], 'application/x-protobuf');
    const body = decodeStrictly(await bytesOf(request));
    const received = { path: request.url ?? '', headers: request.headers, body };
    collecting.received.push(received);
    answer(response, received, collecting.received.length);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
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
async function bytesOf(request) {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
}
