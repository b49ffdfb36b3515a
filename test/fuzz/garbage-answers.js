import { Readable } from 'node:stream';

/** @import { Socket } from 'node:net' */

/** @typedef {(socket: Socket, request?: string) => void} GarbageAnswer answers one request with garbage */

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/**
 * @param {string | Buffer} bytes
 * @returns {GarbageAnswer} after which the connection stays open
 */
function bytesAndSilence(bytes) {
  return (socket) => socket.write(bytes);
}

/**
 * @param {string | Buffer} bytes
 * @returns {GarbageAnswer} after which the connection is closed
 */
function bytesAndEnd(bytes) {
  return (socket) => socket.end(bytes);
}

/**
 * @param {string} start
 * @param {string} repeated until the client ends the connection
 * @returns {GarbageAnswer}
 */
function endless(start, repeated) {
  return (socket) => {
    const piece = Buffer.from(repeated.repeat(Math.ceil(4096 / repeated.length)));
    const source = Readable.from(
      (function* () {
        yield Buffer.from(start);
        while (!socket.destroyed) {
          yield piece;
        }
      })(),
    );
    source.pipe(socket);
    socket.once('close', () => source.destroy());
  };
}

/**
 * Answers that no client can accept: the attempt fails.
 *
 * @type {Readonly<Record<string, GarbageAnswer>>}
 */
export const UNUSABLE_ANSWERS = Object.freeze({
  'the end of the connection': bytesAndEnd(''),
  // Node cannot reset a connection that it has ended, and would wait for it at its own end for ever.
  'a reset': (socket) => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy()),
  'another protocol': bytesAndSilence('SSH-2.0-OpenSSH_9.6\r\n'),
  'a record of TLS': bytesAndSilence(Buffer.from('15030300020228', 'hex')),
  'half a header': bytesAndEnd(`${OK}ETag: "0`),
  'half a head, then silence': bytesAndSilence(`${OK}Content-Len`),
  'a negative length': bytesAndSilence(`${OK}Content-Length: -1\r\n\r\n`),
  'two lengths': bytesAndSilence(`${OK}Content-Length: 7\r\nContent-Length: 8\r\n\r\n12345678`),
  'headers without end': endless(OK, 'X-Amz-Id: 0123456789\r\n'),
  'a header without end': endless(`${OK}ETag: "`, '0'),
  'preliminary answers without end': endless('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
  'another protocol to switch to': bytesAndSilence(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  ),
});

/**
 * Wrong bodies, which only the answer to a GET can have.
 *
 * @type {Readonly<Record<string, GarbageAnswer>>}
 */
export const UNUSABLE_BODIES = Object.freeze({
  'a body that stops': bytesAndSilence(`${OK}Content-Length: 1000\r\n\r\nshort`),
  'a chunk whose size is no number': bytesAndSilence(`${CHUNKED}xyz\r\nabc\r\n0\r\n\r\n`),
  'a chunk that is longer than declared': bytesAndSilence(`${CHUNKED}3\r\nabcdefgh\r\n0\r\n\r\n`),
  'an extension of a chunk without end': endless(`${CHUNKED}3;x=`, 'y'),
  'a length beside chunks': bytesAndSilence(`${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`),
  'a body without end': endless(`${OK}\r\n`, 'x'),
});

/**
 * Answers that a client may accept, although no store sends them.
 *
 * @type {Readonly<Record<string, GarbageAnswer>>}
 */
export const STRANGE_ANSWERS = Object.freeze({
  'an answer and something after it': bytesAndSilence(`${OK}Content-Length: 0\r\n\r\nwhat is this?`),
  'a header over two lines': bytesAndSilence(`${OK}ETag: "0"\r\n  folded\r\nContent-Length: 0\r\n\r\n`),
  'an answer of HTTP/1.0 until the connection ends': bytesAndEnd('HTTP/1.0 200 OK\r\n\r\nabc'),
  'no content, and a body': bytesAndSilence('HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc'),
  'a redirect to a file': bytesAndSilence(
    'HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n',
  ),
  'an unknown status': bytesAndSilence('HTTP/1.1 799 \u0007\u001b[31m\r\nContent-Length: 0\r\n\r\n'),
  'a refusal that asks to wait for nonsense': bytesAndSilence(
    'HTTP/1.1 503 \r\nRetry-After: -1e99\r\nDate: 32 Nov\r\nContent-Length: 0\r\n\r\n',
  ),
  'a refusal declared as compressed': bytesAndSilence(
    'HTTP/1.1 403 \r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00',
  ),
  'headers that are no text': bytesAndSilence(
    Buffer.from(`${OK}ETag: "\xff\xfe\x80"\r\nDate: \xe9\r\nContent-Length: 0\r\n\r\n`, 'latin1'),
  ),
});
