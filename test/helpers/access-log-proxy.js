import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('./access-log-proxy-process.js', import.meta.url));

/**
 * @typedef {object} AccessLogEntry one answered request
 * @property {string} method
 * @property {string} path with the query
 * @property {number} status 0 if the upstream server broke off
 * @property {number} answeredAt epoch milliseconds, just before the first byte of the response was sent
 */

/**
 * Starts a reverse proxy that records its responses and their times. It runs in a separate process, so that the test's event
 * loop does not delay its clock, and ends with the test's process.
 *
 * @param {object} options
 * @param {number} options.upstreamPort of the upstream server on 127.0.0.1, plain HTTP
 * @param {number} options.delay milliseconds by which every response is delayed
 */
export async function startAccessLogProxy(options) {
  const child = fork(PROCESS, [JSON.stringify(options)]);
  const [port] = /** @type {[number]} */ (await once(child, 'message'));
  return {
    port,
    /** @returns {Promise<AccessLogEntry[]>} all responses so far, in order */
    async entries() {
      child.send('entries');
      const [entries] = await once(child, 'message');
      return entries;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
