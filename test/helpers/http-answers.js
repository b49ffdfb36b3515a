import fc from 'fast-check';
import http from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { ResponseParser } from '../../lib/store/http/response-parser.js';

/** @import { Arbitrary } from 'fast-check' */

/**
 * @typedef {object} Reading
 * @property {'complete' | 'refused' | 'incomplete'} outcome
 * @property {string} message why it was refused
 * @property {number} status 0 before the head was complete
 * @property {string[]} headers alternating names and values
 * @property {string} body latin1
 * @property {boolean} endedByClose
 *
 * @typedef {Reading & { contentLength: number, end: number, isPersistent: boolean }} OurReading
 *   `end` is the offset after the response, or -1; the last two are known only for a complete response
 */

/** More turns of the event loop than a reader needs for data in memory. */
const MAX_TURNS = 50;

/** If a reader has not accepted the response by then, it is waiting for more. */
const TURNS_BEFORE_CLOSE = 10;

/** High enough that the other readers' limits do not matter. Bytes. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** Surrounds the bytes that are passed on, so that reading beyond them fails. */
const MARGIN = Buffer.from('\n\r\nX: y\r\n\r\n0\r\n\r\n');

/** @returns {Reading} */
function blankReading() {
  return { outcome: 'incomplete', message: '', status: 0, headers: [], body: '', endedByClose: false };
}

/**
 * Feeds our parser. It passes each piece in the middle of a larger buffer and overwrites it afterwards, like connections that
 * share a buffer.
 */
export class ParserReader {
  #reading = /** @type {OurReading} */ ({});
  #parser = new ResponseParser({
    onHeader: (bytes, name, nameEnd, value, valueEnd, status) => {
      this.#reading.headers.push(bytes.toString('latin1', name, nameEnd), bytes.toString('latin1', value, valueEnd));
      this.#reading.status = status;
    },
    onHead: (status, contentLength) => {
      this.#reading.status = status;
      this.#reading.contentLength = contentLength;
    },
    onBody: (chunk) => {
      this.#reading.body += chunk.toString('latin1');
    },
  });

  /** @param {boolean} [isHead] */
  begin(isHead = false) {
    this.#parser.begin(isHead);
    this.#reading = {
      ...blankReading(),
      contentLength: -1,
      end: -1,
      isPersistent: false,
    };
  }

  /**
   * @param {Buffer} piece
   * @returns {number} the parser's result, relative to the piece's first byte
   */
  accept(piece) {
    const buffer = Buffer.concat([MARGIN, piece, MARGIN]);
    const end = MARGIN.length + piece.length;
    const position = this.#parser.accept(buffer, MARGIN.length, end);
    buffer.fill('~');
    return position < 0 ? -1 : position - MARGIN.length;
  }

  get hasBegun() {
    return this.#parser.hasBegun;
  }

  /**
   * @param {readonly Buffer[]} pieces of a response, and what follows it
   * @returns {OurReading}
   */
  read(pieces) {
    const reading = this.#reading;
    let before = 0;
    try {
      for (const piece of pieces) {
        const end = this.accept(piece);
        if (end >= 0) {
          reading.outcome = 'complete';
          reading.end = before + end;
          break;
        }
        before += piece.length;
      }
    } catch (error) {
      reading.outcome = 'refused';
      reading.message = /** @type {Error} */ (error).message;
      if (/** @type {Error} */ (error).name !== 'ProtocolError') {
        throw error;
      }
    }
    if (reading.outcome === 'complete') {
      reading.isPersistent = this.#parser.isPersistent;
    }
    return reading;
  }
}

/**
 * @param {readonly Buffer[] | Buffer | string} answer latin1
 * @param {boolean} [isHead]
 * @returns {OurReading} by a new parser
 */
export function readAnswer(answer, isHead = false) {
  const pieces = typeof answer === 'string' ? [Buffer.from(answer, 'latin1')] : answer;
  const reader = new ParserReader();
  reader.begin(isHead);
  return reader.read(Buffer.isBuffer(pieces) ? [pieces] : pieces);
}

/**
 * @param {Buffer} bytes
 * @param {readonly number[]} places offsets of the cuts, in any order
 */
export function cutAt(bytes, places) {
  const bounds = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return bounds
    .slice(1)
    .map((end, index) => bytes.subarray(bounds[index], end))
    .filter(({ length }) => length > 0);
}

/** @param {Buffer} bytes */
export function byteByByte(bytes) {
  return Array.from(bytes, (_, place) => bytes.subarray(place, place + 1));
}

/** A socket without a network. Writes are discarded. */
class MemorySocket extends Duplex {
  constructor() {
    // The stream would otherwise join the pieces.
    super({ readableObjectMode: true });
  }

  _read() {}

  /**
   * @param {Buffer} _chunk
   * @param {BufferEncoding} _encoding
   * @param {() => void} callback
   */
  _write(_chunk, _encoding, callback) {
    callback();
  }
}

/**
 * Passes a response to a client, and closes the connection if the response did not.
 *
 * @param {MemorySocket} socket
 * @param {readonly Buffer[]} pieces
 * @param {Reading} reading
 */
async function deliver(socket, pieces, reading) {
  await turn();
  pieces.forEach((piece) => socket.push(piece));
  const isSettled = async (/** @type {number} */ turns) => {
    for (let left = turns; left > 0 && reading.outcome === 'incomplete'; left--) {
      await turn();
    }
    return reading.outcome !== 'incomplete';
  };
  if (!(await isSettled(TURNS_BEFORE_CLOSE))) {
    socket.push(null);
    if (!(await isSettled(MAX_TURNS))) {
      throw new Error('the client did not notice the end of the connection');
    }
    reading.endedByClose = reading.outcome === 'complete';
  }
}

/**
 * @param {readonly Buffer[]} pieces
 * @param {boolean} isHead
 * @returns {Promise<Reading>} by node:http
 */
async function readWithNode(pieces, isHead) {
  const socket = new MemorySocket();
  const reading = blankReading();
  /** @type {http.IncomingMessage | null} */
  let answer = null;
  const refuse = (/** @type {string} */ message) => {
    // Errors in the bytes after a response are also reported.
    if (reading.outcome === 'incomplete' && !answer?.complete) {
      reading.outcome = 'refused';
      reading.message = message;
    }
  };
  http
    .request({
      createConnection: () => /** @type {any} */ (socket),
      host: 'memory.invalid',
      method: isHead ? 'HEAD' : 'GET',
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    .on('response', (message) => {
      answer = message;
      reading.status = message.statusCode ?? 0;
      reading.headers = message.rawHeaders;
      message
        .on('data', (/** @type {Buffer} */ chunk) => (reading.body += chunk.toString('latin1')))
        .on('end', () => (reading.outcome = 'complete'))
        .on('error', (/** @type {Error} */ { message: text }) => refuse(text));
    })
    .on('error', ({ message }) => refuse(message))
    .on('close', () => refuse('closed'))
    .end();
  await deliver(socket, pieces, reading);
  socket.destroy();
  return reading;
}

/** node:http does not recognize this as chunked, and reads until the connection ends. */
const TAB_AFTER_CHUNKED = /transfer-encoding:[ \t]*chunked *\t[ \t]*\r/i;

/**
 * Known cases in which node:http rejects or misreads what ours accepts, because it deviates from the RFC.
 *
 * @type {{ reason: string, holds: (text: string, ours: Reading, other: Reading) => boolean }[]}
 */
const EXCEPTIONS = [
  {
    reason: 'a close in a 1xx response is taken for the end; by RFC 9110, 15.2 the final response still follows',
    holds: (text, _ours, other) =>
      /^HTTP\/1\.[01] 1/.test(text) && other.message.includes('Data after `Connection: close`'),
  },
  {
    reason: 'chunk extensions are parsed, and some rejected; RFC 9112, 7.1.1 requires unknown ones to be ignored',
    holds: (_text, _ours, other) => /Invalid (character|quoted-pair) in chunk extensions/.test(other.message),
  },
  {
    reason: 'a tab after a Content-Length is rejected; by RFC 9112, 5 whitespace around a value may be a tab',
    holds: (text, _ours, other) =>
      /content-length:[ \t]*\d+ *\t[ \t]*\r/i.test(text) && /Invalid character in Content-Length/.test(other.message),
  },
  {
    reason: 'chunks with a tab after their coding are not decoded; by RFC 9112, 5 the tab is not part of the value',
    holds: (text) => TAB_AFTER_CHUNKED.test(text),
  },
  {
    reason: 'trailer fields are used for framing; RFC 9110, 6.5.1 requires them to be kept separate from headers',
    holds: (text, ours, other) =>
      ours.headers.some((value) => value.toLowerCase() === 'chunked') &&
      /\r\n0+(;.*)?\r\n([^]*\r\n)?(content-length|transfer-encoding):/i.test(text) &&
      other.message.includes("can't be present with"),
  },
];

/** Errors that only our reader reports. Any other one would make us fail a valid response. */
const STRICTER = [
  // Control characters are not allowed in a reason phrase (RFC 9112, 4).
  /^the status line of the response contains (the byte 0x|a carriage return)/,
  // A status below 100, and empty lines before the status line.
  /^the response does not begin with an HTTP\/1\.1 status line$/,
  /^the response has a Transfer-Encoding other than chunked$/,
  /^the response is chunked although it is HTTP\/1\.0$/,
  /^the response switches protocols, or follows more than 16 others$/,
  // More digits than an exact number can have, even if they are zeros.
  /^a chunk of the response has an invalid size$/,
  /^the response has an invalid Content-Length$/,
];

/** @typedef {Record<'acceptedAlike' | 'excepted' | 'refusedAlike' | 'stricter', number>} Tally */

/** @returns {Tally} */
export function blankTally() {
  return { acceptedAlike: 0, excepted: 0, refusedAlike: 0, stricter: 0 };
}

/**
 * Asserts that our reader accepts nothing that node:http refuses, and otherwise reads the same. It may refuse more on
 * purpose.
 *
 * @param {readonly Buffer[]} pieces
 * @param {boolean} isHead
 * @param {Tally} [tally]
 * @throws {Error} if ours accepts or reads something differently, or refuses it without a known reason
 */
export async function compareReaders(pieces, isHead, tally = blankTally()) {
  const ours = readAnswer(pieces, isHead);
  const other = await readWithNode(pieces, isHead);
  const text = Buffer.concat(pieces).toString('latin1');
  if (ours.outcome !== 'complete') {
    const isAlike = other.outcome !== 'complete';
    // Ours does not believe that a body without a length is whole.
    const isStricter = other.endedByClose || STRICTER.some((message) => message.test(ours.message));
    if (!isAlike && !isStricter && !TAB_AFTER_CHUNKED.test(text)) {
      throw new Error(`${described(pieces, isHead)}\nnode accepts it, ours does not: ${ours.outcome} ${ours.message}`);
    }
    tally[isAlike ? 'refusedAlike' : 'stricter'] += 1;
    return;
  }
  const isAlike = essence(other) === essence(ours);
  if (!isAlike && !EXCEPTIONS.some(({ holds }) => holds(text, ours, other))) {
    throw new Error(`${described(pieces, isHead)}\nours ${essence(ours)}\nnode ${essence(other)} ${other.message}`);
  }
  tally[isAlike ? 'acceptedAlike' : 'excepted'] += 1;
}

/**
 * @param {readonly Buffer[]} pieces
 * @param {boolean} isHead
 */
function described(pieces, isHead) {
  return `${isHead ? 'HEAD' : 'GET'} ${JSON.stringify(pieces.map((piece) => piece.toString('latin1')))}`;
}

/** @param {Reading} reading */
function essence({ outcome, status, headers, body, endedByClose }) {
  return outcome === 'complete' ? JSON.stringify({ status, headers, body, endedByClose }) : 'refuses it';
}

const STATUS_LINES = [
  ...['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 206 Partial Content', 'HTTP/1.1 403 No', 'HTTP/1.1 404 '],
  ...['HTTP/1.1 503 Slow', 'HTTP/1.0 200 OK', 'HTTP/1.1 204 No', 'HTTP/1.1 304 Same', 'HTTP/1.1 429 Slow\tdown'],
  ...[
    'HTTP/1.1 999 X',
    'HTTP/1.1 404',
    'HTTP/1.1 503 \u001b[2J',
    'HTTP/1.1 100 Go on',
    'HTTP/1.1 101 X',
    'HTTP/1.1 2000 X',
    'HTTP/2 200',
  ],
  ...['HTTP/1.1 099 X', 'HTTP/1.1 -1 X', 'http/1.1 200 ok', 'HTTP/1.2 200 OK', 'HTTP/1.1  200 OK', 'ICY 200 OK', ''],
];
const HARMLESS_FIELDS = [
  ...[
    'ETag: "0"',
    'etag:"d41d8cd98f00b204e9800998ecf8427e"',
    'ETag: ',
    'ETag:\t"1" \t ',
    'Retry-After: 0',
    'X: \xe9\xff',
  ],
  ...['Connection: close', 'Connection: keep-alive', 'Date: never', 'Trailer: X'],
  ...['Content-Encoding: gzip', 'Connection: upgrade', 'Upgrade: websocket', 'Server: x', "!#$%&'*+-.^_`|~9: y"],
];
const ODD_FIELDS = [
  ...['Content-Length: 5', 'Content-Length: 0', 'Content-Length: -5', 'Content-Length: +5', 'Content-Length: 0x5'],
  ...['Content-Length: 1e1', 'Content-Length: 5 5', 'Content-Length: 5, 5', 'Content-Length: ', 'content-length:05'],
  ...['Content-Length : 5', 'Content-Length: 18446744073709551621', 'Content-Length\0: 5', 'Content_Length: 5'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: CHUNKED', 'Transfer-Encoding : chunked', 'TE: chunked'],
  ...['Transfer-Encoding: \x0bchunked', 'Transfer-Encoding: chunked\x0b', 'Transfer-Encoding: identity'],
  ...['Transfer-Encoding: chunked, identity', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: "chunked"'],
  ...['Transfer-Encoding:', 'Transfer-Encoding: chunked;q=1', 'Transfer-Encoding:\r\n chunked', ' folded', '\tfolded'],
  ...[
    ': no name',
    'no colon',
    'X:\0',
    'X\u00e9: y',
    'X: a\rb',
    'X: a\nb',
    'X Y: z',
    'X\t: z',
    '\r',
    'X: \x7f',
    '{}: x',
  ],
];
const CHUNK_SIZE_ODDITIES = [
  ...[
    '0x5',
    '5 ',
    ' 5',
    '1_0',
    '',
    '-5',
    '+5',
    'ffffffffffffffff',
    '10000000000000005',
    '0000000000000000005',
    'g',
    '5\t',
  ],
  ...['5;\0', '5;a\rb', '5 ;a', '5,5'],
];
const EXTENSIONS = ['', '', '', ';a=b', ';a', ';a="b c"', ';a=b;c=d', ';a="\\""'];
const JUNK = [
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '5',
  'f',
  '\x0b',
  '\x7f',
  '\x80',
  '\r\n\r\n',
  '-',
];

const content = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constantFrom('', 'hello', '0\r\n\r\n', '\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
);
const anyCase = (/** @type {string} */ name) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());

const framing = fc.oneof(
  fc.tuple(anyCase('Content-Length'), content).map(([name, body]) => ({ field: [`${name}: ${body.length}`], body })),
  fc
    .record({
      name: anyCase('Transfer-Encoding'),
      encoding: anyCase('chunked'),
      chunks: fc.array(fc.tuple(content, fc.constantFrom(...EXTENSIONS), fc.boolean()), { maxLength: 4 }),
      trailers: fc.array(fc.constantFrom(...HARMLESS_FIELDS), { maxLength: 2 }),
      oddity: fc.option(fc.constantFrom(...CHUNK_SIZE_ODDITIES), { freq: 9 }),
    })
    .map(({ name, encoding, chunks, trailers, oddity }) => ({
      field: [`${name}: ${encoding}`],
      body: [
        ...chunks
          .filter(([{ length }]) => length > 0)
          .map(([chunk, extension, isUpper], index) => {
            const size = chunk.length.toString(16);
            const written = isUpper ? `00${size.toUpperCase()}` : size;
            return `${index === 0 && oddity !== null ? oddity : written}${extension}\r\n${chunk}\r\n`;
          }),
        '0\r\n',
        ...trailers.map((line) => `${line}\r\n`),
        '\r\n',
      ].join(''),
    })),
  content.map((body) => ({ field: [], body })),
);

const mostly = (/** @type {Arbitrary<string>} */ usual, /** @type {readonly string[]} */ odd) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...odd) });

const wellFormed = fc
  .record({
    informational: fc.array(fc.constantFrom('HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n', 'HTTP/1.1 100 Go on\r\n\r\n'), {
      maxLength: 2,
      size: 'small',
    }),
    isInformed: fc.nat(7).map((chance) => chance === 0),
    statusLine: mostly(fc.constantFrom(...STATUS_LINES.slice(0, 11)), STATUS_LINES),
    fields: fc.array(mostly(fc.constantFrom(...HARMLESS_FIELDS), ODD_FIELDS), { maxLength: 4 }),
    place: fc.nat(4),
    framing,
    after: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, content),
  })
  .map(({ informational, isInformed, statusLine, fields, place, framing: { field, body }, after }) =>
    [
      ...(isInformed ? informational : []),
      [statusLine, ...fields.toSpliced(place, 0, ...field), '', ''].join('\r\n'),
      body,
      after,
    ].join(''),
  );

const change = fc.record({
  what: fc.constantFrom('insert', 'replace', 'remove', 'cut', 'bare line feed', 'repeat'),
  place: fc.nat(400),
  junk: fc.constantFrom(...JUNK),
});

/**
 * @param {string} text
 * @param {{ what: string, place: number, junk: string }} one
 */
function changed(text, { what, place, junk }) {
  const at = place % (text.length + 1);
  switch (what) {
    case 'insert':
      return text.slice(0, at) + junk + text.slice(at);
    case 'replace':
      return text.slice(0, at) + junk + text.slice(at + 1);
    case 'remove':
      return text.slice(0, at) + text.slice(at + 1);
    case 'cut':
      return text.slice(0, at);
    case 'repeat':
      return text.slice(0, at) + text.slice(Math.max(0, at - 20));
    default:
      return text.slice(0, at) + text.slice(at).replace('\r\n', '\n');
  }
}

/** Responses: mostly correct, some odd, some changed at a random offset. */
export const anyAnswer = fc
  .tuple(
    wellFormed,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(change, { minLength: 1, maxLength: 2 }) },
    ),
  )
  .map(([text, changes]) => Buffer.from(changes.reduce(changed, text), 'latin1'));

const places = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.nat(400), { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant('each') },
);

/** A response in pieces, and whether it is for a HEAD. */
export const anyPieces = fc.record({
  pieces: fc
    .tuple(anyAnswer, places)
    .map(([bytes, at]) => (typeof at === 'string' ? byteByByte(bytes) : cutAt(bytes, /** @type {number[]} */ (at)))),
  isHead: fc.nat(9).map((chance) => chance === 0),
});
