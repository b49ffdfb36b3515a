import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ResponseParser } from '../../lib/store/http/response-parser.js';
import { cases } from '../helpers/cases.js';
import {
  ParserReader,
  anyPieces,
  blankTally,
  byteByByte,
  compareReaders,
  cutAt,
  readAnswer,
} from '../helpers/http-answers.js';

const KIB = 1024;
const OK = 'HTTP/1.1 200 OK\r\n';
const HELLO = `${OK}Content-Length: 5\r\n\r\nhello`;
const LENGTH = 'Content-Length: 5\r\n';
const CODING = 'Transfer-Encoding: chunked\r\n';
const CHUNKED = `${OK}${CODING}\r\n`;
const HINTS = 'HTTP/1.1 103 Hints\r\nLink: x\r\nContent-Length: 9\r\nConnection: close\r\n\r\n';

/** @import { OurReading } from '../helpers/http-answers.js' */

/** What the refusals say. */
const TWO_LENGTHS = /^the response has two Content-Length headers$/;
const BAD_LENGTH = /^the response has an invalid Content-Length$/;
const BAD_ENCODING = /^the response has a Transfer-Encoding other than chunked$/;
const LENGTH_AND_CHUNKED = /^the response is chunked although it has a Content-Length$/;
const BAD_SIZE = /^a chunk of the response has an invalid size$/;
const LONG_CHUNK = /^a chunk of the response is longer than its declared size$/;
const FOLDED = /^the name of a header of the response contains the byte 0x(20|09)$/;
const NO_NAME = /^the name of a header of the response contains the byte 0x3a$/;
const SWITCHES = /^the response switches protocols, or follows more than 16 others$/;
const NOT_HTTP = /^the response does not begin with an HTTP\/1\.1 status line$/;
const TOO_LONG = /^the head, the trailers or a chunk size of the response is longer than 65536 bytes$/;

/** @param {string} text */
function bytesOf(text) {
  return Buffer.from(text, 'latin1');
}

/**
 * Reads an answer whole, and a byte at a time.
 *
 * @param {string} text
 * @param {Partial<OurReading>} [expected]
 * @param {boolean} [isHead]
 */
function assertReads(text, expected = {}, isHead = false) {
  const reading = readAnswer(text, isHead);
  assert.deepEqual(readAnswer(byteByByte(bytesOf(text)), isHead), reading, JSON.stringify(text.slice(0, 200)));
  assert.equal(reading.outcome, 'complete', `${JSON.stringify(text.slice(0, 200))}: ${reading.message}`);
  const told = Object.keys(expected).map((name) => [name, reading[/** @type {keyof OurReading} */ (name)]]);
  assert.deepEqual(Object.fromEntries(told), expected, JSON.stringify(text.slice(0, 200)));
  return reading;
}

/**
 * @param {string} start of a head or of trailers
 * @param {number} length of it with its lines, and the empty line
 */
function paddedTo(start, length) {
  const rest = length - start.length - 'X: \r\n\r\n'.length;
  return `${start}X: ${'x'.repeat(rest)}\r\n\r\n`;
}

/**
 * What is refused, and why: no other reader is stricter. Whole and a byte at a time.
 *
 * @type {Readonly<Record<string, readonly (readonly [text: string, message: RegExp, isHead?: boolean])[]>>}
 */
const REFUSED = {
  'a status line': [
    ...['http/1.1 200 OK', 'HTTP/2 200', 'HTTP/1.2 200 OK', 'HTTP/1.1  200 OK', 'HTTP/1.1 099 OK', 'HTTP/1.1 2x0 OK'],
    ...['ICY 200 OK', 'SSH-2.0-x', '\r\nHTTP/1.1', ' HTTP/1.1 200 OK', '\x15\x03\x01\0', 'HTTP/1.1 20\n'],
  ].map((line) => /** @type {const} */ ([`${line}\r\nContent-Length: 0\r\n\r\n`, NOT_HTTP])),
  'a byte of a status line': [
    ['HTTP/1.1 2000 OK', 'the byte 0x30'],
    ['HTTP/1.1 200\tOK', 'the byte 0x09'],
    ['HTTP/1.1 200 O\x7fK', 'the byte 0x7f'],
    ['HTTP/1.1 200 O\rK', 'a carriage return'],
    ['HTTP/1.1 200 OK\r', 'a carriage return'],
    ['HTTP/1.1 200\n', 'a line feed without a carriage return'],
  ].map(([line, what]) => [
    `${line}\r\nContent-Length: 0\r\n\r\n`,
    new RegExp(`^the status line of the response contains ${what}$`),
  ]),
  'a header': [
    ['X: a\r\n b\r\n', FOLDED],
    [' X: a\r\n', FOLDED],
    ['X: y\r\n Transfer-Encoding: chunked\r\n', FOLDED],
    ['Content-Length: 1\r\n\t5\r\n', FOLDED],
    [': a\r\n', NO_NAME],
    ['no colon\r\n', /^the name of a header of the response contains the byte 0x20$/],
    ['name\r\n', /^the name of a header of the response contains the byte 0x0d$/],
    ['Transfer-Encoding : chunked\r\n', /^the name of a header of the response contains the byte 0x20$/],
    ['Transfer-Encoding\0: chunked\r\n', /^the name of a header of the response contains the byte 0x00$/],
    ['X: y\rContent-Length: 5\r\n', /^a header of the response contains a carriage return$/],
    ['X: a\r\r\n', /^a header of the response contains a carriage return$/],
    ['X: y\nContent-Length: 5\r\n', /^a header of the response contains a line feed without a carriage return$/],
    ['\n', /^the name of a header of the response contains a line feed/],
    ['\r\r\n', /^the head of the response contains a carriage return$/],
    ['Transfer-Encoding: \x0bchunked\r\n', /^a header of the response contains the byte 0x0b$/],
  ].map(([lines, message]) => [`${OK}${lines}\r\n0\r\n\r\n`, /** @type {RegExp} */ (message)]),
  'a Content-Length': [
    ...['', '-5', '+5', '0x5', '1e1', '5 5', '5,5', '5, 5', '5.0', '5;', '"5"', '\xb2', 'five', '\xa05'],
    ...['9999999999999999', '18446744073709551621'],
  ].map((value) => /** @type {const} */ ([`${OK}Content-Length: ${value}\r\n\r\nhello`, BAD_LENGTH])),
  'two lengths': [
    [`${OK}Content-Length: 5\r\nContent-Length: 0\r\n\r\nhello`, TWO_LENGTHS],
    [`${OK}Content-Length: 0\r\nETag: x\r\ncontent-length: 0\r\n\r\n`, TWO_LENGTHS],
    [`${OK}${LENGTH}${CODING}\r\n0\r\n\r\nX`, LENGTH_AND_CHUNKED],
    [`${OK}${CODING}${LENGTH}\r\n0\r\n\r\nX`, LENGTH_AND_CHUNKED],
    [`${OK}${CODING}${LENGTH}\r\n`, LENGTH_AND_CHUNKED, true],
    [`HTTP/1.1 304 Same\r\n${CODING}${LENGTH}\r\n`, LENGTH_AND_CHUNKED],
    [`HTTP/1.1 103 Hints\r\n${CODING}${LENGTH}\r\n`, LENGTH_AND_CHUNKED],
  ],
  'a Transfer-Encoding': [
    ...['', 'identity', 'gzip', 'gzip, chunked', 'chunked, identity', 'chunked, chunked', 'chunked,', ',chunked'],
    ...['xchunked', 'chunked;q=1', '"chunked"', 'chunked chunked', '\xa0chunked', 'chun\tked', '\r\n chunked'],
    ...['chunked\r\nTransfer-Encoding: chunked', 'x\r\nTransfer-Encoding: chunked'],
  ].map((value) => /** @type {const} */ ([`${OK}Transfer-Encoding: ${value}\r\n\r\n0\r\n\r\n`, BAD_ENCODING])),
  'the size of a chunk': [
    ...['', ' 3', '-3', '+3', 'g', '\t3', ';a', '"3"', '_', '\xb3', 'fffffffffffffff', '10000000000000003'],
    ...['00000000000003', '0x3', '3 ', '3\t', '1_0', '3,3', '3;\0', '3;a\rb', '3\r', '3\n', '3;a\n'],
  ].map((size) => /** @type {const} */ ([`${CHUNKED}${size}\r\nabc\r\n0\r\n\r\n`, BAD_SIZE])),
  'a chunk': [
    [`${CHUNKED}3\r\nabcX`, LONG_CHUNK],
    [`${CHUNKED}3\r\nabc\n0\r\n\r\n`, LONG_CHUNK],
    [`${CHUNKED}3\r\nabcXX0\r\n\r\n`, LONG_CHUNK],
    [`${CHUNKED}3\r\nabc\r0\r\n\r\n`, /^a chunk of the response contains a carriage return$/],
    [`${CHUNKED}1\r\na\rx`, /^a chunk of the response contains a carriage return$/],
    [`HTTP/1.0 200 OK\r\n${CODING}\r\n0\r\n\r\n`, /^the response is chunked although it is HTTP\/1\.0$/],
  ],
  'a trailer': [
    [`${CHUNKED}0\r\n folded\r\n\r\n`, FOLDED],
    [`${CHUNKED}0\r\nX : y\r\n\r\n`, /^the name of a header of the response contains the byte 0x20$/],
    [`${CHUNKED}0\r\nX: y\n\r\n`, /^a header of the response contains a line feed/],
  ],
  'an answer of status 1xx': [
    [`${HINTS.repeat(17)}${HELLO}`, SWITCHES],
    [`HTTP/1.1 101 X\r\n\r\n${HELLO}`, SWITCHES],
    [`HTTP/1.1 103 X\r\nContent-Length: x\r\n\r\n${HELLO}`, BAD_LENGTH],
  ],
  'what has no end': [
    [paddedTo(`${OK}Content-Length: 0\r\n`, 64 * KIB + 1), TOO_LONG],
    [`${OK}${'X: y\r\n'.repeat(11_000)}`, TOO_LONG],
    ...['HTTP/1.1 200 ', `${OK}X: `, OK].map(
      (start) => /** @type {const} */ ([`${start}${'x'.repeat(64 * KIB)}`, TOO_LONG]),
    ),
    [`${CHUNKED}0\r\n${paddedTo('', 64 * KIB + 1)}`, TOO_LONG],
    [`${CHUNKED}0\r\nX: ${'x'.repeat(64 * KIB)}`, TOO_LONG],
    [`${CHUNKED}1;${'x'.repeat(65 * KIB)}`, TOO_LONG],
  ],
};

for (const [what, answers] of Object.entries(REFUSED)) {
  test(`refuses ${what} by what is wrong, and is never more lenient than others`, async () => {
    for (const [text, message, isHead = false] of answers) {
      for (const pieces of [[bytesOf(text)], byteByByte(bytesOf(text))]) {
        const reading = readAnswer(pieces, isHead);
        assert.equal(reading.outcome, 'refused', JSON.stringify(text.slice(0, 200)));
        assert.match(reading.message, message, JSON.stringify(text.slice(0, 200)));
      }
      if (text.length < KIB) {
        await compareReaders([bytesOf(text)], isHead);
      }
    }
  });
}

test('refuses any wrong byte in the name of a header, and control characters in its value', () => {
  const name = "!#$%&'*+-.^_`|~0123456789abcXYZ";
  assert.deepEqual(readAnswer(`${OK}${name}: x\r\n\r\n`).headers, [name, 'x']);
  const isOfToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z:]/;
  for (let byte = 0; byte < 256; byte++) {
    const character = String.fromCharCode(byte);
    const isControl = (byte < 32 && !'\t\n\r'.includes(character)) || byte === 0x7f;
    const code = `the byte 0x${byte.toString(16).padStart(2, '0')}`;
    if (!isOfToken.test(character) && character !== '\n') {
      const { message } = readAnswer(`${OK}X${character}Y: z\r\n\r\n`);
      assert.equal(message, `the name of a header of the response contains ${code}`);
    }
    if (isControl) {
      assert.equal(readAnswer(`${OK}X: a${character}b\r\n\r\n`).message, `a header of the response contains ${code}`);
    }
  }
});
/** What is accepted, and some of what is read. @type {[text: string, expected: Partial<OurReading>, isHead?: boolean][]} */
const ACCEPTED = [
  ['HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n', { status: 404, contentLength: 0, body: '' }],
  [
    'HTTP/1.1 503\r\nContent-Length: 0\r\n\r\nX',
    { status: 503, end: 'HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n'.length },
  ],
  ['HTTP/1.1 999 No\tsuch \xe9 thing\r\nContent-Length: 0\r\n\r\n', { status: 999 }],
  [
    `${OK}ETag: "a b"\r\nx-EMPTY:\r\nBlank: \t \r\nTab:\t"1"\t \r\nX: \xff\r\nX: y:z\r\ncONTENT-lENGTH:2\r\n\r\nhi`,
    {
      ...{ body: 'hi', contentLength: 2, status: 200 },
      headers: [
        'ETag',
        '"a b"',
        'x-EMPTY',
        '',
        'Blank',
        '',
        'Tab',
        '"1"',
        'X',
        '\xff',
        'X',
        'y:z',
        'cONTENT-lENGTH',
        '2',
      ],
    },
  ],
  [`${OK}Content_Length: 1\r\nXontent-Length: 2\r\nTransfer_Encoding: x\r\n${LENGTH}\r\nhello`, { body: 'hello' }],
  [paddedTo(`${OK}Content-Length: 0\r\n`, 64 * KIB), { end: 64 * KIB }],
  [`${HELLO}HTTP/1.1`, { body: 'hello', end: HELLO.length }],
  [`${OK}Content-Length: 005\r\n\r\nhello`, { body: 'hello' }],
  [`${OK}Content-Length: ${HELLO.length}\r\n\r\n${HELLO}`, { body: HELLO }],
  [
    `${CHUNKED}5;a=b;c="d e"\r\nhello\r\n00A\r\n 0123\r\n678\r\n0;last\r\nContent-Length: 7\r\nETag: "no"\r\n\r\nX`,
    { body: 'hello 0123\r\n678', contentLength: -1, headers: ['Transfer-Encoding', 'chunked'] },
  ],
  [`${CHUNKED}0\r\n\r\n`, { body: '' }],
  [`${OK}TRANSFER-encoding:\tChUnKeD \r\n\r\n1\r\nx\r\n0\r\n\r\n`, { body: 'x' }],
  [`${CHUNKED}3\r\nabc\r\n0000\r\n\r\n`, { body: 'abc' }],
  [`${CHUNKED}${'1\r\na\r\n'.repeat(20_000)}0\r\n\r\n`, { body: 'a'.repeat(20_000) }],
  [`${paddedTo(`${OK}${CODING}`, 64 * KIB)}1\r\na\r\n0\r\n${paddedTo('', 64 * KIB)}`, { body: 'a' }],
  [`${HINTS.repeat(16)}${HELLO}`, { status: 200, headers: ['Content-Length', '5'], body: 'hello', isPersistent: true }],
  [`HTTP/1.1 102 X\r\nTransfer-Encoding: chunked\r\n\r\n${HELLO}`, { body: 'hello' }],
  [`HTTP/1.0 100 X\r\n\r\n${HELLO}`, { isPersistent: true }],
  [
    `${paddedTo('HTTP/1.1 103 Hints\r\n', 60 * KIB).repeat(2)}${paddedTo(`${OK}Content-Length: 0\r\n`, 60 * KIB)}`,
    { status: 200 },
  ],
  ['HTTP/1.1 205 X\r\nContent-Length: 5\r\n\r\nhello', { body: 'hello' }],
];

test('accepts what RFC 9112 allows, wherever it is cut', () => {
  for (const [text, expected] of ACCEPTED) {
    assertReads(text, expected);
  }
});
for (const [what, statusLine, isHead] of /** @type {[string, string, boolean][]} */ ([
  ['to a HEAD', 'HTTP/1.1 200 OK', true],
  ['of status 204', 'HTTP/1.1 204 No', false],
  ['of status 304', 'HTTP/1.1 304 Same', false],
])) {
  test(`an answer ${what} ends with its head, whatever it says, and is persistent`, () => {
    for (const field of [LENGTH, CODING, '']) {
      const head = `${statusLine}\r\n${field}\r\n`;
      const contentLength = field === LENGTH ? 5 : -1;
      const rest = { isPersistent: true };
      assertReads(`${head}hello`, { body: '', end: head.length, contentLength, ...rest }, isHead);
    }
  });
}

test('header fields and body come in order, with the status', () => {
  /** @type {unknown[]} */
  const events = [];
  const parser = new ResponseParser({
    onHeader: (bytes, name, nameEnd, value, valueEnd, status) =>
      events.push([bytes.toString('latin1', name, nameEnd), bytes.toString('latin1', value, valueEnd), status]),
    onHead: (...head) => events.push(head),
    onBody: (chunk) => events.push(chunk.toString()),
  });
  parser.begin(false);
  const bytes = bytesOf(`HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${OK}ETag: "0"\r\nContent-Length: 5\r\n\r\nhello`);
  assert.equal(parser.accept(bytes, 0, bytes.length), bytes.length);
  assert.deepEqual(events, [['ETag', '"0"', 200], ['Content-Length', '5', 200], [200, 5], 'hello']);
});

test('a connection is persistent with HTTP/1.1, unless the response says otherwise', () => {
  for (const [version, line, isPersistent] of /** @type {[string, string, boolean][]} */ ([
    ['1.1', 'X: y', true],
    ['1.1', 'CONNECTION:CLOSE', false],
    ['1.1', 'Connection: close,x', false],
    ['1.1', 'Connection: x ,\tclose , y', false],
    ['1.1', 'Connection: closed, disclose', true],
    ['1.1', 'Connection: close\r\nConnection: keep-alive', false],
    ['1.1', 'Connection: keep-alive\r\nConnection: close', false],
    ['1.1', 'Konnection: close', true],
    ['1.0', 'X: y', false],
    ['1.0', 'Connection: Keep-Alive', false],
  ])) {
    assertReads(`HTTP/${version} 200 OK\r\n${line}\r\nContent-Length: 0\r\n\r\n`, { isPersistent });
  }
});

test('a body without a length is handed on, and never complete', () => {
  const { outcome, body, contentLength } = readAnswer(`${OK}\r\nhello`);
  assert.deepEqual([outcome, body, contentLength], ['incomplete', 'hello', -1]);
});

describe('wherever an answer is cut', () => {
  /**
   * A line is looked at when it is whole, so what is wrong with a line that was cut is found at its end.
   *
   * @param {{ pieces: readonly Buffer[], isHead: boolean }} answer
   */
  function assertCutMakesNoDifference({ pieces, isHead }) {
    const whole = readAnswer(Buffer.concat(pieces), isHead);
    const cut = readAnswer(pieces, isHead);
    const atLineEnd =
      whole.outcome === 'refused' && cut.outcome === 'incomplete'
        ? readAnswer([...pieces, bytesOf('\n')], isHead)
        : cut;
    assert.deepEqual(atLineEnd, whole);
  }

  test('its events and what becomes of it are the same, whatever its bytes are', () => {
    fc.assert(fc.property(anyPieces, assertCutMakesNoDifference), { numRuns: cases(10_000) });
    const noise = fc.record({
      pieces: fc
        .tuple(fc.constantFrom('', OK, CHUNKED, `${CHUNKED}0\r\n`), fc.array(fc.constantFrom(...'\r\n\r\n;: 05aX\0')))
        .chain(([start, rest]) => {
          const bytes = bytesOf(start + rest.join(''));
          return fc.array(fc.nat(bytes.length), { maxLength: 5 }).map((places) => cutAt(bytes, places));
        }),
      isHead: fc.boolean(),
    });
    fc.assert(fc.property(noise, assertCutMakesNoDifference), { numRuns: cases(10_000) });
  });

  test('what lies before and after the bytes of a piece is not looked at', () => {
    const parser = new ResponseParser({ onHeader() {}, onHead() {}, onBody() {} });
    const bytes = bytesOf(`\r\n${HELLO}\r\n`);
    parser.begin(false);
    assert.equal(parser.accept(bytes, 2, 20), -1);
    assert.equal(parser.accept(bytes, 20, 20), -1);
    assert.equal(parser.accept(bytes, 20, bytes.length), 2 + HELLO.length);
  });
});

describe('a parser that begins again', () => {
  test('knows whether an answer has begun', () => {
    const reader = new ParserReader();
    for (const start of [HELLO, 'H', `${OK}Content-Length: 5\r\nContent-Length: 5\r\n`]) {
      reader.begin();
      assert.equal(reader.hasBegun, false);
      reader.read([bytesOf(start)]);
      assert.equal(reader.hasBegun, true);
    }
  });

  test('has its whole room for a head, and for extensions, again', () => {
    const reader = new ParserReader();
    const long = paddedTo(`${OK}Transfer-Encoding: chunked\r\n`, 60 * KIB);
    const answer = bytesOf(`${long}1;${'x'.repeat(15 * KIB)}\r\na\r\n0\r\n${paddedTo('', 60 * KIB)}`);
    for (let round = 0; round < 3; round++) {
      reader.begin();
      assert.equal(reader.read([answer]).outcome, 'complete');
    }
  });

  test('any answers, one after the other, are each read as if alone', () => {
    const reader = new ParserReader();
    fc.assert(
      fc.property(anyPieces, ({ pieces, isHead }) => {
        reader.begin(isHead);
        assert.deepEqual(reader.read(pieces), readAnswer(pieces, isHead));
      }),
      { numRuns: cases(3000) },
    );
  });
});

test('whatever an answer is and wherever it is cut, node:http reads what ours accepts, and the same', async () => {
  const tally = blankTally();
  const numRuns = cases(6000);
  await fc.assert(
    fc.asyncProperty(anyPieces, ({ pieces, isHead }) => compareReaders(pieces, isHead, tally)),
    // Always the same cases: the slow test is to find what is new in another reader's ways, not a change elsewhere.
    { numRuns, seed: 9112 },
  );
  assert.ok(tally.acceptedAlike > numRuns / 5, JSON.stringify(tally));
  assert.ok(tally.refusedAlike > numRuns / 5, JSON.stringify(tally));
  assert.ok(tally.stricter > numRuns / 100, JSON.stringify(tally));
});
