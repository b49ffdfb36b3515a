import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('./access-log-proxy-process.js', import.meta.url));

/**
 * @typedef {object} AccessLogEntry one answered request
 * @property {string} method
 * @property {string} path with the query
 * @property {number} status 0 where the server behind the proxy broke off
 * @property {number} answeredAt epoch milliseconds, taken just before the answer's first byte was sent
 */

/**
 * Starts a reverse proxy that writes down when it answered what. It runs in a process of its own, so that its clock is
 * not held up by the test's event loop, and it ends with the test's process.
 *
 * @param {object} options
 * @param {number} options.upstreamPort of the server behind it, on 127.0.0.1, plain HTTP
 * @param {number} options.delay milliseconds by which it holds back every answer
 */
export async function startAccessLogProxy(options) {
  const child = fork(PROCESS, [JSON.stringify(options)]);
  const [port] = /** @type {[number]} */ (await once(child, 'message'));
  return {
    port,
    /** @returns {Promise<AccessLogEntry[]>} what was answered so far, in that order */
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
