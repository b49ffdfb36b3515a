import net from 'node:net';
import tls from 'node:tls';
import { Payload } from '../lib/load/workload/payload.js';

// The program that null-endpoint.js runs in a separate process. It implements only as much of HTTP/1.1 as our clients use, on
// plain sockets, because node:http would use more CPU than everything else.

const HEAD_END = '\r\n\r\n';
const BODY_LENGTH = /\r\ncontent-length: *(\d+)/i;
const OBJECT_KEY = /\/([A-Za-z0-9._-]+)\/[0-9a-f]{8}-(?:probe-)?(\d+)(?:\?|$)/;
const EMPTY = Buffer.alloc(0);
const EMPTY_LIST = Buffer.from('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');

/** The object that marks a run as under way. */
const MARKER = '/-running-';

/** Markers that were removed: all other objects seem to be there. @type {Set<string>} */
const removed = new Set();

/** Thousands of clients may connect at the same moment. */
const BACKLOG = 4096;

/** @type {{ objectSize: number, certificate: { key: string, cert: string } | null, latency: number }} */
const { objectSize, certificate, latency } = JSON.parse(process.argv[2]);
let date = '';
let payload = { runId: '', content: new Payload('') };

process.on('disconnect', () => process.exit(0));
setDate();
setInterval(setDate, 1000);
const server = certificate === null ? net.createServer(serve) : tls.createServer(certificate, serve);
server.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG }, () => process.send?.(server.address()));

function setDate() {
  date = `Date: ${new Date().toUTCString()}\r\n`;
}

/** @param {net.Socket} socket */
function serve(socket) {
  let head = '';
  let pending = /** @type {Buffer} */ (EMPTY);
  let bodyLeft = 0;
  socket.setNoDelay();
  // A client that disconnects is not an error of the endpoint.
  socket.on('error', () => socket.destroy());
  // A relay would take several times as much CPU, because it would read and write all data in both directions.
  socket.on('data', latency === 0 ? accept : (chunk) => setTimeout(accept, latency, chunk));

  /** @param {Buffer} chunk */
  function accept(chunk) {
    let received = chunk.length;
    if (head === '') {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = pending.indexOf(HEAD_END);
      if (end < 0) {
        return;
      }
      head = pending.toString('latin1', 0, end);
      bodyLeft = Number(BODY_LENGTH.exec(head)?.[1] ?? 0);
      received = pending.length - end - HEAD_END.length;
      pending = EMPTY;
    }
    bodyLeft -= received;
    if (bodyLeft === 0) {
      answer(socket, head);
      head = '';
    }
  }
}

/**
 * @param {net.Socket} socket
 * @param {string} head of the request
 */
function answer(socket, head) {
  const [method, url] = head.split(' ', 2);
  const body = method === 'GET' ? bodyOf(url) : [];
  if (method === 'DELETE' && url.includes(MARKER)) {
    removed.add(url);
  }
  const isMissing = (method === 'GET' && body.length === 0) || (method === 'HEAD' && removed.has(url));
  const code = isMissing ? '404 Not Found' : '200 OK';
  const status = method === 'DELETE' ? 'HTTP/1.1 204 No Content\r\n' : `HTTP/1.1 ${code}\r\n${lengthOf(method, body)}`;
  const isLast = /\r\nconnection: *close/i.test(head);
  socket.cork();
  socket.write(`${status}ETag: "0"\r\n${date}${isLast ? 'Connection: close\r\n' : ''}\r\n`, 'latin1');
  body.forEach((part) => socket.write(part));
  socket.uncork();
  if (isLast) {
    socket.end();
  }
}

/**
 * @param {string} method
 * @param {readonly Buffer[]} body
 */
function lengthOf(method, body) {
  const length = method === 'HEAD' ? objectSize : body.reduce((sum, part) => sum + part.length, 0);
  return `Content-Length: ${length}\r\n`;
}

/** @param {string} url */
function bodyOf(url) {
  const [, runId, index] = OBJECT_KEY.exec(url) ?? [];
  if (runId === undefined) {
    // The SDK names the call in the query of an object's URL.
    return url.includes('?') && !url.includes('?x-id=') ? [EMPTY_LIST] : [];
  }
  if (runId !== payload.runId) {
    payload = { runId, content: new Payload(runId) };
  }
  const body = payload.content.body(Number(index), objectSize);
  return Buffer.isBuffer(body) ? [body] : [...body];
}
