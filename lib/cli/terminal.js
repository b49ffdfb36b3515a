const CLEAR_LINE = '\r\x1b[K';

/**
 * The program's two outputs: the log on stdout, everything else on stderr, and on a terminal one live line under both.
 */
export class Terminal {
  #stdout;
  #stderr;
  #live = '';
  #stdoutIsGone = false;
  /** Whether a person watches stderr. */
  isLive;
  /** Whether a person reads the log as it is written. */
  logIsOnTerminal;

  /**
   * @param {object} options
   * @param {NodeJS.WriteStream} options.stdout
   * @param {NodeJS.WriteStream} options.stderr
   * @param {boolean} options.plain no live line, even on a terminal
   * @param {() => void} options.onClosed nobody reads stdout any more
   */
  constructor({ stdout, stderr, plain, onClosed }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isLive = Boolean(stderr.isTTY) && !plain;
    this.logIsOnTerminal = Boolean(stdout.isTTY);
    stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      const first = !this.#stdoutIsGone;
      this.#stdoutIsGone = true;
      if (first) {
        this.err(error.code === 'EPIPE' ? 'stdout was closed' : `stdout cannot be written: ${error.message}`);
        onClosed();
      }
    });
    // With stderr gone there is nobody left to tell.
    stderr.on('error', () => {});
  }

  /** @param {string} line of the log; it goes to stderr where stdout is gone */
  out(line) {
    this.#write(this.#stdoutIsGone ? this.#stderr : this.#stdout, line);
  }

  /** @param {string} line */
  err(line) {
    this.#write(this.#stderr, line);
  }

  /** @param {string} text of the live line; an empty one takes it away */
  live(text) {
    if (this.isLive && text !== this.#live) {
      this.#live = text;
      this.#stderr.write(CLEAR_LINE + text.slice(0, this.#stderr.columns - 1));
    }
  }

  /**
   * @param {NodeJS.WriteStream} stream
   * @param {string} line
   */
  #write(stream, line) {
    // The next refresh brings the live line back. Until then the terminal is free for a line that passes through `tee`.
    this.live('');
    stream.write(`${line}\n`);
  }
}
