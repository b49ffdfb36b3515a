import { plainLine } from '../text/plain-text.js';
import { cutToWidth, textWidth, wrapAtWords } from '../text/text-width.js';

/** @import { Look } from '../report/reporter.js' */

const CLEAR_LINE = '\r\x1b[K';
const CLEAR_REST_OF_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** Of a terminal that does not know its size, a serial line for one. */
const USUAL_SIZE = Object.freeze({ columns: 80, rows: 24 });

/** Of the rows of a line after its first one. */
const INDENT = '  ';

/**
 * @param {NodeJS.WriteStream} stream
 * @param {string} line
 * @returns {string} on a terminal, rows that break between words; a word that no row has room for is left to the terminal, so that
 *   it can be copied
 */
function fitted({ isTTY, columns }, line) {
  const most = columns - INDENT.length;
  if (!isTTY || !columns || textWidth(line) <= columns || line.split(' ').some((word) => textWidth(word) > most)) {
    return line;
  }
  return wrapAtWords(line, columns, INDENT).join('\n');
}

/**
 * The program's two outputs: the log on stdout, everything else on stderr, and on a terminal one live line, or several,
 * under both.
 *
 * The cursor is left visible, below what is drawn, and no mode of the terminal is ever changed: whatever ends the process,
 * there is nothing that would have to be set back.
 */
export class Terminal {
  #stdout;
  #stderr;
  #live = '';
  /** The lines that are to stand below the log. @type {readonly string[]} */
  #lines = [];
  /** Those of them that do now. @type {readonly string[]} */
  #drawn = [];
  /** Of the terminal when they were drawn. */
  #columns = 0;
  #willRedraw = false;
  #isUnicode;
  #hasColour;
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
   * @param {boolean} options.plain no live line and no colour, even on a terminal
   * @param {boolean} [options.hasColour]
   * @param {boolean} [options.isUnicode] whether it shows more than ASCII
   * @param {(isClosed: boolean) => void} options.onLost stdout takes no more: its reader has gone, or it cannot be written,
   *   because the disk is full for example
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
    // Without stderr, nothing can be reported.
    stderr.on('error', () => {});
  }

  /** From here on it shows nothing but lines, as if nobody watched. */
  showLinesOnly() {
    this.isLive = false;
  }

  /** What can be drawn on it, as it is now: a user may make it larger or smaller. @returns {Look} */
  get look() {
    return lookOf(this.#stderr, { plain: !this.isLive, hasColour: this.#hasColour, isUnicode: this.#isUnicode });
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
      if (text !== '') {
        this.draw([]);
      }
      // A terminal that does not know its width, a serial line for one, has 0.
      const columns = this.#stderr.columns || Infinity;
      this.#stderr.write(CLEAR_LINE + cutToWidth(text, columns - 1, ''));
    }
  }

  /**
   * Draws lines below the log, in place of those that were drawn before.
   *
   * @param {readonly string[]} lines that fit on the terminal, without control characters but for colours; none takes
   *   them away
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

  /** The process is about to be stopped, or was: what was drawn has scrolled away, or will be written over. */
  resumed() {
    this.#drawn = [];
    this.#live = '';
  }

  #redraw() {
    const [lines, drawn] = [this.#lines, this.#drawn];
    const isSame = lines.length === drawn.length && lines.every((line, place) => line === drawn[place]);
    if (!isSame) {
      const { columns } = this.look;
      // Rows that the terminal broke and that are written over would still belong together for it, and be joined later.
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

  /** @returns {string} what moves the cursor to the beginning of what is drawn */
  #toFirstDrawn() {
    const { columns } = this.look;
    // A terminal that has become narrower breaks lines that stand on it already.
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(line) / columns), 1), 0);
    return rows === 0 ? '\r' : `\r\x1b[${rows}A`;
  }

  /** All lines that are written in one turn are followed by one redraw. */
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
    // The next refresh brings the live line back. Until then the terminal is free for a line that passes through `tee`.
    this.live('');
    this.#erase();
    stream.write(`${fitted(stream, line)}\n`, taken);
    this.#redrawSoon();
  }
}

/**
 * What can be drawn on a terminal.
 *
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
 * @returns {{ plain: boolean, hasColour: boolean, isUnicode: boolean }} what a terminal can show: plain lines alone if the cursor
 *   cannot be moved; colour, unless the user wants none; and characters beyond ASCII
 */
export function abilitiesOf({ NO_COLOR, TERM, WT_SESSION, LC_ALL, LC_CTYPE, LANG }, platform) {
  // Neither the console of Linux nor the one that Windows had before its Terminal has all of the block elements.
  const isUnicode =
    platform === 'win32' ? Boolean(WT_SESSION) : TERM !== 'linux' && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
  return { plain: TERM === 'dumb', hasColour: !NO_COLOR, isUnicode };
}
