import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ResponseParser, isNamed } from '../../lib/http/response-parser.js';
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
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** What the refusals say. */
const TWO_LENGTHS = /^the response has two Content-Length headers$/;
const BAD_LENGTH = /^the response has an invalid Content-Length$/;
const BAD_ENCODING = /^the response has a Transfer-Encoding other than chunked$/;
const LENGTH_AND_CHUNKED = /^the response is chunked although it has a Content-Length$/;
const BAD_SIZE = /^a chunk of the response has an invalid size$/;
const LONG_CHUNK = /^a chunk of the response is longer than its declared size$/;
const FOLDED = /^a header of the response is folded over two lines, which RFC 9112 deprecates$/;
const NO_NAME = /^a header of the response has no name$/;
const NOT_HTTP = /^the response does not begin with an HTTP\/1\.1 status line$/;
const LONG_HEAD = /^the head of the response is longer than 65536 bytes$/;
const LONG_TRAILERS = /^the trailers of the response are longer than 65536 bytes$/;
const LONG_EXTENSIONS = /^the chunk extensions of the response are longer than 16384 bytes$/;

/** @param {string} text */
function bytesOf(text) {
  return Buffer.from(text, 'latin1');
}

/**
 * Whole, and a byte at a time.
 *
 * @param {string} text
 * @param {RegExp} message
 * @param {boolean} [isHead]
 */
function assertRefused(text, message, isHead) {
  for (const pieces of [[bytesOf(text)], byteByByte(bytesOf(text))]) {
    const reading = readAnswer(pieces, isHead);
    assert.equal(reading.outcome, 'refused', JSON.stringify(text.slice(0, 200)));
    assert.match(reading.message, message, JSON.stringify(text.slice(0, 200)));
  }
}

/**
 * @param {string} text
 * @param {boolean} [isHead]
 */
function readWhole(text, isHead) {
  const reading = readAnswer(text, isHead);
  assert.deepEqual(readAnswer(byteByByte(bytesOf(text)), isHead), reading, JSON.stringify(text.slice(0, 200)));
  assert.equal(reading.outcome, 'complete', `${JSON.stringify(text.slice(0, 200))}: ${reading.message}`);
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

describe('the status line', () => {
  for (const [line, status] of /** @type {[string, number][]} */ ([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.0 200 OK', 200],
    ['HTTP/1.1 404 ', 404],
    ['HTTP/1.1 503', 503],
    ['HTTP/1.1 999 No\tsuch \xe9 thing', 999],
  ])) {
    test(`${JSON.stringify(line)} says ${status}`, () => {
      assert.equal(readWhole(`${line}\r\nContent-Length: 0\r\n\r\n`).status, status);
    });
  }

  for (const line of [
    ...['http/1.1 200 OK', 'HTTP/2 200', 'HTTP/1.2 200 OK', 'HTTP/2.0 200 OK', 'HTTP/1.1  200 OK', 'HTTP/1.1\t200 OK'],
    ...[
      'HTTP/1.1 099 OK',
      'HTTP/1.1 20 OK',
      'HTTP/1.1 -20 OK',
      'HTTP/1.1 2x0 OK',
      'ICY 200 OK',
      'SSH-2.0-x',
      '\r\nHTTP/1.1',
    ],
    ...[' HTTP/1.1 200 OK', '\x15\x03\x01\0', 'HTTP/1.1 20\n'],
  ]) {
    test(`${JSON.stringify(line)} is refused`, () => {
      assertRefused(`${line}\r\nContent-Length: 0\r\n\r\n`, NOT_HTTP);
    });
  }

  for (const [line, what] of [
    ['HTTP/1.1 2000 OK', 'the byte 0x30'],
    ['HTTP/1.1 200\tOK', 'the byte 0x09'],
    ['HTTP/1.1 200 O\0K', 'the byte 0x00'],
    ['HTTP/1.1 200 O\x7fK', 'the byte 0x7f'],
    ['HTTP/1.1 200 O\rK', 'a carriage return'],
    ['HTTP/1.1 200\n', 'a line feed without a carriage return'],
    ['HTTP/1.1 200 OK\n', 'a line feed without a carriage return'],
    ['HTTP/1.1 200 OK\r', 'a carriage return'],
  ]) {
    test(`${JSON.stringify(line)} is refused by the byte that is wrong`, () => {
      assertRefused(
        `${line}\r\nContent-Length: 0\r\n\r\n`,
        new RegExp(`^the status line of the response contains ${what}$`),
      );
    });
  }

  test('what is not HTTP is refused at its first wrong byte, and not before', () => {
    const start = 'HTTP/1.1 200';
    for (let place = 0; place < start.length; place++) {
      for (const pieces of [(/** @type {Buffer} */ bytes) => [bytes], byteByByte]) {
        const wrong = readAnswer(pieces(bytesOf(`${start.slice(0, place)}~`)));
        assert.match(wrong.message, NOT_HTTP, `at ${place}`);
        assert.equal(readAnswer(pieces(bytesOf(start.slice(0, place)))).outcome, 'incomplete', `at ${place}`);
      }
    }
  });
});

describe('headers', () => {
  test('are handed over one after the other, as they are written, without the blanks around their values', () => {
    const { headers, body, contentLength, status } = readWhole(
      `${OK}ETag: "a b"\r\nx-EMPTY:\r\nBlank: \t \r\nTab:\t"1"\t \r\nX: \xff\r\nX: y:z\r\ncONTENT-lENGTH:2\r\n\r\nhi`,
    );
    assert.deepEqual(headers, [
      ...['ETag', '"a b"', 'x-EMPTY', '', 'Blank', '', 'Tab', '"1"', 'X', '\xff', 'X', 'y:z', 'cONTENT-lENGTH', '2'],
    ]);
    assert.deepEqual({ body, contentLength, status }, { body: 'hi', contentLength: 2, status: 200 });
  });

  test('come with the status, before the head is told complete, and the body after it', () => {
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

  test('may have any byte of a token in their names', () => {
    const name = "!#$%&'*+-.^_`|~0123456789abcXYZ";
    assert.deepEqual(readWhole(`${OK}${name}: x\r\n\r\n`).headers, [name, 'x']);
  });

  test('with any other byte in their names are refused', () => {
    const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z:]/;
    for (let byte = 0; byte < 256; byte++) {
      const character = String.fromCharCode(byte);
      if (!token.test(character)) {
        assertRefused(
          `${OK}X${character}Y: z\r\n\r\n`,
          byte === 0x0a
            ? /^the name of a header of the response contains a line feed without a carriage return$/
            : new RegExp(
                `^the name of a header of the response contains the byte 0x${byte.toString(16).padStart(2, '0')}$`,
              ),
        );
      }
    }
  });

  test('with a control byte in their values are refused', () => {
    for (const byte of [...Array(32).keys(), 0x7f].filter((one) => ![0x09, 0x0a, 0x0d].includes(one))) {
      assertRefused(
        `${OK}X: a${String.fromCharCode(byte)}b\r\n\r\n`,
        new RegExp(`^a header of the response contains the byte 0x${byte.toString(16).padStart(2, '0')}$`),
      );
    }
  });

  for (const [what, lines, message] of /** @type {[string, string, RegExp][]} */ ([
    ['folded with a space', 'X: a\r\n b\r\n', FOLDED],
    ['folded with a tab', 'X: a\r\n\tb\r\n', FOLDED],
    ['folded before there is any', ' X: a\r\n', FOLDED],
    ['without a name', ': a\r\n', NO_NAME],
    ['without a colon', 'no colon\r\n', /^the name of a header of the response contains the byte 0x20$/],
    ['with nothing but a name', 'name\r\n', /^the name of a header of the response contains the byte 0x0d$/],
    ['with a blank behind the name', 'X : a\r\n', /^the name of a header of the response contains the byte 0x20$/],
    ['with a bare carriage return', 'X: a\rb\r\n', /^a header of the response contains a carriage return$/],
    ['with two carriage returns', 'X: a\r\r\n', /^a header of the response contains a carriage return$/],
    ['with a bare line feed', 'X: a\n', /^a header of the response contains a line feed without a carriage return$/],
    ['ended by a bare line feed', '\n', /^the name of a header of the response contains a line feed/],
    ['ended by two carriage returns', '\r\r\n', /^the head of the response contains a carriage return$/],
  ])) {
    test(`${what} are refused`, () => assertRefused(`${OK}${lines}Content-Length: 0\r\n\r\n`, message));
  }

  test('are told apart by their whole names', () => {
    assert.equal(isNamed(bytesOf('xContent-LENGTHx'), 1, 15, 'content-length'), true);
    assert.equal(isNamed(bytesOf('content-lengt'), 0, 13, 'content-length'), false);
    assert.equal(isNamed(bytesOf('content_length'), 0, 14, 'content-length'), false);
    const { body } = readWhole(`${OK}Content_Length: 1\r\nXontent-Length: 2\r\nTransfer_Encoding: x\r\n\r\nhello`);
    assert.equal(body, 'hello');
  });

  test('of up to 64 KiB are taken', () => {
    assert.equal(readWhole(paddedTo(`${OK}Content-Length: 0\r\n`, 64 * KIB)).end, 64 * KIB);
    const many = `${OK}Content-Length: 0\r\n${'X: y\r\n'.repeat(10_000)}`;
    assert.equal(readWhole(paddedTo(many, 64 * KIB)).headers.length, 2 * 10_002);
  });

  test('of a byte more than 64 KiB are refused', () => {
    assertRefused(paddedTo(`${OK}Content-Length: 0\r\n`, 64 * KIB + 1), LONG_HEAD);
  });

  test('that have no end are refused, as lines and as one line', () => {
    assertRefused(`${OK}${'X: y\r\n'.repeat(11_000)}`, LONG_HEAD);
    for (const start of ['HTTP/1.1 200 ', `${OK}X: `, OK]) {
      assertRefused(`${start}${'x'.repeat(64 * KIB)}`, LONG_HEAD);
    }
  });

  test('of each answer 1xx may be as long, and leave the same room to the next', () => {
    const hints = paddedTo('HTTP/1.1 103 Hints\r\n', 60 * KIB);
    assert.equal(readWhole(`${hints}${hints}${paddedTo(`${OK}Content-Length: 0\r\n`, 60 * KIB)}`).status, 200);
  });
});

describe('a Content-Length', () => {
  test('is the length of the body, and what comes after it is left', () => {
    const { body, end, endedByClose } = readWhole(`${HELLO}HTTP/1.1`);
    assert.deepEqual({ body, end, endedByClose }, { body: 'hello', end: HELLO.length, endedByClose: false });
  });

  test('of 0 ends the answer with its head', () => {
    const { body, end, contentLength } = readWhole(`${OK}Content-Length: 0\r\n\r\nX`);
    assert.deepEqual({ body, end, contentLength }, { body: '', end: OK.length + 21, contentLength: 0 });
  });

  test('that the connection does not live up to leaves the answer incomplete', () => {
    assert.equal(readAnswer(HELLO.slice(0, -1)).outcome, 'incomplete');
  });

  test('of as many digits as a number holds exactly is told', () => {
    const { contentLength, outcome } = readAnswer(`${OK}Content-Length: 999999999999999\r\n\r\n`);
    assert.deepEqual({ contentLength, outcome }, { contentLength: 999999999999999, outcome: 'incomplete' });
  });

  for (const value of [
    ...['', '-5', '+5', '0x5', '1e1', '5 5', '5,5', '5, 5', '5.0', '5;', '"5"', '\xb2', 'five', '\xa05'],
    ...['9999999999999999', '18446744073709551621'],
  ]) {
    test(`of ${JSON.stringify(value)} is refused`, () => {
      assertRefused(`${OK}Content-Length: ${value}\r\n\r\nhello`, BAD_LENGTH);
    });
  }

  test('that is given twice is refused, even where both are the same', () => {
    assertRefused(`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, TWO_LENGTHS);
    assertRefused(`${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, TWO_LENGTHS);
    assertRefused(`${OK}Content-Length: 0\r\nETag: x\r\ncontent-length: 0\r\n\r\n`, TWO_LENGTHS);
  });

  test('besides chunks is refused, in either order, and even where there is no body', () => {
    const [length, chunked] = ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n'];
    assertRefused(`${OK}${length}${chunked}\r\n0\r\n\r\n`, LENGTH_AND_CHUNKED);
    assertRefused(`${OK}${chunked}${length}\r\n0\r\n\r\n`, LENGTH_AND_CHUNKED);
    assertRefused(`${OK}${chunked}Content-Length: 0\r\n\r\n0\r\n\r\n`, LENGTH_AND_CHUNKED);
    assertRefused(`${OK}${chunked}${length}\r\n`, LENGTH_AND_CHUNKED, true);
    assertRefused(`HTTP/1.1 304 Same\r\n${chunked}${length}\r\n`, LENGTH_AND_CHUNKED);
    assertRefused(`HTTP/1.1 103 Hints\r\n${chunked}${length}\r\n`, LENGTH_AND_CHUNKED);
  });
});

describe('chunks', () => {
  test('make up the body, whatever their extensions and trailers say', () => {
    const chunks = '5;a=b;c="d e"\r\nhello\r\n00A\r\n 0123\r\n678\r\n0;last\r\nContent-Length: 7\r\nETag: "no"\r\n\r\n';
    const { body, end, headers, contentLength } = readWhole(`${CHUNKED}${chunks}X`);
    assert.deepEqual({ body, contentLength }, { body: 'hello 0123\r\n678', contentLength: -1 });
    assert.deepEqual(headers, ['Transfer-Encoding', 'chunked']);
    assert.equal(end, CHUNKED.length + chunks.length);
  });

  test('may be none', () => assert.equal(readWhole(`${CHUNKED}0\r\n\r\n`).body, ''));

  test('may be announced in letters of any case', () => {
    assert.equal(readWhole(`${OK}TRANSFER-encoding:\tChUnKeD \r\n\r\n1\r\nx\r\n0\r\n\r\n`).body, 'x');
  });

  test('may be as large as a number holds exactly', () => {
    const { body, outcome } = readAnswer(`${CHUNKED}fffffffffffff\r\nhello`);
    assert.deepEqual({ body, outcome }, { body: 'hello', outcome: 'incomplete' });
  });

  test('that the connection cuts off leave the answer incomplete', () => {
    const whole = `${CHUNKED}5;a\r\nhello\r\n0\r\nX: y\r\n\r\n`;
    for (let length = 0; length < whole.length; length++) {
      assert.equal(readAnswer(whole.slice(0, length)).outcome, 'incomplete', JSON.stringify(whole.slice(0, length)));
    }
  });

  for (const size of [
    ...['', '0x3', ' 3', '-3', '+3', 'g', '\t3', ';a', '"3"', '_', '\xb3', 'fffffffffffffff', '10000000000000003'],
    ...['00000000000003'],
  ]) {
    test(`of the size ${JSON.stringify(size)} are refused`, () => {
      assertRefused(
        `${CHUNKED}${size}\r\nabc\r\n0\r\n\r\n`,
        size === '0x3' ? /^the size of a chunk of the response contains the byte 0x78$/ : BAD_SIZE,
      );
    });
  }

  for (const [size, what] of [
    ...[
      ['3 ', 'the byte 0x20'],
      ['3\t', 'the byte 0x09'],
      ['1_0', 'the byte 0x5f'],
      ['3,3', 'the byte 0x2c'],
    ],
    ...[
      ['3 ;a', 'the byte 0x20'],
      ['3;\0', 'the byte 0x00'],
      ['3;a\rb', 'a carriage return'],
      ['3\r', 'a carriage return'],
    ],
    ...[
      ['3\n', 'a line feed without a carriage return'],
      ['3;a\n', 'a line feed without a carriage return'],
    ],
  ]) {
    test(`of the size ${JSON.stringify(size)} are refused by the byte that is wrong`, () => {
      assertRefused(
        `${CHUNKED}${size}\r\nabc\r\n0\r\n\r\n`,
        new RegExp(`^the size of a chunk of the response contains ${what}$`),
      );
    });
  }

  test('that are longer than their size, or end otherwise, are refused', () => {
    assertRefused(`${CHUNKED}3\r\nabcd\r\n0\r\n\r\n`, LONG_CHUNK);
    assertRefused(`${CHUNKED}3\r\nabc\n0\r\n\r\n`, LONG_CHUNK);
    assertRefused(`${CHUNKED}3\r\nabc0\r\n\r\n`, LONG_CHUNK);
    assertRefused(`${CHUNKED}3\r\nabc\r0\r\n\r\n`, /^a chunk of the response contains a carriage return$/);
  });

  test('in HTTP/1.0 are refused', () => {
    const answer = 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    assertRefused(answer, /^the response is chunked although it is HTTP\/1\.0$/);
  });

  for (const value of [
    ...[
      '',
      'identity',
      'gzip',
      'gzip, chunked',
      'chunked, identity',
      'chunked, chunked',
      'chunked,',
      ',chunked',
      'xchunked',
    ],
    ...['chunked;q=1', '"chunked"', 'chunked chunked', '\xa0chunked', 'chun\tked'],
  ]) {
    test(`besides the Transfer-Encoding ${JSON.stringify(value)} are refused`, () => {
      assertRefused(`${OK}Transfer-Encoding: ${value}\r\n\r\n0\r\n\r\n`, BAD_ENCODING);
    });
  }

  test('that are announced twice are refused', () => {
    const line = 'Transfer-Encoding: chunked\r\n';
    assertRefused(`${OK}${line}${line}\r\n0\r\n\r\n`, BAD_ENCODING);
    assertRefused(`${OK}${line}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n`, BAD_ENCODING);
  });

  test('with extensions of 16 KiB in all are taken', () => {
    const chunk = `1;${'x'.repeat(8 * KIB - 1)}\r\na\r\n`;
    assert.equal(readAnswer(`${CHUNKED}${chunk}${chunk}0\r\n\r\n`).body, 'aa');
  });

  test('with extensions of 16 KiB in all are taken wherever they are cut', () => {
    const chunk = `1;${'x'.repeat(8 * KIB - 1)}\r\na\r\n`;
    assert.equal(readWhole(`${CHUNKED}${chunk}${chunk}0\r\n\r\n`).body, 'aa');
  });

  test('with extensions of a byte more are refused', () => {
    const chunk = `1;${'x'.repeat(8 * KIB - 1)}\r\na\r\n`;
    assertRefused(`${CHUNKED}${chunk}1;${'x'.repeat(8 * KIB)}\r\na\r\n0\r\n\r\n`, LONG_EXTENSIONS);
    assertRefused(`${CHUNKED}${chunk}${chunk}0;\r\n\r\n`, LONG_EXTENSIONS);
  });

  test('with an extension that has no end are refused', () => {
    assertRefused(`${CHUNKED}1;${'x'.repeat(17 * KIB)}`, LONG_EXTENSIONS);
  });

  test('with extensions that come again and again are refused', () => {
    assert.match(readAnswer(`${CHUNKED}${'1;xx\r\na\r\n'.repeat(6000)}`).message, LONG_EXTENSIONS);
  });

  test('with extensions that come again and again are refused wherever they are cut', () => {
    assertRefused(`${CHUNKED}${'1;xx\r\na\r\n'.repeat(6000)}`, LONG_EXTENSIONS);
  });

  test('whose end does not come are refused as such, not as a head', () => {
    assertRefused(`${CHUNKED}1\r\na\r${'x'.repeat(17 * KIB)}`, /^a chunk of the response contains a carriage return$/);
  });

  test('may be any number where they have no extensions', () => {
    assert.equal(readWhole(`${CHUNKED}${'1\r\na\r\n'.repeat(20_000)}0\r\n\r\n`).body.length, 20_000);
  });

  test('with trailers of 64 KiB are taken, even after a head as long', () => {
    const head = paddedTo(`${OK}Transfer-Encoding: chunked\r\n`, 64 * KIB);
    assert.equal(readWhole(`${head}1\r\na\r\n0\r\n${paddedTo('', 64 * KIB)}`).body, 'a');
  });

  test('with trailers of a byte more are refused', () => {
    assertRefused(`${CHUNKED}0\r\n${paddedTo('', 64 * KIB + 1)}`, LONG_TRAILERS);
  });

  test('with trailers that have no end are refused, as lines and as one line', () => {
    assertRefused(`${CHUNKED}0\r\n${'X: y\r\n'.repeat(11_000)}`, LONG_TRAILERS);
    assertRefused(`${CHUNKED}0\r\nX: ${'x'.repeat(64 * KIB)}`, LONG_TRAILERS);
  });

  test('with trailers that are no headers are refused', () => {
    assertRefused(`${CHUNKED}0\r\n folded\r\n\r\n`, FOLDED);
    assertRefused(`${CHUNKED}0\r\nX : y\r\n\r\n`, /^the name of a header of the response contains the byte 0x20$/);
    assertRefused(`${CHUNKED}0\r\nX: y\n\r\n`, /^a header of the response contains a line feed/);
    assertRefused(`${CHUNKED}0\r\n\n`, /^the name of a header of the response contains a line feed/);
  });

  test('that are longer than their size are refused at once, before a line ends', () => {
    assertRefused(`${CHUNKED}3\r\nabcX`, LONG_CHUNK);
  });
});

describe('an answer that does not say how long it is', () => {
  test('ends with the connection', () => {
    const { body, endedByClose, contentLength, isPersistent } = readWhole(`${OK}\r\nhello\r\n0\r\n\r\n`);
    assert.deepEqual(
      { body, endedByClose, contentLength, isPersistent },
      { body: 'hello\r\n0\r\n\r\n', endedByClose: true, contentLength: -1, isPersistent: false },
    );
  });

  test('may be empty', () => assert.equal(readWhole(`${OK}\r\n`).endedByClose, true));

  test('has no end before its head is complete', () => {
    for (let length = 0; length < OK.length + 1; length++) {
      assert.equal(readAnswer(`${OK}\r\n`.slice(0, length)).outcome, 'incomplete');
    }
  });

  test('is not persistent even where it says keep-alive', () => {
    assert.equal(readWhole(`${OK}Connection: keep-alive\r\n\r\nhello`).isPersistent, false);
  });
});

describe('answers of status 1xx', () => {
  const hints =
    'HTTP/1.1 103 Hints\r\nLink: x\r\nContent-Length: 9\r\nConnection: close\r\nKeep-Alive: timeout=1\r\n\r\n';

  test('are read over, and leave nothing behind', () => {
    const { status, headers, body, isPersistent, keepAliveTimeout, end } = readWhole(`${hints}${HELLO}`);
    assert.deepEqual(
      { status, headers, body, isPersistent, keepAliveTimeout, end },
      {
        status: 200,
        headers: ['Content-Length', '5'],
        body: 'hello',
        isPersistent: true,
        keepAliveTimeout: Infinity,
        end: hints.length + HELLO.length,
      },
    );
    assert.equal(readWhole(`HTTP/1.1 102 X\r\nTransfer-Encoding: chunked\r\n\r\n${HELLO}`).body, 'hello');
    assert.equal(readWhole(`HTTP/1.0 100 X\r\n\r\n${HELLO}`).isPersistent, true);
  });

  test('may come sixteen times, and no more', () => {
    assert.equal(readWhole(`${hints.repeat(16)}${HELLO}`).body, 'hello');
    const tooMany = /^more than 16 1xx responses came before the final one$/;
    assertRefused(`${hints.repeat(17)}${HELLO}`, tooMany);
    assertRefused(hints.repeat(17), tooMany);
  });

  test('are counted anew for each answer', () => {
    const reader = new ParserReader();
    for (let answer = 0; answer < 3; answer++) {
      reader.begin();
      assert.equal(reader.read([bytesOf(`${hints.repeat(16)}${HELLO}`)]).outcome, 'complete');
    }
  });

  test('that switch to another protocol are refused', () => {
    const switches = /^the response switches to a protocol that was not requested$/;
    assertRefused('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n', switches);
    assertRefused(`HTTP/1.1 101 X\r\n\r\n${HELLO}`, switches);
  });

  test('are no answer where nothing comes after them', () => {
    assert.equal(readAnswer(hints).outcome, 'incomplete');
  });

  test('that cannot be read are refused like any other', () => {
    assertRefused(`HTTP/1.1 103 X\r\nContent-Length: x\r\n\r\n${HELLO}`, BAD_LENGTH);
    assertRefused(`HTTP/1.1 103 X\r\n folded\r\n\r\n${HELLO}`, FOLDED);
  });
});

describe('an answer without a body whatever it says', () => {
  for (const [what, statusLine, isHead] of /** @type {[string, string, boolean][]} */ ([
    ['to a HEAD', 'HTTP/1.1 200 OK', true],
    ['to a HEAD of status 404', 'HTTP/1.1 404 No', true],
    ['of status 204', 'HTTP/1.1 204 No', false],
    ['of status 304', 'HTTP/1.1 304 Same', false],
  ])) {
    for (const field of ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', '']) {
      test(`${what} with ${JSON.stringify(field)} ends with its head, and is persistent`, () => {
        const head = `${statusLine}\r\n${field}\r\n`;
        const { body, end, contentLength, isPersistent, endedByClose } = readWhole(`${head}hello`, isHead);
        assert.deepEqual(
          { body, end, contentLength, isPersistent, endedByClose },
          {
            body: '',
            end: head.length,
            contentLength: field.startsWith('C') ? 5 : -1,
            isPersistent: true,
            endedByClose: false,
          },
        );
      });
    }
  }

  test('is none of status 205, or the next one after a HEAD', () => {
    assert.equal(readWhole('HTTP/1.1 205 X\r\nContent-Length: 5\r\n\r\nhello').body, 'hello');
    const reader = new ParserReader();
    reader.begin(true);
    assert.equal(reader.read([bytesOf(HELLO)]).body, '');
    reader.begin(false);
    assert.equal(reader.read([bytesOf(HELLO)]).body, 'hello');
  });
});

describe('a connection after an answer', () => {
  for (const [version, line, isPersistent] of /** @type {[string, string, boolean][]} */ ([
    ['1.1', 'X: y', true],
    ['1.1', 'Connection: keep-alive', true],
    ['1.1', 'Connection: close', false],
    ['1.1', 'CONNECTION:CLOSE', false],
    ['1.1', 'Connection: x, close', false],
    ['1.1', 'Connection: close,x', false],
    ['1.1', 'Connection: x ,\tclose , y', false],
    ['1.1', 'Connection: closed, disclose', true],
    ['1.1', 'Connection: keep-alive, close', false],
    ['1.1', 'Connection: close\r\nConnection: keep-alive', false],
    ['1.1', 'Connection: keep-alive\r\nConnection: close', false],
    ['1.1', 'Konnection: close', true],
    ['1.0', 'X: y', false],
    ['1.0', 'Connection: keep-alive', true],
    ['1.0', 'Connection: Keep-Alive, x', true],
    ['1.0', 'Connection: x\r\nConnection: keep-alive', true],
    ['1.0', 'Connection: keep-alive, close', false],
    ['1.0', 'Connection: xkeep-alive', false],
  ])) {
    test(`of HTTP/${version} with ${JSON.stringify(line)} is ${isPersistent ? '' : 'not '}persistent`, () => {
      assert.equal(
        readWhole(`HTTP/${version} 200 OK\r\n${line}\r\nContent-Length: 0\r\n\r\n`).isPersistent,
        isPersistent,
      );
    });
  }

  for (const [value, timeout] of /** @type {[string, number][]} */ ([
    ['timeout=5', 5000],
    ['timeout=5, max=100', 5000],
    ['max=100,TIMEOUT=20', 20_000],
    ['max=100 timeout=20', 20_000],
    ['timeout=0', 0],
    ['timeout=999999999', 999_999_999_000],
    ['timeout=9999999999', Infinity],
    ['timeout=-1', Infinity],
    ['timeout=1e9', Infinity],
    ['timeout=5s', Infinity],
    ['timeout=', Infinity],
    ['xtimeout=5', Infinity],
    ['max=5', Infinity],
    ['', Infinity],
  ])) {
    test(`lasts for ${timeout} ms by a Keep-Alive of ${JSON.stringify(value)}`, () => {
      assert.equal(readWhole(`${OK}Keep-Alive: ${value}\r\nContent-Length: 0\r\n\r\n`).keepAliveTimeout, timeout);
    });
  }

  test('lasts as long as one of several headers Keep-Alive says', () => {
    const lines = ['Keep-Alive: timeout=5\r\n', 'Keep-Alive: max=100\r\n'];
    for (const both of [lines, lines.toReversed()]) {
      assert.equal(readWhole(`${OK}${both.join('')}Content-Length: 0\r\n\r\n`).keepAliveTimeout, 5000);
    }
  });

  test('forgets with the next answer what the one before said of it', () => {
    const reader = new ParserReader();
    reader.begin();
    const last = 'HTTP/1.0 200 OK\r\nConnection: close\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n';
    assert.equal(reader.read([bytesOf(last)]).keepAliveTimeout, 5000);
    reader.begin();
    const { isPersistent, keepAliveTimeout } = reader.read([bytesOf(HELLO)]);
    assert.deepEqual({ isPersistent, keepAliveTimeout }, { isPersistent: true, keepAliveTimeout: Infinity });
  });
});

/** One of every kind of line and body. @type {[string, boolean][]} */
const WHOLE_ANSWERS = [
  [`${HELLO}HTTP/1.1 `, false],
  [`HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${HELLO}`, false],
  [`${CHUNKED}5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\nY:\r\n\r\nrest`, false],
  [`HTTP/1.0 200\r\nETag: "0" \r\nKeep-Alive: timeout=5\r\nConnection: keep-alive\r\n\r\nuntil the end`, false],
  ['HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\nETag:\t"0"\r\n\r\n', false],
  [`${OK}Content-Length: 123456789012345\r\n\r\nHTTP/1.1`, true],
];

describe('wherever an answer is cut', () => {
  for (const [text, isHead] of WHOLE_ANSWERS) {
    test(`in two, in three, or into bytes, ${JSON.stringify(text.slice(0, 60))}… is the same`, () => {
      const bytes = bytesOf(text);
      const whole = readAnswer(bytes, isHead);
      assert.equal(whole.outcome, 'complete');
      for (let first = 0; first <= bytes.length; first++) {
        for (let second = first; second <= bytes.length; second++) {
          assert.deepEqual(readAnswer(cutAt(bytes, [first, second]), isHead), whole, `${first}, ${second}`);
        }
      }
      assert.deepEqual(readAnswer(byteByByte(bytes), isHead), whole);
    });
  }

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

describe('a parser that begins anew', () => {
  const FIRST = {
    'a complete answer': HELLO,
    'an answer that was refused': `${OK}Content-Length: 5\r\nContent-Length: 5\r\n`,
    'a refused answer with a line under way': `${OK}Content-Length: 5\r\nConnection: close\r\n: x`,
    'a status line that has not come whole': 'HTTP/1.1 20',
    'a header that has not come whole': `${OK}Content-Length: 7\r\nTransfer-Enc`,
    'a head that has not come whole': `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r`,
    'a body that has not come whole': `${OK}Content-Length: 500\r\n\r\nhello`,
    'a size of a chunk that has not come whole': `${CHUNKED}5;a=b`,
    'a chunk that has not come whole': `${CHUNKED}5\r\nhel`,
    'a chunk without its end': `${CHUNKED}5\r\nhello\r`,
    'trailers that have not come whole': `${CHUNKED}0\r\nX: y\r\nY`,
    'a body until the end of the connection': `${OK}\r\nhello`,
  };
  for (const [what, first] of Object.entries(FIRST)) {
    for (const [manner, cut] of Object.entries({
      whole: (/** @type {Buffer} */ bytes) => [bytes],
      'in bytes': byteByByte,
    })) {
      test(`after ${what}, which came ${manner}, knows nothing of it`, () => {
        const reader = new ParserReader();
        reader.begin(true);
        reader.begin(false);
        assert.equal(reader.hasBegun, false);
        reader.read(cut(bytesOf(first)));
        assert.equal(reader.hasBegun, true);
        for (const [text, isHead] of WHOLE_ANSWERS) {
          for (const next of [[bytesOf(text)], byteByByte(bytesOf(text))]) {
            reader.begin(isHead);
            assert.equal(reader.hasBegun, false);
            assert.deepEqual(reader.read(next), readAnswer(text, isHead));
            reader.begin(false);
            reader.read(cut(bytesOf(first)));
          }
        }
      });
    }
  }

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

/**
 * Answers that are made so that two readers see different ends of them.
 *
 * @type {[string, string, RegExp | string][]} what, the bytes, and why they are refused or what their body is
 */
const SMUGGLED = [
  ['a blank behind Transfer-Encoding', `${OK}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, /contains the byte 0x20/],
  ['a blank before Transfer-Encoding', `${OK}X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, FOLDED],
  ['a vertical tab before chunked', `${OK}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`, /contains the byte 0x0b/],
  ['a form feed behind chunked', `${OK}Transfer-Encoding: chunked\x0c\r\n\r\n0\r\n\r\n`, /contains the byte 0x0c/],
  ['a NUL behind Transfer-Encoding', `${OK}Transfer-Encoding\0: chunked\r\n\r\n0\r\n\r\n`, /contains the byte 0x00/],
  ['chunked that is folded', `${OK}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`, BAD_ENCODING],
  ['chunked, then identity', `${OK}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, BAD_ENCODING],
  ['identity, then chunked', `${OK}Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n`, BAD_ENCODING],
  ['chunked in two lines', `${OK}Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, BAD_ENCODING],
  [
    'a length before chunks',
    `${OK}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX`,
    LENGTH_AND_CHUNKED,
  ],
  [
    'a length after chunks',
    `${OK}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX`,
    LENGTH_AND_CHUNKED,
  ],
  [
    'a length in a value',
    `${OK}X: y\rContent-Length: 5\r\n\r\nhello`,
    /^a header of the response contains a carriage return/,
  ],
  ['a length behind a line feed', `${OK}X: y\nContent-Length: 5\r\n\r\nhello`, /contains a line feed without/],
  ['a length that is folded', `${OK}Content-Length: 1\r\n 5\r\n\r\nhello`, FOLDED],
  ['a length with a sign', `${OK}Content-Length: +5\r\n\r\nhello`, BAD_LENGTH],
  ['a length that is two', `${OK}Content-Length: 5 5\r\n\r\nhello`, BAD_LENGTH],
  ['a length in hexadecimal', `${OK}Content-Length: 0x5\r\n\r\nhello`, BAD_LENGTH],
  ['a length as a list', `${OK}Content-Length: 5, 5\r\n\r\nhello`, BAD_LENGTH],
  ['a length beyond 64 bits', `${OK}Content-Length: 18446744073709551621\r\n\r\nhello`, BAD_LENGTH],
  ['a length with a blank behind its name', `${OK}Content-Length : 5\r\n\r\nhello`, /contains the byte 0x20/],
  ['lengths that differ', `${OK}Content-Length: 5\r\nContent-Length: 0\r\n\r\nhello`, TWO_LENGTHS],
  ['a length with zeros before it', `${OK}Content-Length: 005\r\n\r\nhello`, 'hello'],
  ['a length in the trailers', `${CHUNKED}1\r\nx\r\n0\r\nContent-Length: 5\r\n\r\nhello`, 'x'],
  ['an encoding in the trailers', `${CHUNKED}1\r\nx\r\n0\r\nTransfer-Encoding: gzip\r\n\r\n`, 'x'],
  ['an answer in the body', `${OK}Content-Length: ${HELLO.length}\r\n\r\n${HELLO}`, HELLO],
  ['an answer behind the body', `${HELLO}${HELLO}`, 'hello'],
  ['a body of a 304', `HTTP/1.1 304 Same\r\nContent-Length: 0\r\n\r\n${HELLO}`, ''],
  ['a body of a 204', `HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, ''],
  [
    'a size in hexadecimal of C',
    `${CHUNKED}0x3\r\nabc\r\n0\r\n\r\n`,
    /^the size of a chunk of the response contains the byte 0x78/,
  ],
  [
    'a size with a blank behind it',
    `${CHUNKED}3 \r\nabc\r\n0\r\n\r\n`,
    /^the size of a chunk of the response contains the byte 0x20/,
  ],
  ['a size with a blank before it', `${CHUNKED} 3\r\nabc\r\n0\r\n\r\n`, BAD_SIZE],
  [
    'a size with an underscore',
    `${CHUNKED}1_0\r\nabc\r\n0\r\n\r\n`,
    /^the size of a chunk of the response contains the byte 0x5f/,
  ],
  ['a size that is empty', `${CHUNKED}\r\nabc\r\n0\r\n\r\n`, BAD_SIZE],
  ['a size that is negative', `${CHUNKED}-3\r\nabc\r\n0\r\n\r\n`, BAD_SIZE],
  ['a size that is negative in 32 bits', `${CHUNKED}ffffffff\r\nabc\r\n0\r\n\r\n`, /^$/],
  ['a size beyond 64 bits', `${CHUNKED}10000000000000003\r\nabc\r\n0\r\n\r\n`, BAD_SIZE],
  [
    'a size behind a line feed',
    `${CHUNKED}3\nabc\r\n0\r\n\r\n`,
    /^the size of a chunk of the response contains a line feed/,
  ],
  [
    'an extension with a line feed',
    `${CHUNKED}3;a\nabc\r\n0\r\n\r\n`,
    /^the size of a chunk of the response contains a line feed/,
  ],
  [
    'an extension with a carriage return',
    `${CHUNKED}3;a\rb\r\nabc\r\n0\r\n\r\n`,
    /^the size of a chunk .* a carriage return/,
  ],
  ['a chunk with a line feed behind it', `${CHUNKED}3\r\nabc\n0\r\n\r\n`, LONG_CHUNK],
  ['a chunk with two bytes behind it', `${CHUNKED}3\r\nabcXX0\r\n\r\n`, LONG_CHUNK],
  ['a last chunk of many zeros', `${CHUNKED}3\r\nabc\r\n0000\r\n\r\n`, 'abc'],
  ['line feeds alone', HELLO.replaceAll('\r\n', '\n'), /^the status line of the response contains a line feed/],
  [
    'line feeds alone in the chunks',
    `${CHUNKED}3\nabc\n0\n\n`,
    /^the size of a chunk of the response contains a line feed/,
  ],
  [
    'carriage returns alone',
    HELLO.replaceAll('\r\n', '\r'),
    /^the status line of the response contains a carriage return/,
  ],
  ['an empty line before the status line', `\r\n${HELLO}`, NOT_HTTP],
  [
    'a header behind the end of the head',
    `${OK}\r\r\nContent-Length: 5\r\n\r\nhello`,
    /^the head of the response contains a carriage/,
  ],
];

describe('made to be misread,', () => {
  for (const [what, text, expected] of SMUGGLED) {
    test(`${what} is ${typeof expected === 'string' ? 'read as it has to be' : 'refused'}, and no more leniently than by others`, async () => {
      const reading = readAnswer(text);
      if (typeof expected === 'string') {
        assert.equal(readWhole(text).body, expected);
      } else {
        assert.notEqual(reading.outcome, 'complete');
        assert.match(reading.message, expected);
        // A line without a line feed has no end.
        assert.match(readAnswer(byteByByte(bytesOf(`${text}\n`))).message, expected);
      }
      await compareReaders([bytesOf(text)], false, blankTally());
    });
  }
});

test('whatever an answer is and wherever it is cut, node:http and undici read what ours accepts, and the same', async () => {
  const tally = blankTally();
  const numRuns = cases(6000);
  await fc.assert(
    fc.asyncProperty(anyPieces, ({ pieces, isHead }) => compareReaders(pieces, isHead, tally)),
    // Always the same cases: what is new in another reader's ways is for the slow test to find, not for a change elsewhere.
    { numRuns, seed: 9112 },
  );
  assert.ok(tally.acceptedAlike > numRuns / 5, JSON.stringify(tally));
  assert.ok(tally.refusedAlike > numRuns / 5, JSON.stringify(tally));
  assert.ok(tally.stricter > numRuns / 100, JSON.stringify(tally));
});
