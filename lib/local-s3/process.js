import { ignoreEndingSignals } from '../measure/host/ending-signals.js';
import { StoreServer } from './store-server.js';

/**
 * The program that start.js runs in a separate process. Calls arrive as messages, and their outcomes are sent back.
 * The first call is `listen`. The process ends when the channel closes, and therefore when its parent ends.
 *
 * @typedef {'listen' | 'report' | 'put' | 'list'} CallName
 *
 * @typedef {{ id: number, method: CallName, parameters: any[] }} Call
 *
 * @typedef {object} Outcome
 * @property {number | null} id null for an error outside any call, which ends the process
 * @property {unknown} [value]
 * @property {{ message: string, code?: string }} [error]
 */

/** @type {StoreServer} */
let endpoint;

/** @type {Record<CallName, (...parameters: any[]) => unknown>} */
const METHODS = {
  listen: ({ port = 0, ...options }) => {
    endpoint = new StoreServer(options);
    return endpoint.listen(port);
  },
  report: () => endpoint.report(),
  put: (bucket, key, body) => endpoint.put(bucket, key, Buffer.from(body)),
  list: (bucket) => endpoint.list(bucket),
};

process.on('disconnect', () => process.exit(0));
// The parent needs this process to clean up.
ignoreEndingSignals(process);
process.on('uncaughtException', (error) => {
  send({ id: null, error: plain(error) }, () => process.exit(1));
});
process.on('message', async (/** @type {Call} */ { id, method, parameters }) => {
  try {
    send({ id, value: await METHODS[method](...parameters) });
  } catch (error) {
    send({ id, error: plain(error) });
  }
});

/**
 * @param {Outcome} outcome
 * @param {() => void} [sent]
 */
function send(outcome, sent = () => {}) {
  process.send?.(outcome, sent);
}

/** @param {unknown} error */
function plain(error) {
  const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return { message, code };
}
