import { parentPort, workerData } from 'node:worker_threads';
import { createEndpoint } from './endpoint.js';

/**
 * The endpoint's side of the thread that start.js makes: calls come in as messages, their outcomes go back. Call 0 is
 * the start itself.
 *
 * @typedef {'report' | 'put' | 'list'} CallName
 *
 * @typedef {object} Call
 * @property {number} id
 * @property {CallName} method
 * @property {any[]} parameters
 *
 * @typedef {object} Outcome
 * @property {number} id
 * @property {unknown} [value]
 * @property {Error} [error]
 */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const endpoint = createEndpoint(workerData);

/** @type {Record<CallName, (...parameters: any[]) => unknown>} */
const METHODS = {
  report: () => endpoint.report(),
  put: (bucket, key, body) => endpoint.put(bucket, key, Buffer.from(body)),
  list: (bucket) => endpoint.list(bucket),
};

port.on('message', (/** @type {Call} */ { id, method, parameters }) => {
  try {
    port.postMessage({ id, value: METHODS[method](...parameters) });
  } catch (error) {
    port.postMessage({ id, error });
  }
});
port.postMessage({ id: 0, value: await endpoint.listen(workerData.port) });
