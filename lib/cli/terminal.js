import { plainLine } from '../log/plain-text.js';

const CLEAR_LINE = '\r\x1b[K';

/**
 * The program's two outputs: the log on stdout, everything else on stderr, and on a terminal one live line under both.
 */
export class Terminal {
  #stdout;
  #stderr;
  #live = '';
  #stdoutIsGone = false;
  /** Lines of the log that stdout has not taken yet. @type {string[]} */
  #pending = [];
  /** Whether a person watches stderr. */
  isLive;
  /** Whether a person reads the log as it is written. */
  logIsOnTerminal;

  /**
   * @param {object} options
   * @param {NodeJS.WriteStream} options.stdout
   * @param {NodeJS.WriteStream} options.stderr
   * @param {boolean} options.plain no live line, even on a terminal
   * @param {(isClosed: boolean) => void} options.onLost stdout takes no more: its reader has gone, or it cannot be written,
   *   because the disk is full for example
   */
  constructor({ stdout, stderr, plain, onLost }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isLive = Boolean(stderr.isTTY) && !plain;
    this.logIsOnTerminal = Boolean(stdout.isTTY);
    stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      const first = !this.#stdoutIsGone;
      this.#stdoutIsGone = true;
      if (first) {
        const isClosed = error.code === 'EPIPE';
        this.err(isClosed ? 'stdout was closed' : `error: stdout cannot be written: ${error.message}`);
        this.#pending.splice(0).forEach((line) => this.err(line));
        onLost(isClosed);
      }
    });
    // Without stderr, nothing can be reported.
    stderr.on('error', () => {});
  }

  /** @param {string} line of the log; it goes to stderr where stdout is gone */
  out(line) {
    if (this.#stdoutIsGone) {
      this.err(line);
      return;
    }
    // That stdout was closed becomes known only some lines later.
    this.#pending.push(line);
    this.#write(this.#stdout, line, (error) => {
      if (!error) {
        this.#pending.shift();
      }
    });
  }

  /**
   * @param {string} text of a report that has stdout for itself
   * @returns {Promise<void>} once it is written, or cannot be
   */
  report(text) {
    this.live('');
    return new Promise((resolve) => this.#stdout.write(text, () => resolve()));
  }

  /** @param {string} line that may contain unchecked text from outside */
  err(line) {
    this.#write(this.#stderr, plainLine(line));
  }

  /** @param {string} text of the live line; an empty one takes it away */
  live(text) {
    if (this.isLive && text !== this.#live) {
      this.#live = text;
      // A terminal that does not know its width, a serial line for one, has 0.
      const columns = this.#stderr.columns || Infinity;
      this.#stderr.write(CLEAR_LINE + text.slice(0, columns - 1));
    }
  }

  /**
   * @param {NodeJS.WriteStream} stream
   * @param {string} line
   * @param {(error?: Error | null) => void} [taken]
   */
  #write(stream, line, taken) {
    // The next refresh brings the live line back. Until then the terminal is free for a line that passes through `tee`.
    this.live('');
    stream.write(`${line}\n`, taken);
  }
}
