import { plainLine } from '../text/plain-text.js';
import { cutToWidth, textWidth } from '../text/text-width.js';

/** @import { Look } from '../result/figures/drawing.js' */

const CLEAR_LINE = '\r\x1b[K';
const CLEAR_REST_OF_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** For a terminal that does not report its size, such as a serial line. */
const USUAL_SIZE = Object.freeze({ columns: 80, rows: 24 });

/**
 * The program's two outputs: the log on stdout, everything else on stderr. On a terminal, live lines appear
 * below the log.
 *
 * The cursor stays visible below the drawing, and no terminal mode is ever changed, so nothing needs restoring however
 * the process ends.
 */
export class Terminal {
  #stdout;
  #stderr;
  #live = '';
  /** The lines to show below the log. @type {readonly string[]} */
  #lines = [];
  /** The lines currently on the screen. @type {readonly string[]} */
  #drawn = [];
  #columns = 0;
  #willRedraw = false;
  #isUnicode;
  #hasColour;
  #stdoutIsGone = false;
  /** Log lines that stdout has not accepted yet. @type {string[]} */
  #pending = [];
  /** Whether a person watches stderr. */
  isLive;
  /** Whether a person reads the log as it is written. */
  logIsOnTerminal;

  /**
   * @param {object} options
   * @param {NodeJS.WriteStream} options.stdout
   * @param {NodeJS.WriteStream} options.stderr
   * @param {boolean} options.plain no live lines and no colour, even on a terminal
   * @param {boolean} [options.hasColour]
   * @param {boolean} [options.isUnicode] whether the terminal can show more than ASCII
   * @param {(isClosed: boolean) => void} options.onLost called when stdout fails: `isClosed` is true if its
   *   reader closed it, and false for other failures, such as a full disk
   */
  constructor({ stdout, stderr, plain, hasColour = true, isUnicode = false, onLost }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#isUnicode = isUnicode;
    this.#hasColour = hasColour;
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
    // If stderr fails, nothing can be reported.
    stderr.on('error', () => {});
  }

  /** What the terminal can show now; the user may have resized it. @returns {Look} */
  get look() {
    return lookOf(this.#stderr, { plain: !this.isLive, hasColour: this.#hasColour, isUnicode: this.#isUnicode });
  }

  /** @param {string} line of the log; goes to stderr if stdout is gone */
  out(line) {
    if (this.#stdoutIsGone) {
      this.err(line);
      return;
    }
    // Keep the line until it is written, because a closed stdout is detected only some lines later.
    this.#pending.push(line);
    this.#write(this.#stdout, line, (error) => {
      if (!error) {
        this.#pending.shift();
      }
    });
  }

  /**
   * @param {string} text of a report, the only output on stdout
   * @returns {Promise<void>} resolves when the text is written or has failed
   */
  report(text) {
    this.live('');
    return new Promise((resolve) => this.#stdout.write(text, () => resolve()));
  }

  /** @param {string} line that may contain untrusted text */
  err(line) {
    this.#write(this.#stderr, plainLine(line));
  }

  /** @param {string} text of the live line; an empty string removes it */
  live(text) {
    if (this.isLive && text !== this.#live) {
      this.#live = text;
      if (text !== '') {
        this.draw([]);
      }
      // A terminal without a known width, such as a serial line, reports 0.
      const columns = this.#stderr.columns || Infinity;
      this.#stderr.write(CLEAR_LINE + cutToWidth(text, columns - 1, ''));
    }
  }

  /**
   * Draws lines below the log, replacing those drawn before.
   *
   * @param {readonly string[]} lines that fit the terminal, without control characters except colours; [] erases
   */
  draw(lines) {
    if (this.isLive) {
      if (lines.length > 0) {
        this.live('');
      }
      this.#lines = lines;
      this.#redraw();
    }
  }

  /** Forgets the drawing before Ctrl-Z stops the process: a shell may then write below or over it. */
  stops() {
    this.#drawn = [];
    this.#live = '';
  }

  #redraw() {
    const [lines, drawn] = [this.#lines, this.#drawn];
    const isSame = lines.length === drawn.length && lines.every((line, place) => line === drawn[place]);
    if (!isSame) {
      const { columns } = this.look;
      // After a resize, erase first: the terminal rejoins rows of a line that it wrapped, even if overwritten since.
      if (columns !== this.#columns) {
        this.#erase();
        this.#columns = columns;
      }
      const text = lines.map((line) => `${line}${CLEAR_REST_OF_LINE}\n`).join('');
      this.#stderr.write(`${this.#toFirstDrawn()}${text}${CLEAR_BELOW}`);
      this.#drawn = lines;
    }
  }

  #erase() {
    if (this.#drawn.length > 0) {
      this.#stderr.write(`${this.#toFirstDrawn()}${CLEAR_BELOW}`);
      this.#drawn = [];
    }
  }

  /** The sequence that moves the cursor to the start of the drawing. */
  #toFirstDrawn() {
    const { columns } = this.look;
    // A terminal that became narrower wraps the existing lines.
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(line) / columns), 1), 0);
    return rows === 0 ? '\r' : `\r\x1b[${rows}A`;
  }

  /** Redraws once after all lines that are written in the same turn. */
  #redrawSoon() {
    if (this.#lines.length > 0 && !this.#willRedraw) {
      this.#willRedraw = true;
      setImmediate(() => {
        this.#willRedraw = false;
        this.#redraw();
      });
    }
  }

  /**
   * @param {NodeJS.WriteStream} stream
   * @param {string} line
   * @param {(error?: Error | null) => void} [taken]
   */
  #write(stream, line, taken) {
    // Clear the live line until the next refresh, because `tee` may now write this line to the same terminal.
    this.live('');
    this.#erase();
    stream.write(`${line}\n`, taken);
    this.#redrawSoon();
  }
}

/**
 * @param {{ columns?: number, rows?: number }} stream
 * @param {{ plain: boolean, hasColour: boolean, isUnicode: boolean }} abilities
 * @returns {Look}
 */
export function lookOf({ columns, rows }, { plain, hasColour, isUnicode }) {
  return {
    columns: columns || USUAL_SIZE.columns,
    rows: rows || USUAL_SIZE.rows,
    isUnicode,
    hasColour: hasColour && !plain,
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {{ plain: boolean, hasColour: boolean, isUnicode: boolean }} `plain` if the cursor cannot be moved
 */
export function abilitiesOf({ NO_COLOR, TERM, WT_SESSION, LC_ALL, LC_CTYPE, LANG }, platform) {
  // The Linux console, and the Windows console before Windows Terminal, lack some block elements.
  const isUnicode =
    platform === 'win32' ? Boolean(WT_SESSION) : TERM !== 'linux' && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
  return { plain: TERM === 'dumb', hasColour: !NO_COLOR, isUnicode };
}
