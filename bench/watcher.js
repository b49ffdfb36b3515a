import { once } from 'node:events';
import { createServer } from 'node:http';

/** @import { AddressInfo } from 'node:net' */

/** As often as Prometheus scrapes by itself; the tool sends its metrics as often as it does by default. */
const SCRAPE_INTERVAL_MS = 15_000;

/**
 * A collector of OTLP that takes whatever comes, and a scraper: who watches a run.
 *
 * @returns {Promise<{ options: string[], env: Record<string, string>, close: () => Promise<void> }>} what a run needs to be
 *   watched
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
      // The run has not begun to listen, or has ended.
      () => {},
    );
  const timer = setInterval(scrape, SCRAPE_INTERVAL_MS);
  return {
    options: ['--otlp-url', `http://127.0.0.1:${port}`, '--metrics-port', String(scraped)],
    env: { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
    async close() {
      clearInterval(timer);
      const closed = once(collector, 'close');
      collector.close();
      collector.closeAllConnections();
      await closed;
    },
  };
}

/** @returns {Promise<number>} a port on which nobody listens now */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const closed = once(server, 'close');
  server.close();
  await closed;
  return port;
}
