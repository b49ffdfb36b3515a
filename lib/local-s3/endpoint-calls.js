/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { CallName, Outcome } from './process.js'
 * @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Waiting
 */

/** Calls into the endpoint's process, which fail when the process ends. */
export class EndpointCalls {
  #child;
  #exited;
  #calls = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** The error of all further calls; null while calls are accepted. @type {Error | null} */
  #end = null;

  /** @param {ChildProcess} child a new process that runs process.js */
  constructor(child) {
    this.#child = child;
    // A process that fails to start emits no exit event.
    this.#exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    /** Rejects when the process ends unexpectedly. @type {Promise<never>} */
    this.failure = new Promise((_, reject) => {
      const fail = (/** @type {Error} */ error) => {
        if (this.#end === null) {
          this.#refuseCalls(error);
          reject(error);
        }
      };
      child.on('error', fail);
      child.on('exit', (code, signal) => fail(unexpectedEnd(code, signal)));
      child.on('message', (/** @type {Outcome} */ { id, value, error }) => {
        if (id === null) {
          fail(errorOf(error));
        } else if (error === undefined) {
          this.#take(id)?.resolve(value);
        } else {
          this.#take(id)?.reject(errorOf(error));
        }
      });
    });
    // Callers need not watch `failure`: failing calls report the same error.
    this.failure.catch(() => {});
  }

  /**
   * @param {CallName} method
   * @param {...unknown} parameters
   * @returns {Promise<any>} rejects if the call fails or the process ends
   */
  call(method, ...parameters) {
    if (this.#end !== null) {
      return Promise.reject(this.#end);
    }
    const id = this.#calls++;
    const outcome = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Ignore errors: sending fails only if the process ended, and then all waiting calls are rejected.
    this.#child.send({ id, method, parameters }, () => {});
    return outcome;
  }

  /** Ends the process and all its connections. May be called repeatedly and after a failure. */
  async close() {
    this.#refuseCalls(new Error('The local endpoint has been closed'));
    if (this.#child.connected) {
      this.#child.disconnect();
    }
    await this.#exited;
  }

  /** @param {number} id */
  #take(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** @param {Error} error */
  #refuseCalls(error) {
    this.#end ??= error;
    this.#waiting.forEach((waiting) => waiting.reject(error));
    this.#waiting.clear();
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
