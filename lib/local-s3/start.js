import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EndpointCalls } from './endpoint-calls.js';
import { HOSTNAME } from './listener.js';

/**
 * @import { ForkOptions } from 'node:child_process'
 * @import { EndpointOptions } from './endpoint.js'
 * @import { Listening, ProcessReport } from './process.js'
 *
 * @typedef {Pick<EndpointOptions, 'buckets' | 'credentials'> & Partial<Omit<EndpointOptions, 'tls'>> &
 *   { tls?: EndpointOptions['tls'] | 'self-signed' }} LocalS3Options with `self-signed` the endpoint makes its own
 *   certificate, so that the private key never leaves its process
 *
 * @typedef {object} LocalS3 an endpoint that listens
 * @property {string} hostname '127.0.0.1'
 * @property {number} port
 * @property {string | null} certificate as PEM; null without TLS
 * @property {number} processId
 * @property {() => Promise<void>} close cuts all connections and ends the process
 * @property {() => Promise<ProcessReport>} report what it has done so far, and its load since the report before
 * @property {(bucket: string, key: string, body: Uint8Array) => Promise<void>} put plants an object, past all faults
 * @property {(bucket: string) => Promise<string[]>} list all keys of a bucket, past all faults
 * @property {Promise<never>} failure rejects when the endpoint ends although nobody closed it; whoever does not look at
 *   it gets no unhandled rejection, but every later call rejects likewise
 */

const PROGRAM = fileURLToPath(new URL('./process.js', import.meta.url));

/**
 * Starts an S3-compatible endpoint that holds its objects in memory, on the loopback interface. It runs in a process of
 * its own, so that it takes no time from the client's event loop, and its CPU time and memory are not taken for the
 * client's. It ends with the process that started it, however that ends.
 *
 * @param {LocalS3Options} options
 * @param {Pick<ForkOptions, 'env' | 'execPath' | 'execArgv'>} [launch] how its process is started
 * @returns {Promise<LocalS3>}
 * @throws {Error} when the fault script has mistakes, the certificate is none, or the port cannot be had
 */
export async function startLocalS3(options, { env, ...launch } = {}) {
  const child = fork(PROGRAM, [], {
    // Node's options of the client, a profiler's for one, are not meant for the endpoint.
    execArgv: [],
    env: env && { ...env, NODE_OPTIONS: '' },
    // What it has to say comes by the channel.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C is for the client, which needs its store to clean up.
    detached: true,
    ...launch,
  });
  const calls = new EndpointCalls(child);
  const { port, certificate } = await listening(calls, options);
  return {
    hostname: HOSTNAME,
    port,
    certificate,
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
 * @returns {Promise<Listening>}
 */
async function listening(calls, options) {
  try {
    return await calls.call('listen', options);
  } catch (error) {
    await calls.close();
    throw error;
  }
}
