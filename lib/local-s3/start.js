import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EndpointCalls } from './endpoint-calls.js';
import { HOSTNAME } from './listener.js';

/**
 * @import { ForkOptions } from 'node:child_process'
 * @import { EndpointOptions } from './store-server.js'
 * @import { Report } from './tally.js'
 *
 * @typedef {EndpointOptions & { port?: number }} LocalS3Options `port`: 0 for any free port
 *
 * @typedef {object} LocalS3 a listening endpoint
 * @property {string} hostname '127.0.0.1'
 * @property {number} port
 * @property {number} processId
 * @property {() => Promise<void>} close cuts all connections and ends the process
 * @property {() => Promise<Report>} report its activity so far
 * @property {(bucket: string, key: string, body: Uint8Array) => Promise<void>} put adds an object, bypassing all faults
 * @property {(bucket: string) => Promise<string[]>} list all keys of a bucket, bypassing all faults
 * @property {Promise<never>} failure rejects if the endpoint ends unexpectedly. Callers can ignore it: it causes no
 *   unhandled rejection, and every later call rejects with the same error
 */

const PROGRAM = fileURLToPath(new URL('./process.js', import.meta.url));

/**
 * Starts an S3-compatible endpoint on the loopback interface that keeps its objects in memory. It runs in a separate
 * process, so that it does not use the client's event loop, and its CPU time and memory do not count as the client's.
 * It ends when its parent process ends for any reason.
 *
 * @param {LocalS3Options} options
 * @param {Pick<ForkOptions, 'env' | 'execPath' | 'execArgv'>} [launch] options for starting the process
 * @returns {Promise<LocalS3>}
 * @throws {Error} if the fault script or the certificate is invalid, or the port is not available
 */
export async function startLocalS3(options, { env, ...launch } = {}) {
  const child = fork(PROGRAM, [], {
    // Node options of the client, such as those of a profiler, are not meant for the endpoint.
    execArgv: [],
    env: env && { ...env, NODE_OPTIONS: '' },
    // The endpoint communicates only over the IPC channel.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C must not end the endpoint, because the client needs it to clean up.
    detached: true,
    ...launch,
  });
  const calls = new EndpointCalls(child);
  const port = await listening(calls, options);
  return {
    hostname: HOSTNAME,
    port,
    processId: /** @type {number} */ (child.pid),
    close: () => calls.close(),
    report: () => calls.call('report'),
    put: (bucket, key, body) => calls.call('put', bucket, key, body),
    list: (bucket) => calls.call('list', bucket),
    failure: calls.failure,
  };
}

/**
 * @param {EndpointCalls} calls
 * @param {LocalS3Options} options
 * @returns {Promise<number>} the port
 */
async function listening(calls, options) {
  try {
    return await calls.call('listen', options);
  } catch (error) {
    await calls.close();
    throw error;
  }
}
