import { Worker } from 'node:worker_threads';
import { withDefaults } from './endpoint.js';
import { HOSTNAME } from './listener.js';
import { WorkerCalls } from './worker-calls.js';

/**
 * @import { EndpointOptions } from './endpoint.js'
 * @import { Report } from './tally.js'
 *
 * @typedef {object} LocalS3 an endpoint that listens
 * @property {string} hostname '127.0.0.1'
 * @property {number} port
 * @property {() => Promise<void>} close cuts all connections and ends the thread
 * @property {() => Promise<Report>} report what it has done so far
 * @property {(bucket: string, key: string, body: Uint8Array) => Promise<void>} put plants an object, past all faults
 * @property {(bucket: string) => Promise<string[]>} list tells all keys of a bucket, past all faults
 * @property {Promise<never>} failure rejects when the endpoint ends although nobody closed it; whoever does not look at
 *   it gets no unhandled rejection, but every later call rejects likewise
 */

/**
 * Starts an S3-compatible endpoint that holds its objects in memory, on the loopback interface. It runs in a thread of
 * its own, so that it takes no time from the client's event loop.
 *
 * @param {Pick<EndpointOptions, 'buckets' | 'credentials'> & Partial<EndpointOptions>} options
 * @returns {Promise<LocalS3>}
 * @throws {Error} when the fault script has mistakes, the certificate is none, or the port cannot be had
 */
export async function startLocalS3(options) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: withDefaults(options),
    // Node's options of the client, a profiler's for one, are not meant for the endpoint.
    execArgv: [],
  });
  const calls = new WorkerCalls(worker);
  const port = await calls.started;
  return {
    hostname: HOSTNAME,
    port,
    close: () => calls.close(),
    report: () => calls.call('report'),
    put: (bucket, key, body) => calls.call('put', bucket, key, body),
    list: (bucket) => calls.call('list', bucket),
    failure: calls.failure,
  };
}
