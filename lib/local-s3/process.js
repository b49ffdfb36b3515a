import { measureCpuTime, measureEventLoop } from '../meter/client-load.js';
import { selfSignedCertificate } from './certificate.js';
import { createEndpoint, withDefaults } from './endpoint.js';
import { HOSTNAME } from './listener.js';

/**
 * @import { LocalS3Options } from './start.js'
 * @import { Report } from './tally.js'
 */

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
 *
 * @typedef {{ port: number, certificate: string | null }} Listening `certificate`: as PEM; null without TLS
 *
 * @typedef {object} ProcessLoad since the previous report, or since the start
 * @property {number} eventLoopUtilization share of time that the event loop was busy, 0 to 1
 * @property {number} cpuUser ms
 * @property {number} cpuSystem ms
 *
 * @typedef {Report & ProcessLoad} ProcessReport
 */

/** @type {ReturnType<typeof createEndpoint>} */
let endpoint;
let measured = beginMeasuring();

/** @type {Record<CallName, (...parameters: any[]) => unknown>} */
const METHODS = {
  listen,
  report,
  put: (bucket, key, body) => endpoint.put(bucket, key, Buffer.from(body)),
  list: (bucket) => endpoint.list(bucket),
};

process.on('disconnect', () => process.exit(0));
// Ignore signals: service managers send them to every process of a service, but the parent needs this one to clean up.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
  process.on(signal, () => {});
}
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

/** @param {LocalS3Options} options */
async function listen({ port = 0, ...options }) {
  const tls = options.tls === 'self-signed' ? selfSignedCertificate(HOSTNAME, Date.now()) : (options.tls ?? null);
  endpoint = createEndpoint(withDefaults({ ...options, tls }));
  return { port: await endpoint.listen(port), certificate: tls?.cert ?? null };
}

/** @returns {ProcessReport} */
function report() {
  const load = { ...measured.cpuTime(), eventLoopUtilization: measured.eventLoop() };
  measured = beginMeasuring();
  return { ...endpoint.report(), ...load };
}

function beginMeasuring() {
  return { cpuTime: measureCpuTime(), eventLoop: measureEventLoop() };
}

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
