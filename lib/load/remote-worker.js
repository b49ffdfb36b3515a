import { Worker as Thread } from 'node:worker_threads';
import { LatencyHistogram } from '../measure/latency-histogram.js';
import { packTask, unpackFatal } from './worker-messages.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Event, Reply } from './worker-messages.js'
 * @import { Worker, WorkerOutcome, WorkerSpec, StageTask } from './worker.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { LiveCredentials } from '../store/live-credentials.js'
 */

/** @typedef {{ resolve: (result: any) => void, reject: (error: Error) => void }} Waiting */

/** Thrown if a worker's thread has ended. */
class WorkerError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'WorkerError';
  }
}

/** The main thread's handle to a Worker in another thread, with the same methods. */
export class RemoteWorker {
  #thread;
  #calls = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {StageHooks | null} */
  #hooks = null;
  #stopRenewing;
  /** Why the thread no longer replies. @type {Error | null} */
  #failure = null;
  #isClosing = false;

  /**
   * @param {WorkerSpec} spec
   * @param {Clock} clock
   * @param {number} number of the worker, for error messages
   * @param {LiveCredentials} credentials used instead of those in the store configuration
   */
  constructor(spec, clock, number, credentials) {
    this.#thread = new Thread(new URL('./worker-thread.js', import.meta.url), {
      workerData: { spec, clock: clock.toState(), credentials: credentials.toState() },
    });
    this.#stopRenewing = credentials.onReplaced((renewed) =>
      this.#thread.postMessage({ id: this.#calls++, call: 'renew', credentials: renewed }),
    );
    this.#thread.on('message', (message) => this.#receive(message));
    this.#thread.on('error', (error) =>
      this.#fail(new WorkerError(`the thread of worker ${number} died: ${error.message}`)),
    );
    this.#thread.on('exit', () => this.#fail(this.#isClosing ? closedError() : endedError(number)));
  }

  /**
   * @param {AbortSignal} signal
   * @returns {ReturnType<Worker['openConnections']>}
   */
  openConnections(signal) {
    return this.#stoppable(signal, () => this.#call({ call: 'open' }));
  }

  /**
   * @param {StageTask} task
   * @param {AbortSignal} signal stops the stage
   * @param {StageHooks} hooks
   * @returns {Promise<WorkerOutcome>}
   */
  async runStage(task, signal, hooks) {
    this.#hooks = {
      ...hooks,
      second: (second) =>
        hooks.second({ ...second, latencies: LatencyHistogram.from(/** @type {any} */ (second.latencies)) }),
    };
    const outcome = await this.#stoppable(signal, () => this.#call({ call: 'run', task: packTask(task) }));
    return { ...outcome, fatal: unpackFatal(outcome.fatal) };
  }

  async close() {
    this.#stopRenewing();
    if (this.#failure === null) {
      this.#isClosing = true;
      // A thread that dies while it closes counts as closed.
      await this.#call({ call: 'close' }).catch(() => {});
      this.#fail(closedError());
    }
    await this.#thread.terminate();
  }

  /**
   * @template Result
   * @param {AbortSignal} signal
   * @param {() => Promise<Result>} call
   * @returns {Promise<Result>}
   */
  async #stoppable(signal, call) {
    const stop = () => this.#thread.postMessage({ id: this.#calls++, call: 'stop' });
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
      this.#thread.postMessage({ ...request, id });
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

/** @param {number} number of the worker */
function endedError(number) {
  return new WorkerError(`the thread of worker ${number} ended unexpectedly`);
}

function closedError() {
  return new Error('the worker is closed');
}
