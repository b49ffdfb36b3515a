const NEWLINE = 10;
const [QUOTE, BACKSLASH, OPEN, CLOSE] = Buffer.from('"\\{}');

/** A longer record is not a request: 1,000 keys of 1,024 bytes, escaped, fit in it. */
const MAX_RECORD_BYTES = 2 ** 24;

/** @typedef {(text: string, line: number) => void} TakeRecord the text of a record that is too long is '' */

/** Puts together records that arrive in pieces. */
class Records {
  #take;
  /** @type {Buffer[]} */
  #pieces = [];
  #bytes = 0;

  /** @param {TakeRecord} take */
  constructor(take) {
    this.#take = take;
  }

  /** @param {Buffer} piece */
  hold(piece) {
    this.#bytes += piece.length;
    if (this.#bytes <= MAX_RECORD_BYTES) {
      this.#pieces.push(piece);
    }
  }

  /** @param {number} line of its start */
  finish(line) {
    const isTooLong = this.#bytes > MAX_RECORD_BYTES;
    const [bytes] = this.#pieces.length === 1 ? this.#pieces : [Buffer.concat(this.#pieces)];
    const text = isTooLong ? '' : bytes.toString('utf8').trim();
    this.#pieces = [];
    this.#bytes = 0;
    if (text !== '' || isTooLong) {
      this.#take(text, line);
    }
  }
}

/** Splits a file that arrives in chunks into its lines. */
export class Lines extends Records {
  #line = 1;

  /** @param {Buffer} chunk */
  push(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, end));
      this.end();
      from = end + 1;
    }
    this.hold(chunk.subarray(from));
  }

  end() {
    this.finish(this.#line++);
  }
}

/** Splits a JSON array of objects that arrives in chunks into the text of each object. */
export class ArrayElements extends Records {
  #line = 1;
  #firstLine = 1;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** @param {Buffer} chunk */
  push(chunk) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      this.#line += Number(byte === NEWLINE);
      if (this.#inString) {
        this.#inString = byte !== QUOTE || this.#isEscaped;
        this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
      } else if (byte === QUOTE) {
        this.#inString = this.#depth > 0;
      } else if (byte === OPEN && this.#depth++ === 0) {
        from = at;
        this.#firstLine = this.#line;
      } else if (byte === CLOSE && this.#depth > 0 && --this.#depth === 0) {
        this.hold(chunk.subarray(from, at + 1));
        this.end();
      }
    }
    if (this.#depth > 0) {
      this.hold(chunk.subarray(from));
    }
  }

  /** Also takes an element that has no end: it cannot be read. */
  end() {
    this.finish(this.#firstLine);
  }
}
