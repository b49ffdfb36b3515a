import { once } from 'node:events';
import { createServer } from 'node:http';
import { plainText } from '../text/plain-text.js';
import { CONTENT_TYPE } from './prometheus-text.js';

/**
 * @import { IncomingMessage, Server, ServerResponse } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 */

const PATH = '/metrics';

/** More are not needed to scrape, and would only take sockets from the run. */
const MAX_CONNECTIONS = 16;

const REQUEST_TIMEOUT_MS = 5000;

/** Answers Prometheus. Nobody is let in who is not let in to the address that it listens at. */
export class ScrapeServer {
  #server;
  /** @type {() => string} */
  #render = () => '';
  /** Told of each scrape that has been answered to its end, by its number. @type {(scrape: number) => void} */
  #onScraped = () => {};
  #scrapes = 0;

  /**
   * @param {{ host: string, port: number }} address
   * @returns {Promise<ScrapeServer>} that listens
   * @throws {NodeJS.ErrnoException} where it cannot
   */
  static async open({ host, port }) {
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
    server.maxConnections = MAX_CONNECTIONS;
    server.listen({ host, port });
    // Throws where the server cannot listen.
    await once(server, 'listening');
    return new ScrapeServer(server);
  }

  /** @param {Server} server */
  constructor(server) {
    this.#server = server;
    server.on('request', (request, response) => {
      for (const stream of [request, response]) {
        stream.on('error', () => {});
      }
      try {
        this.#answer(request, response);
      } catch {
        response.destroy();
      }
    });
    // A scraper that goes away, or sends what is no HTTP, does not concern the run.
    server.on('error', () => {});
    server.unref();
  }

  /** Where the metrics are. */
  get url() {
    const { address, family, port } = /** @type {AddressInfo} */ (this.#server.address());
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${PATH}`;
  }

  /** @param {() => string} render makes the text of the metrics as they are now */
  serve(render) {
    this.#render = render;
  }

  /**
   * Waits for a scrape that begins after this call, and has been answered to its end.
   *
   * @param {number} milliseconds at most
   * @param {AbortSignal} signal waits no longer
   * @returns {Promise<boolean>} whether there was one
   */
  hold(milliseconds, signal) {
    const from = this.#scrapes;
    return new Promise((resolve) => {
      const end = (/** @type {boolean} */ wasScraped) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#onScraped = () => {};
        resolve(wasScraped);
      };
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, milliseconds);
      signal.addEventListener('abort', giveUp);
      this.#onScraped = (scrape) => {
        if (scrape >= from) {
          end(true);
        }
      };
      // An event that is over is not told again.
      if (signal.aborted) {
        giveUp();
      }
    });
  }

  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #answer(request, response) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [path] = (request.url ?? '').split('?');
    if (!isRead || path !== PATH) {
      refuse(response, isRead ? 404 : 405, `the metrics are at ${PATH}`);
      return;
    }
    const scrape = this.#scrapes;
    this.#scrapes += 1;
    let text;
    try {
      text = this.#render();
    } catch (error) {
      // It ends this scrape, and not the run, as all that goes wrong here.
      refuse(response, 500, `an unexpected error: ${plainText(String(error))}`);
      return;
    }
    response.writeHead(200, { 'content-type': CONTENT_TYPE, 'content-length': Buffer.byteLength(text) });
    response.on('finish', () => request.method === 'GET' && this.#onScraped(scrape));
    response.end(text);
  }
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {string} reason on one line
 */
function refuse(response, status, reason) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`r2-benchmark: ${reason}\n`);
}
