import { Worker } from 'node:worker_threads';
import { unpackFatal, unpackSecond } from './core-messages.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Event, Reply } from './core-messages.js'
 * @import { Core, CoreOutcome, CoreSpec, StageTask } from './core.js'
 * @import { StageHooks } from './run-stage.js'
 */

/**
 * @typedef {object} Waiting
 * @property {(result: any) => void} resolve
 * @property {(error: Error) => void} reject
 */

/** The thread of a core is no more. */
class CoreError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'CoreError';
  }
}

/** A core that runs in a thread of its own, seen from the main thread: it takes the same calls as a Core. */
export class RemoteCore {
  #worker;
  #calls = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {StageHooks | null} */
  #hooks = null;
  /** Why the thread answers no more. @type {Error | null} */
  #failure = null;
  #isClosing = false;

  /**
   * @param {CoreSpec} spec
   * @param {Clock} clock
   * @param {number} number of the core, for messages
   */
  constructor(spec, clock, number) {
    this.#worker = new Worker(new URL('./core-worker.js', import.meta.url), {
      workerData: { spec, clock: clock.toState() },
    });
    this.#worker.on('message', (message) => this.#receive(message));
    this.#worker.on('error', (error) =>
      this.#fail(new CoreError(`the thread of core ${number} died: ${error.message}`)),
    );
    this.#worker.on('exit', () => this.#fail(this.#isClosing ? closedError() : endedError(number)));
  }

  /**
   * @param {AbortSignal} signal gives up
   * @returns {ReturnType<Core['openConnections']>}
   */
  openConnections(signal) {
    return this.#stoppable(signal, () => this.#call({ call: 'open' }));
  }

  /**
   * @param {StageTask} task
   * @param {AbortSignal} signal stops the stage
   * @param {StageHooks} hooks
   * @returns {Promise<CoreOutcome>}
   */
  async runStage(task, signal, hooks) {
    this.#hooks = { ...hooks, second: (/** @type {any} */ packed) => hooks.second(unpackSecond(packed)) };
    const outcome = await this.#stoppable(signal, () => this.#call({ call: 'run', task }));
    return { ...outcome, fatal: unpackFatal(outcome.fatal) };
  }

  async close() {
    if (this.#failure === null) {
      this.#isClosing = true;
      // A thread that dies while it closes is closed, too.
      await this.#call({ call: 'close' }).catch(() => {});
      this.#fail(closedError());
    }
    await this.#worker.terminate();
  }

  /**
   * @template Result
   * @param {AbortSignal} signal
   * @param {() => Promise<Result>} call
   * @returns {Promise<Result>}
   */
  async #stoppable(signal, call) {
    const stop = () => this.#worker.postMessage({ id: this.#calls++, call: 'stop' });
    const called = call();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) {
      stop();
    }
    try {
      return await called;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * @param {{ call: string } & Record<string, unknown>} request
   * @returns {Promise<any>}
   */
  #call(request) {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) {
        reject(this.#failure);
        return;
      }
      const id = this.#calls++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id });
    });
  }

  /** @param {Reply | Event} message */
  #receive(message) {
    if (message.kind === 'event') {
      const hook = /** @type {(...parameters: any[]) => void} */ (this.#hooks?.[message.hook]);
      hook(...message.parameters);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) {
      waiting?.resolve(message.result);
    } else {
      waiting?.reject(new Error(message.error));
    }
  }

  /** @param {Error} error */
  #fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) {
      reject(this.#failure);
    }
    this.#waiting.clear();
  }
}

/** @param {number} number of the core */
function endedError(number) {
  return new CoreError(`the thread of core ${number} ended unexpectedly`);
}

function closedError() {
  return new Error('the core is closed');
}
