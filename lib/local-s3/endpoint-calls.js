/**
 * @import { Worker } from 'node:worker_threads'
 * @import { CallName, Outcome } from './worker.js'
 *
 * @typedef {object} Waiting
 * @property {(value: any) => void} resolve
 * @property {(error: Error) => void} reject
 */

/** Calls into the endpoint's thread, and what becomes of them when the thread ends. */
export class WorkerCalls {
  #worker;
  #calls = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** Why no more calls are taken. @type {Error | null} */
  #end = null;

  /** @param {Worker} worker one that runs worker.js and has just been made */
  constructor(worker) {
    this.#worker = worker;
    /** The port that the endpoint listens on: what the thread tells first, as if it had been called. @type {Promise<number>} */
    this.started = this.#wait();
    /** Rejects when the thread ends although nobody closed it. @type {Promise<never>} */
    this.failure = new Promise((_, reject) => {
      worker.on('error', (error) => this.#fail(error, reject));
      worker.on('exit', (code) => {
        this.#fail(new Error(`The thread of the local endpoint ended unexpectedly, with exit code ${code}`), reject);
      });
    });
    // Nobody is obliged to watch it: the calls that fail tell the same.
    this.failure.catch(() => {});
    worker.on('message', (/** @type {Outcome} */ outcome) => this.#settle(outcome));
  }

  /**
   * @param {CallName} method
   * @param {...unknown} parameters
   * @returns {Promise<any>} rejects when the call fails, and when the thread has ended or ends
   */
  call(method, ...parameters) {
    if (this.#end !== null) {
      return Promise.reject(this.#end);
    }
    this.#worker.postMessage({ id: this.#calls, method, parameters });
    return this.#wait();
  }

  /** Ends the thread and thereby all of its connections. May be called again, and after a failure. */
  async close() {
    this.#refuseCalls(new Error('The local endpoint has been closed'));
    await this.#worker.terminate();
  }

  /** @returns {Promise<any>} the outcome of the next call */
  #wait() {
    return new Promise((resolve, reject) => this.#waiting.set(this.#calls++, { resolve, reject }));
  }

  /** @param {Outcome} outcome */
  #settle({ id, value, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) {
      waiting?.resolve(value);
    } else {
      waiting?.reject(error);
    }
  }

  /**
   * @param {Error} error
   * @param {(error: Error) => void} reject the failure's
   */
  #fail(error, reject) {
    if (this.#end === null) {
      this.#refuseCalls(error);
      reject(error);
    }
  }

  /** @param {Error} error */
  #refuseCalls(error) {
    this.#end ??= error;
    this.#waiting.forEach((waiting) => waiting.reject(error));
    this.#waiting.clear();
  }
}
