/**
 * `isLast`: the connection closes after the response
 *
 * @typedef {{ method: string, url: string, isLast: boolean }} RequestHead
 */

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD_BYTES = 16 * 1024;
const REQUEST_LINE = /^([A-Z]+) (\/[^ \r\n]*) HTTP\/1\.([01])\r\n/;
const FRAMING = /\r\n(content-length|transfer-encoding|connection):[ \t]*([^\r\n]*)/gi;
const LENGTH = /^[0-9]{1,15}[ \t]*$/;

export class MalformedRequest extends Error {}

/**
 * Reads HTTP/1.1 requests (RFC 9112) from a connection, however its bytes are split into chunks. It does only what is
 * needed to measure a client: bodies must have a Content-Length, and are counted and discarded.
 */
export class RequestReader {
  #onRequest;
  /** The start of an incomplete head. @type {Buffer | null} */
  #pending = null;
  /** The request whose body is arriving. @type {RequestHead | null} */
  #request = null;
  #bodyLeft = 0;

  /** @param {(request: RequestHead) => void} onRequest called when a request and its body are complete */
  constructor(onRequest) {
    this.#onRequest = onRequest;
  }

  /**
   * @param {Buffer} received
   * @throws {MalformedRequest} the connection is unusable afterwards
   */
  accept(received) {
    const chunk = this.#pending === null ? received : Buffer.concat([this.#pending, received]);
    this.#pending = null;
    let position = 0;
    while (position < chunk.length) {
      position = this.#request === null ? this.#acceptHead(chunk, position) : this.#acceptBody(chunk, position);
    }
  }

  /**
   * @param {Buffer} chunk
   * @param {number} start
   * @returns {number} where the rest of the chunk starts
   */
  #acceptHead(chunk, start) {
    const end = chunk.indexOf(HEAD_END, start);
    if ((end < 0 ? chunk.length : end) - start > MAX_HEAD_BYTES) {
      throw new MalformedRequest(`a head of more than ${MAX_HEAD_BYTES} bytes`);
    }
    if (end < 0) {
      this.#pending = chunk.subarray(start);
      return chunk.length;
    }
    const { request, bodyLength } = parseHead(chunk.toString('latin1', start, end + 2));
    if (bodyLength === 0) {
      this.#onRequest(request);
    } else {
      this.#request = request;
      this.#bodyLeft = bodyLength;
    }
    return end + HEAD_END.length;
  }

  /**
   * @param {Buffer} chunk
   * @param {number} start
   */
  #acceptBody(chunk, start) {
    const taken = Math.min(this.#bodyLeft, chunk.length - start);
    this.#bodyLeft -= taken;
    if (this.#bodyLeft === 0 && this.#request !== null) {
      const request = this.#request;
      this.#request = null;
      this.#onRequest(request);
    }
    return start + taken;
  }
}

/** @param {string} head including its last line break */
function parseHead(head) {
  const line = REQUEST_LINE.exec(head);
  if (line === null) {
    throw new MalformedRequest('the first line is not an HTTP/1.1 request line');
  }
  const [, method, url, minorVersion] = line;
  let isLast = minorVersion === '0';
  let bodyLength = 0;
  for (const [, name, value] of head.matchAll(FRAMING)) {
    switch (name.length) {
      case 'content-length'.length:
        bodyLength = parseLength(value);
        break;
      case 'connection'.length:
        isLast ||= value.toLowerCase().includes('close');
        break;
      default:
        throw new MalformedRequest('a body without Content-Length');
    }
  }
  return { request: { method, url, isLast }, bodyLength };
}

/** @param {string} value */
function parseLength(value) {
  if (!LENGTH.test(value)) {
    throw new MalformedRequest('Content-Length is not a number');
  }
  return Number(value);
}
