import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';

/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { MetricProducer } from '@opentelemetry/sdk-metrics'
 */

const PATH = '/metrics';
/** More connections, or responses that no one reads, would take sockets away from the run. */
const MAX_CONNECTIONS = 16;

/** Connections without a request. The oldest makes room for a new one, which may be the scrape. */
const MAX_IDLE = 8;

const TIMEOUTS = { requestTimeout: 5000, headersTimeout: 5000, connectionsCheckingInterval: 5000 };

/**
 * Serves the output of OpenTelemetry's exporter to Prometheus. The exporter's own server has no limits, and waits for
 * clients when it closes.
 */
export class ScrapeServer {
  #server = createServer(TIMEOUTS, (request, response) => this.#answer(request, response));
  /** @type {PrometheusExporter | null} */
  #exporter = null;
  /** Called with its number after each complete scrape. @type {(scrape: number) => void} */
  #onScraped = () => {};
  #scrapes = 0;
  /** Oldest first. @type {Set<Socket>} */
  #idle = new Set();

  /** @param {{ host: string, port: number }} address @throws {NodeJS.ErrnoException} if it cannot listen there */
  static async open(address) {
    const server = new ScrapeServer();
    await once(server.#server.listen(address), 'listening');
    // A connection that cannot be accepted must not affect the run.
    server.#server.on('error', () => {});
    return server;
  }

  constructor() {
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('connection', (socket) => {
      socket.on('close', () => this.#idle.delete(socket));
      this.#addIdle(socket);
    });
    this.#server.setTimeout(TIMEOUTS.requestTimeout);
  }

  get url() {
    const { address, family, port } = /** @type {AddressInfo} */ (this.#server.address());
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${PATH}`;
  }

  /** @param {MetricProducer} producer */
  reader(producer) {
    const options = { preventServerStart: true, withoutScopeInfo: true };
    this.#exporter = new PrometheusExporter({ ...options, metricProducers: [producer] });
    return this.#exporter;
  }

  /**
   * Waits for a scrape that begins after this call.
   *
   * @type {(milliseconds: number, signal: AbortSignal) => Promise<void>}
   */
  async waitForScrape(milliseconds, signal) {
    const from = this.#scrapes;
    const scraped = new AbortController();
    this.#onScraped = (scrape) => scrape >= from && scraped.abort();
    await pause(milliseconds, undefined, { signal: AbortSignal.any([signal, scraped.signal]) }).catch(() => {});
  }

  async close() {
    const closed = once(this.#server.close(), 'close');
    this.#server.closeAllConnections();
    await closed;
  }

  /** @param {Socket} socket */
  #addIdle(socket) {
    this.#idle.add(socket);
    const [oldest] = this.#idle;
    if (this.#idle.size > MAX_IDLE) {
      oldest.destroy();
      this.#idle.delete(oldest);
    }
  }

  /** @type {(request: IncomingMessage, response: ServerResponse) => void} */
  #answer({ method, url, socket }, response) {
    this.#idle.delete(socket);
    response.on('close', () => !socket.destroyed && this.#addIdle(socket));
    if (this.#exporter === null || method !== 'GET' || url?.split('?')[0] !== PATH) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`r2-benchmark: GET ${PATH} returns the metrics\n`);
      return;
    }
    const scrape = this.#scrapes;
    this.#scrapes += 1;
    response.on('finish', () => this.#onScraped(scrape));
    this.#exporter.getMetricsRequestHandler(/** @type {any} */ (null), response);
  }
}
