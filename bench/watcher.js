import { once } from 'node:events';
import { createServer } from 'node:http';
import { freePort } from '../test/helpers/free-port.js';

/** @import { AddressInfo } from 'node:net' */

/** Prometheus's default scrape interval. The tool also sends its metrics at its default interval. */
const SCRAPE_INTERVAL_MS = 15_000;

/**
 * Starts an OTLP collector that accepts everything, and a scraper.
 *
 * @returns {Promise<{ options: string[], env: Record<string, string>, close: () => Promise<void> }>} settings for the run to
 *   watch
 */
export async function startWatcher() {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = /** @type {AddressInfo} */ (collector.address());
  const scraped = await freePort();
  const scrape = () =>
    fetch(`http://127.0.0.1:${scraped}/metrics`).then(
      (response) => response.arrayBuffer(),
      // The run is not listening yet, or has ended.
      () => {},
    );
  const timer = setInterval(scrape, SCRAPE_INTERVAL_MS);
  return {
    options: ['--otlp', '--metrics-port', String(scraped)],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
    async close() {
      clearInterval(timer);
      const closed = once(collector, 'close');
      collector.close();
      collector.closeAllConnections();
      await closed;
    },
  };
}
