// Parses HTTP/1.1 responses according to RFC 9112 (section numbers in comments refer to it) and RFC 9110, section 5. If
// the RFC allows a choice, or asks for leniency that no current store needs, this parser rejects the response: obs-fold
// (which clients should replace with spaces, by 5.2), a bare LF at the end of a line (2.2), a repeated Content-Length
// (6.3), and white space after a chunk size (7.1.1) are errors. A body without a length (6.3) never ends: the end of its
// connection does not show that all of it has arrived.

/** Limit for the head of a response, for its trailers, and for the line with the size of a chunk. */
const MAX_LINE_BYTES = 64 * 1024;

/** A size in hexadecimal digits, so few that it is a safe integer, and extensions, which are ignored (7.1). */
const CHUNK_SIZE_LINE = /^([0-9a-f]{1,13})(;[\t\x20-\x7e\x80-\xff]*)?\r\n$/i;

/** Maximum number of digits in a Content-Length: every value with this many digits is a safe integer. */
const MAX_LENGTH_DIGITS = 15;

/** Maximum number of 1xx responses before the final one. */
const MAX_INFORMATIONAL = 16;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;

/** 1 for each byte allowed in a field name (RFC 9110, 5.6.2). */
const IS_TOKEN = byteTable((byte) => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)));

/** 1 for each byte allowed in a field value or a reason phrase (RFC 9110, 5.5; RFC 9112, 4). */
const IS_TEXT = byteTable((byte) => byte === TAB || (byte >= SPACE && byte !== 0x7f));

/** What a status line may have at each offset, up to the end of the status: 1 for each byte that is allowed there. */
const STATUS_LINE_BYTES = [...'HTTP/1.', /[01]/, ' ', /[1-9]/, /\d/, /\d/].map((allowed) =>
  byteTable((byte) => {
    const character = String.fromCharCode(byte);
    return typeof allowed === 'string' ? character === allowed : allowed.test(character);
  }),
);
const MINOR_VERSION_AT = 7;
const STATUS_AT = 9;

// The parser's states, named after the part of the response that it expects next.
const STATUS_LINE = 0;
const FIELD_LINE = 1;
const CHUNK_SIZE = 2;
const CHUNK_END = 3;
const TRAILER = 4;
const CHUNK = 5;
const BODY = 6;
const ENDED = 7;

/**
 * Receives the parts of a response. Bytes are valid only during the call: all connections share one read buffer.
 *
 * @typedef {object} ResponseHandler
 * @property {(bytes: Buffer, name: number, nameEnd: number, value: number, valueEnd: number,
 *   status: number) => void} onHeader one field of the final response: offsets of its name and of its trimmed value
 * @property {(status: number, contentLength: number) => void} onHead the head of the final response is complete; the
 *   length is in bytes, -1 if unknown
 * @property {(chunk: Buffer) => void} onBody the next bytes of the body
 */

/**
 * Reads consecutive responses from a connection, however their bytes are split. It examines each byte once, and copies
 * only lines that are split across reads.
 */
export class ResponseParser {
  #handler;
  #state = ENDED;
  #isHead = false;
  /** The beginning of an incomplete line. @type {Buffer | null} */
  #pending = null;
  #pendingLength = 0;
  /** How many bytes the remaining lines of the head or the trailers, or the size of a chunk, may have. */
  #lineBytesLeft = 0;
  #informational = 0;
  #status = 0;
  #isHttp10 = false;
  #contentLength = -1;
  #isChunked = false;
  #saysClose = false;
  #bodyLeft = 0;

  /** Whether a byte of the response has arrived. */
  hasBegun = false;

  /** @param {ResponseHandler} handler */
  constructor(handler) {
    this.#handler = handler;
  }

  /**
   * @param {boolean} isHead whether the request is a HEAD: its response has no body, regardless of its headers (6.3)
   */
  begin(isHead) {
    this.#isHead = isHead;
    this.#pending = null;
    this.#pendingLength = 0;
    this.#informational = 0;
    this.hasBegun = false;
    this.#beginHead();
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   * @returns {number} the offset after the response's last byte; -1 if more is expected
   * @throws {ProtocolError} the connection is unusable afterwards
   */
  accept(bytes, start, end) {
    this.hasBegun = true;
    let position = start;
    while (position < end && this.#state !== ENDED) {
      if (this.#state >= CHUNK) {
        position = this.#acceptBody(bytes, position, end);
      } else if (this.#pending === null) {
        const next = this.#acceptLine(bytes, position, end);
        if (next < 0) {
          this.#keep(bytes, position, end);
          return -1;
        }
        position = next;
      } else {
        position = this.#completeLine(bytes, position, end);
      }
    }
    return this.#state === ENDED ? position : -1;
  }

  /** Whether the connection can carry another request after this response (9.3). */
  get isPersistent() {
    return !this.#saysClose && !this.#isHttp10;
  }

  #beginHead() {
    this.#state = STATUS_LINE;
    this.#lineBytesLeft = MAX_LINE_BYTES;
    this.#contentLength = -1;
    this.#isChunked = false;
    this.#saysClose = false;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   * @returns {number} the offset after the line; -1 if the line is incomplete
   */
  #acceptLine(bytes, start, end) {
    switch (this.#state) {
      case STATUS_LINE:
        return this.#acceptStatusLine(bytes, start, end);
      case CHUNK_SIZE:
        return this.#acceptChunkSize(bytes, start, end);
      case CHUNK_END:
        return this.#acceptChunkEnd(bytes, start, end);
      default:
        return this.#acceptFieldLine(bytes, start, end);
    }
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  #keep(bytes, start, end) {
    const length = this.#pendingLength + end - start;
    if (length > this.#lineBytesLeft) {
      throw tooLong();
    }
    if (this.#pending === null || length > this.#pending.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.#pending?.copy(larger, 0, 0, this.#pendingLength);
      this.#pending = larger;
    }
    bytes.copy(this.#pending, this.#pendingLength, start, end);
    this.#pendingLength = length;
  }

  /**
   * Continues a line whose beginning was kept. A line is parsed only once it is complete, however slowly it arrives.
   *
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   * @returns {number} the offset up to which the bytes were consumed
   */
  #completeLine(bytes, start, end) {
    const lineFeed = bytes.indexOf(LF, start);
    // After a chunk, only one more byte can be missing.
    const lineEnd = this.#state === CHUNK_END ? start : lineFeed;
    const isWhole = lineEnd >= 0 && lineEnd < end;
    const upTo = isWhole ? lineEnd + 1 : end;
    this.#keep(bytes, start, upTo);
    const line = /** @type {Buffer} */ (this.#pending);
    const length = this.#pendingLength;
    if (isWhole) {
      this.#pending = null;
      this.#pendingLength = 0;
      this.#acceptLine(line, 0, length);
    } else if (this.#state === STATUS_LINE) {
      refuseOtherProtocols(line, 0, length);
    }
    return upTo;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  #acceptStatusLine(bytes, start, end) {
    refuseOtherProtocols(bytes, start, end);
    const digits = start + STATUS_AT;
    let position = digits + 3;
    if (position >= end) {
      return -1;
    }
    if (bytes[position] === SPACE) {
      position = endOfText(bytes, position, end);
    }
    const next = afterLineEnd(bytes, position, end, 'the status line');
    if (next < 0) {
      return -1;
    }
    const status = 100 * (bytes[digits] - ZERO) + 10 * (bytes[digits + 1] - ZERO) + (bytes[digits + 2] - ZERO);
    this.#takeLineBytes(next - start);
    this.#status = status;
    this.#isHttp10 = bytes[start + MINOR_VERSION_AT] === ZERO;
    this.#state = FIELD_LINE;
    return next;
  }

  /**
   * Parses a field of the head or of the trailers, or the empty line after them.
   *
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  #acceptFieldLine(bytes, start, end) {
    if (bytes[start] === CR) {
      const next = afterLineEnd(bytes, start, end, 'the head');
      if (next >= 0) {
        this.#takeLineBytes(next - start);
        this.#endFields();
      }
      return next;
    }
    let nameEnd = start;
    while (nameEnd < end && IS_TOKEN[bytes[nameEnd]] === 1) {
      nameEnd += 1;
    }
    if (nameEnd === end) {
      return -1;
    }
    if (nameEnd === start || bytes[nameEnd] !== COLON) {
      throw new ProtocolError(`the name of a header of the response contains ${described(bytes[nameEnd])}`);
    }
    let value = nameEnd + 1;
    while (value < end && isBlank(bytes[value])) {
      value += 1;
    }
    let valueEnd = endOfText(bytes, value, end);
    const next = afterLineEnd(bytes, valueEnd, end, 'a header');
    if (next < 0) {
      return -1;
    }
    while (valueEnd > value && isBlank(bytes[valueEnd - 1])) {
      valueEnd -= 1;
    }
    this.#takeLineBytes(next - start);
    if (this.#state === FIELD_LINE) {
      this.#takeFraming(bytes, start, nameEnd, value, valueEnd);
      if (this.#status >= 200) {
        this.#handler.onHeader(bytes, start, nameEnd, value, valueEnd, this.#status);
      }
    }
    return next;
  }

  /**
   * Evaluates a field that concerns the response's length or the connection.
   *
   * @param {Buffer} bytes
   * @param {number} name
   * @param {number} nameEnd
   * @param {number} value
   * @param {number} valueEnd
   */
  #takeFraming(bytes, name, nameEnd, value, valueEnd) {
    switch (nameEnd - name) {
      case 10:
        if (isNamed(bytes, name, nameEnd, 'connection')) {
          const options = bytes
            .toString('latin1', value, valueEnd)
            .toLowerCase()
            .split(/[\s,]+/);
          this.#saysClose ||= options.includes('close');
        }
        break;
      case 14:
        if (isNamed(bytes, name, nameEnd, 'content-length')) {
          this.#takeContentLength(bytes, value, valueEnd);
        }
        break;
      case 17:
        if (isNamed(bytes, name, nameEnd, 'transfer-encoding')) {
          this.#takeTransferEncoding(bytes.toString('latin1', value, valueEnd));
        }
        break;
    }
  }

  /**
   * @param {Buffer} bytes
   * @param {number} value
   * @param {number} valueEnd
   */
  #takeContentLength(bytes, value, valueEnd) {
    if (this.#contentLength >= 0) {
      throw new ProtocolError('the response has two Content-Length headers');
    }
    let length = 0;
    for (let position = value; position < valueEnd; position++) {
      const byte = bytes[position];
      if (byte < ZERO || byte > NINE) {
        length = -1;
        break;
      }
      length = 10 * length + byte - ZERO;
    }
    if (length < 0 || value === valueEnd || valueEnd - value > MAX_LENGTH_DIGITS) {
      throw new ProtocolError('the response has an invalid Content-Length');
    }
    this.#contentLength = length;
  }

  /** @param {string} encoding */
  #takeTransferEncoding(encoding) {
    if (this.#isChunked || encoding.toLowerCase() !== 'chunked') {
      throw new ProtocolError('the response has a Transfer-Encoding other than chunked');
    }
    this.#isChunked = true;
  }

  /** Handles the empty line after the fields. The rules for the body's length are in the order of section 6.3. */
  #endFields() {
    if (this.#state === TRAILER) {
      this.#state = ENDED;
      return;
    }
    const status = this.#status;
    if (this.#isChunked && (this.#contentLength >= 0 || this.#isHttp10)) {
      throw new ProtocolError(
        `the response is chunked although it ${this.#isHttp10 ? 'is HTTP/1.0' : 'has a Content-Length'}`,
      );
    }
    if (status < 200) {
      this.#informational += 1;
      if (status === 101 || this.#informational > MAX_INFORMATIONAL) {
        throw new ProtocolError(`the response switches protocols, or follows more than ${MAX_INFORMATIONAL} others`);
      }
      this.#beginHead();
      return;
    }
    if (this.#isHead || status === 204 || status === 304) {
      this.#state = ENDED;
    } else if (this.#isChunked) {
      this.#state = CHUNK_SIZE;
      this.#lineBytesLeft = MAX_LINE_BYTES;
    } else {
      this.#state = this.#contentLength === 0 ? ENDED : BODY;
      this.#bodyLeft = this.#contentLength < 0 ? Infinity : this.#contentLength;
    }
    this.#handler.onHead(status, this.#contentLength);
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  #acceptChunkSize(bytes, start, end) {
    const next = bytes.indexOf(LF, start) + 1;
    if (next === 0 || next > end) {
      return -1;
    }
    const size = CHUNK_SIZE_LINE.exec(bytes.toString('latin1', start, next))?.[1];
    if (size === undefined) {
      throw new ProtocolError('a chunk of the response has an invalid size');
    }
    this.#bodyLeft = Number.parseInt(size, 16);
    this.#state = this.#bodyLeft === 0 ? TRAILER : CHUNK;
    return next;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  #acceptChunkEnd(bytes, start, end) {
    if (bytes[start] !== CR) {
      throw new ProtocolError('a chunk of the response is longer than its declared size');
    }
    const next = afterLineEnd(bytes, start, end, 'a chunk');
    if (next >= 0) {
      this.#state = CHUNK_SIZE;
    }
    return next;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  #acceptBody(bytes, start, end) {
    const taken = Math.min(this.#bodyLeft, end - start);
    this.#bodyLeft -= taken;
    if (this.#bodyLeft === 0) {
      this.#state = this.#state === BODY ? ENDED : CHUNK_END;
    }
    this.#handler.onBody(bytes.subarray(start, start + taken));
    return start + taken;
  }

  /** @param {number} count bytes of a complete line */
  #takeLineBytes(count) {
    this.#lineBytesLeft -= count;
    if (this.#lineBytesLeft < 0) {
      throw tooLong();
    }
  }
}

function tooLong() {
  return new ProtocolError(
    `the head, the trailers or a chunk size of the response is longer than ${MAX_LINE_BYTES} bytes`,
  );
}

/**
 * @param {Buffer} bytes
 * @param {number} start
 * @param {number} end
 * @param {string} lowerCase only letters and hyphens: setting bit 5 lower-cases letters and does not change hyphens
 * @returns {boolean} whether the bytes are that name, ignoring case
 */
export function isNamed(bytes, start, end, lowerCase) {
  if (end - start !== lowerCase.length) {
    return false;
  }
  for (let place = 0; place < lowerCase.length; place++) {
    if ((bytes[start + place] | 0x20) !== lowerCase.charCodeAt(place)) {
      return false;
    }
  }
  return true;
}

/**
 * Rejects anything that does not begin like HTTP at once: a server that speaks another protocol may be waiting for us,
 * and never end the line.
 *
 * @param {Buffer} bytes
 * @param {number} start
 * @param {number} end
 */
function refuseOtherProtocols(bytes, start, end) {
  const length = Math.min(end - start, STATUS_LINE_BYTES.length);
  for (let index = 0; index < length; index++) {
    if (STATUS_LINE_BYTES[index][bytes[start + index]] === 0) {
      throw new ProtocolError('the response does not begin with an HTTP/1.1 status line');
    }
  }
}

/**
 * @param {Buffer} bytes
 * @param {number} start
 * @param {number} end
 * @returns {number} the offset of the first byte that is not allowed in a value; `end` if all are allowed
 */
function endOfText(bytes, start, end) {
  let position = start;
  while (position < end && IS_TEXT[bytes[position]] === 1) {
    position += 1;
  }
  return position;
}

/**
 * @param {Buffer} bytes
 * @param {number} position where the line must end
 * @param {number} end
 * @param {string} what the part of the response, for the message
 * @returns {number} the offset after CR LF; -1 if they have not arrived
 * @throws {ProtocolError} if anything else is found
 */
function afterLineEnd(bytes, position, end, what) {
  if (position < end && bytes[position] !== CR) {
    throw new ProtocolError(`${what} of the response contains ${described(bytes[position])}`);
  }
  if (position + 1 >= end) {
    return -1;
  }
  if (bytes[position + 1] !== LF) {
    throw new ProtocolError(`${what} of the response contains a carriage return`);
  }
  return position + 2;
}

/** @param {number} byte */
function described(byte) {
  return byte === LF ? 'a line feed without a carriage return' : `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}

/** @param {number} byte */
function isBlank(byte) {
  return byte === SPACE || byte === TAB;
}

/** @param {(byte: number) => boolean} isMember */
function byteTable(isMember) {
  return Uint8Array.from({ length: 256 }, (_, byte) => Number(isMember(byte)));
}

/** The response is not HTTP, or its end is ambiguous. The connection is unusable afterwards. */
export class ProtocolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'ProtocolError';
  }
}
