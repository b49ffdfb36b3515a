import { once } from 'node:events';
import { pipeline } from 'node:stream';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { EchoSender } from './echo-sender.js';
import { READ_INTERFACES } from './read-interfaces.js';
import { TimestampStream } from './timestamp-stream.js';

/** @import { ReadInterfaceName } from './read-interfaces.js' */

/** Ten times the duration of any run: a run that takes longer has stalled. */
const DEADLINE_MS = 30_000;

/**
 * @typedef {object} EchoResult what the server saw of one run
 * @property {number} rate timestamps/s, from the first sent to the last returned
 * @property {number} mean ms of a round trip
 * @property {number} p50 ms
 * @property {number} p99 ms
 * @property {number} maximum ms
 * @property {number} heldUp share of the time that the server waited for the client to read
 */

/**
 * @param {number} port of the echo server
 * @param {ReadInterfaceName} readInterface
 * @returns {Promise<EchoResult>}
 * @throws {Error} if a timestamp is lost or out of order, or the run does not finish
 */
export async function runEcho(port, readInterface) {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  await once(socket, 'open', { signal });
  try {
    const result = Promise.race([once(socket, 'message', { signal }), refusal(socket)]);
    await Promise.all([result, sendBack(port, readInterface, socket, signal)]);
    const [message] = await result;
    return JSON.parse(String(message));
  } finally {
    socket.terminate();
  }
}

/**
 * @param {number} port
 * @param {ReadInterfaceName} readInterface
 * @param {WebSocket} socket
 * @param {AbortSignal} signal
 */
async function sendBack(port, readInterface, socket, signal) {
  const { body } = await request(`http://127.0.0.1:${port}`, { signal });
  // If one of the streams fails, the others end, and the reader at the end reports the failure.
  const timestamps = pipeline(body, new TimestampStream(), () => {});
  await READ_INTERFACES[readInterface](timestamps, new EchoSender(socket));
}

/**
 * @param {WebSocket} socket
 * @returns {Promise<never>}
 */
async function refusal(socket) {
  const [code, reason] = await once(socket, 'close');
  throw new Error(`the echo server ended the connection before the last timestamp: ${reason} (${code})`);
}
