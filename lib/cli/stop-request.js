import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { ENDING_SIGNALS } from '../measure/host/ending-signals.js';
import { EXIT } from './exit-status.js';

/** A second Ctrl-C within this time may be the first one delivered twice. */
const MAX_REPEAT_MS = 1000;

/** V8's profilers send SIGPROF to the process a thousand times per second. */
const PROFILER = /(?<![\w-])--(cpu-)?prof(?![\w-])/;

/** The same unexpected error can occur thousands of times. */
const MAX_DEFECTS_REPORTED = 3;

/**
 * Ends a run early: after a signal, if the output fails or the store's process dies, or after an unexpected error. The
 * first request stops the run gracefully. Later requests do not shorten its clean-up, because GNU timeout, a closing
 * terminal and service managers send several signals. Only a person at a terminal can end the process immediately, by
 * pressing Ctrl-C again once the program offers it.
 */
export class StopRequest {
  #controller = new AbortController();
  #process;
  #isPersonThere;
  /** @type {'before' | 'during' | 'after'} */
  #run = 'before';
  /** Starts with the first Ctrl-C. @type {NodeJS.Timeout | null} */
  #offerTimer = null;
  #isOffered = false;
  /** The final exit status; null during the run. @type {number | null} */
  #settled = null;
  #defects = 0;
  /** The exit status of the first request, or null. @type {number | null} */
  status = null;
  /** The first unexpected error, or null. @type {unknown} */
  defect = null;
  /** @type {(message: string) => void} */
  onRequest = () => {};
  /** Called when another Ctrl-C would end the process immediately. */
  onOffer = () => {};
  /** Called before a signal ends the process immediately. @type {() => void} */
  onEndAtOnce = () => {};

  /**
   * @param {NodeJS.EventEmitter & Pick<NodeJS.Process, 'exit' | 'kill' | 'pid'>} process
   * @param {() => boolean} isPersonThere whether someone at a terminal can press Ctrl-C
   */
  constructor(process, isPersonThere = () => isatty(0) || isatty(2)) {
    this.#process = process;
    this.#isPersonThere = isPersonThere;
  }

  /** Aborted by the first request, and before a signal ends the process immediately. */
  get signal() {
    return this.#controller.signal;
  }

  /** From now on, signals abort the preparations and end the process. */
  watch() {
    const isProfiled = PROFILER.test([...process.execArgv, process.env.NODE_OPTIONS].join(' '));
    ENDING_SIGNALS.filter((name) => name !== 'SIGPROF' || !isProfiled).forEach((name) =>
      this.#process.on(name, () => this.#signalled(name)),
    );
  }

  /** From now on, signals stop the run gracefully. @param {(line: string) => void} notify */
  listen(notify) {
    this.#run = 'during';
    this.onRequest = (reason) => notify(`Stopping (${reason}): finishing requests in flight, then cleaning up`);
  }

  /** From now on, signals are ignored and do not change the exit status. */
  stopListening() {
    this.#run = 'after';
    clearTimeout(this.#offerTimer ?? undefined);
  }

  /**
   * Call this once the result is written. From then on, a signal only ends the wait for the last scrape, and does
   * not change the status.
   *
   * @param {number} status
   */
  settle(status) {
    this.#settled = status;
  }

  /**
   * Reports uncaught errors. During a run they stop it gracefully; otherwise they end the process.
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
      if (this.#run !== 'during') {
        this.#process.exit(EXIT.incomplete);
      }
      this.#request(EXIT.incomplete, 'an unexpected error');
    });
  }

  /** @param {boolean} isClosed whether the reader is gone */
  outputLost(isClosed) {
    const [status, what] = isClosed ? [EXIT.outputClosed, 'was closed'] : [EXIT.incomplete, 'cannot be written'];
    this.#request(status, `the output ${what}`);
  }

  /** @param {Error} error that explains why the run's own store is gone */
  storeLost(error) {
    this.#request(EXIT.incomplete, error.message);
  }

  /** @param {NodeJS.Signals} name */
  #signalled(name) {
    if (this.#run === 'after') {
      return;
    }
    const status = this.#settled ?? 128 + constants.signals[name];
    if (this.#run === 'before' || (name === 'SIGINT' && this.#isOffered)) {
      this.#controller.abort();
      this.#endAtOnce(name, status);
    }
    if (name === 'SIGINT') {
      this.#offerTimer ??= setTimeout(() => this.#offer(), MAX_REPEAT_MS).unref();
    }
    this.#request(status, name);
  }

  /**
   * @param {NodeJS.Signals} name
   * @param {number} status
   */
  #endAtOnce(name, status) {
    this.onEndAtOnce();
    if (name === 'SIGHUP') {
      // Node would abort, because it cannot restore the settings of a terminal that is gone.
      this.#process.removeAllListeners(name);
      this.#process.kill(this.#process.pid, name);
    } else {
      this.#process.exit(status);
    }
  }

  #offer() {
    if (this.#isPersonThere()) {
      // If the event loop was blocked, a Ctrl-C repeated within MAX_REPEAT_MS arrives only now, and must not count yet.
      setImmediate(() => {
        this.#isOffered = true;
        this.onOffer();
      });
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
