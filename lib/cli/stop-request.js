import { isatty } from 'node:tty';
import { EXIT, exitStatusOf } from './exit-status.js';

const SIGNALS = /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM']);

/** A Ctrl-C that comes sooner after the first one may be the same one, delivered twice. */
const MAX_REPEAT_MS = 1000;

/** An unexpected error may occur a thousand times; it is reported this often. */
const MAX_DEFECTS_REPORTED = 3;

/**
 * What ends a run early: a signal, an output that takes no more, a store that has gone with its process, or an unexpected
 * error. The first request stops the run in good order, and no later one shortens its clean-up: GNU timeout, a closing
 * terminal and service managers send several signals. Only a person at a terminal ends the process at once, with another
 * Ctrl-C once it has been offered.
 */
export class StopRequest {
  #controller = new AbortController();
  #process;
  #isPersonThere;
  #isListening = false;
  /** Runs from the first Ctrl-C on. @type {NodeJS.Timeout | null} */
  #offerTimer = null;
  #isOffered = false;
  /** What the run came to; null as long as it goes on. @type {number | null} */
  #settled = null;
  #defects = 0;
  /** The exit status of the first request; null before it. @type {number | null} */
  status = null;
  /** The first unexpected error, or null. @type {unknown} */
  defect = null;
  /** @type {(message: string) => void} */
  onRequest = () => {};
  /** Called when another Ctrl-C would end the process at once, to offer it. */
  onOffer = () => {};
  /** Called before that Ctrl-C ends the process. @type {() => void} */
  onEndAtOnce = () => {};

  /**
   * @param {NodeJS.EventEmitter & Pick<NodeJS.Process, 'exit'>} process
   * @param {() => boolean} isPersonThere whether a person at a terminal may press Ctrl-C
   */
  constructor(process, isPersonThere = () => isatty(0) || isatty(2)) {
    this.#process = process;
    this.#isPersonThere = isPersonThere;
  }

  /** Aborted by the first request. */
  get signal() {
    return this.#controller.signal;
  }

  /** From here on, signals stop the run in good order. */
  listen() {
    this.#isListening = true;
    SIGNALS.forEach((name) => this.#process.on(name, () => this.#signalled(name)));
  }

  /** All is done: a signal that is repeated while the process ends changes nothing, its exit status included. */
  stopListening() {
    this.#isListening = false;
    clearTimeout(this.#offerTimer ?? undefined);
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
    if (!this.#isListening) {
      return;
    }
    const status = this.#settled ?? exitStatusOf(name);
    if (name === 'SIGINT') {
      if (this.#isOffered) {
        this.onEndAtOnce();
        this.#process.exit(status);
      }
      this.#offerTimer ??= setTimeout(() => this.#offer(), MAX_REPEAT_MS).unref();
    }
    this.#request(status, name);
  }

  #offer() {
    if (this.#isPersonThere()) {
      this.onOffer();
      // A repeat that was sent within the second, while the process was held up, comes after its timers.
      setImmediate(() => (this.#isOffered = true));
    }
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
