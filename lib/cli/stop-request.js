import { EXIT, exitStatusOf } from './exit-status.js';

const SIGNALS = /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM']);

/** An error that nobody expected may come up a thousand times; so many times it is told. */
const MOST_DEFECTS_TOLD = 3;

/**
 * What asks a run to end early: a signal, an output that takes no more, a store that has gone with its process, or an
 * error that nobody expected. The first request stops the run in good order; a second signal ends the process at once.
 */
export class StopRequest {
  #controller = new AbortController();
  #process;
  #onSignal = (/** @type {'SIGHUP' | 'SIGINT' | 'SIGTERM'} */ signal) => this.#signalled(signal);
  #isListening = false;
  #wasSignalled = false;
  #defects = 0;
  /** The exit status that the request asks for; null while there is none. @type {number | null} */
  status = null;
  /** The first error that nobody expected, or null. @type {unknown} */
  defect = null;
  /** @type {(message: string) => void} */
  onRequest = () => {};
  /** What is to be said before a second signal ends the process. @type {() => void} */
  onSecondSignal = () => {};

  /** @param {NodeJS.EventEmitter & Pick<NodeJS.Process, 'exit'>} process */
  constructor(process) {
    this.#process = process;
  }

  /** Aborted by the first request. */
  get signal() {
    return this.#controller.signal;
  }

  /** Signals ask for an end in good order. */
  listen() {
    this.#isListening = true;
    SIGNALS.forEach((name) => this.#process.on(name, this.#onSignal));
  }

  stopListening() {
    this.#isListening = false;
    SIGNALS.forEach((name) => this.#process.removeListener(name, this.#onSignal));
  }

  /**
   * Errors that nobody caught are told, and ask for an end in good order where a run is under way. Elsewhere they end the
   * process.
   *
   * @param {(error: unknown) => void} tell
   */
  catchDefects(tell) {
    // Node hands a rejection that nobody handles to the same event.
    this.#process.on('uncaughtException', (error) => {
      this.#defects += 1;
      this.defect ??= error;
      if (this.#defects <= MOST_DEFECTS_TOLD) {
        tell(error);
      }
      if (!this.#isListening) {
        this.#process.exit(EXIT.incomplete);
      }
      this.#request(EXIT.incomplete, 'an error that nobody expected');
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
    // A run that stops for another reason has been asked to by no signal yet: the first one must not break it off.
    if (!this.#wasSignalled) {
      this.#wasSignalled = true;
      this.#request(exitStatusOf(name), name);
      return;
    }
    this.onSecondSignal();
    this.#process.exit(exitStatusOf(name));
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
