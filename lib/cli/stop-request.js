import { EXIT, exitStatusOf } from './exit-status.js';

const SIGNALS = /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM']);

/**
 * What asks a run to end early: a signal, or that nobody reads its output any more. The first request stops the run in
 * good order; a second signal ends the process at once.
 */
export class StopRequest {
  #controller = new AbortController();
  #process;
  #onSignal = (/** @type {'SIGHUP' | 'SIGINT' | 'SIGTERM'} */ signal) => this.#signalled(signal);
  /** The exit status that the request asks for; null while there is none. @type {number | null} */
  status = null;
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

  listen() {
    SIGNALS.forEach((name) => this.#process.on(name, this.#onSignal));
  }

  stopListening() {
    SIGNALS.forEach((name) => this.#process.removeListener(name, this.#onSignal));
  }

  outputClosed() {
    this.#request(EXIT.outputClosed, 'the output was closed');
  }

  /** @param {'SIGHUP' | 'SIGINT' | 'SIGTERM'} name */
  #signalled(name) {
    if (this.status === null) {
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
