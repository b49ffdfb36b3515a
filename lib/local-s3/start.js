import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @import { ForkOptions } from 'node:child_process'
 * @import { CallName, EndpointOptions, Outcome } from './process.js'
 * @import { Report } from './answer.js'
 */

/**
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
  /** Waiting calls. @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let calls = 0;
  /** The error of all further calls; null while calls are accepted. @type {Error | null} */
  let end = null;
  const refuseCalls = (/** @type {Error} */ error) => {
    end ??= error;
    waiting.forEach(({ reject }) => reject(error));
    waiting.clear();
  };
  // A process that fails to start emits no exit event.
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  /** @type {Promise<never>} */
  const failure = new Promise((_, reject) => {
    const fail = (/** @type {Error} */ error) => {
      if (end === null) {
        refuseCalls(error);
        reject(error);
      }
    };
    child.on('error', fail);
    child.on('exit', (code, signal) => fail(unexpectedEnd(code, signal)));
    child.on('message', (/** @type {Outcome} */ { id, value, error }) => {
      if (id === null) {
        fail(errorOf(error));
      } else if (error === undefined) {
        waiting.get(id)?.resolve(value);
      } else {
        waiting.get(id)?.reject(errorOf(error));
      }
      waiting.delete(Number(id));
    });
  });
  // Callers need not watch `failure`: failing calls report the same error.
  failure.catch(() => {});
  /**
   * @param {CallName} method
   * @param {...unknown} parameters
   * @returns {Promise<any>} rejects if the call fails or the process ends
   */
  const call = (method, ...parameters) =>
    new Promise((resolve, reject) => {
      if (end !== null) {
        reject(end);
        return;
      }
      const id = calls++;
      waiting.set(id, { resolve, reject });
      // Ignore errors: sending fails only if the process ended, and then all waiting calls are rejected.
      child.send({ id, method, parameters }, () => {});
    });
  const close = async () => {
    refuseCalls(new Error('The local endpoint has been closed'));
    if (child.connected) {
      child.disconnect();
    }
    await exited;
  };
  try {
    const { hostname, port } = await call('listen', options);
    return {
      hostname,
      port,
      processId: /** @type {number} */ (child.pid),
      close,
      report: () => call('report'),
      put: (bucket, key, body) => call('put', bucket, key, body),
      list: (bucket) => call('list', bucket),
      failure,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Outcome['error']} error */
function errorOf(error) {
  return Object.assign(new Error(error?.message), { code: error?.code });
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function unexpectedEnd(code, signal) {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return new Error(`the process of the local endpoint ended unexpectedly, ${how}`);
}
