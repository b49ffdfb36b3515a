import { EXIT, exitStatusOf } from './exit-status.js';

const SIGNALS = /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM']);

/** An unexpected error may occur a thousand times; it is reported this often. */
const MAX_DEFECTS_REPORTED = 3;

/**
 * What ends a run early: a signal, an output that takes no more, a store that has gone with its process, or an unexpected
 * error. The first request stops the run in good order; a second signal ends the process at once.
 */
export class StopRequest {
  #controller = new AbortController();
  #process;
  #onSignal = (/** @type {'SIGHUP' | 'SIGINT' | 'SIGTERM'} */ signal) => this.#signalled(signal);
  #isListening = false;
  #wasSignalled = false;
  /** What the run came to; null as long as it goes on. @type {number | null} */
  #settled = null;
  #defects = 0;
  /** The exit status of the first request; null before it. @type {number | null} */
  status = null;
  /** The first unexpected error, or null. @type {unknown} */
  defect = null;
  /** @type {(message: string) => void} */
  onRequest = () => {};
  /** Called before a second signal ends the process. @type {() => void} */
  onSecondSignal = () => {};

  /** @param {NodeJS.EventEmitter & Pick<NodeJS.Process, 'exit'>} process */
  constructor(process) {
    this.#process = process;
  }

  /** Aborted by the first request. */
  get signal() {
    return this.#controller.signal;
  }

  /** From here on, signals stop the run in good order. */
  listen() {
    this.#isListening = true;
    SIGNALS.forEach((name) => this.#process.on(name, this.#onSignal));
  }

  stopListening() {
    this.#isListening = false;
    SIGNALS.forEach((name) => this.#process.removeListener(name, this.#onSignal));
  }

  /**
   * The run has come to its end, and its result is written: a signal still ends what waits for who watches, and changes nothing of
   * the status.
   *
   * @param {number} status
   */
  settle(status) {
    this.#settled = status;
  }

  /**
   * Uncaught errors are reported, and stop a run that is under way in good order. Otherwise they end the
   * process.
   *
   * @param {(error: unknown) => void} report
   */
  catchDefects(report) {
    // Node emits the same event for an unhandled rejection.
    this.#process.on('uncaughtException', (error) => {
      this.#defects += 1;
      this.defect ??= error;
      if (this.#defects <= MAX_DEFECTS_REPORTED) {
        report(error);
      }
      if (!this.#isListening) {
        this.#process.exit(EXIT.incomplete);
      }
      this.#request(EXIT.incomplete, 'an unexpected error');
    });
  }

  /** @param {boolean} isClosed whether its reader has gone */
  outputLost(isClosed) {
    if (isClosed) {
      this.#request(EXIT.outputClosed, 'the output was closed');
    } else {
      this.#request(EXIT.incomplete, 'the output cannot be written');
    }
  }

  /** @param {Error} error why the store that belonged to the run has gone */
  storeLost(error) {
    this.#request(EXIT.incomplete, error.message);
  }

  /** @param {'SIGHUP' | 'SIGINT' | 'SIGTERM'} name */
  #signalled(name) {
    // A run that stops for another reason has had no signal yet: the first one must not break it off.
    if (!this.#wasSignalled) {
      this.#wasSignalled = true;
      this.#request(this.#settled ?? exitStatusOf(name), name);
      return;
    }
    this.onSecondSignal();
    this.#process.exit(this.#settled ?? exitStatusOf(name));
  }

  /**
   * @param {number} status
   * @param {string} reason
   */
  #request(status, reason) {
    if (this.status === null) {
      this.status = status;
      this.onRequest(reason);
      this.#controller.abort();
    }
  }
}
