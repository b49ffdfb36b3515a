import { pass } from './fault-effects.js';
import { errorResult } from './xml.js';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { Result } from './operations.js'
 * @import { Operation } from './router.js'
 * @import { Tally } from './tally.js'
 */

/** Bytes per part of a body that is sent at a limited rate. */
const PART = 64 * 1024;

/** The response to one request. It is counted once it has been sent completely. */
export class Answer {
  #tally;
  #operation;
  #arrivedAt;
  #resource;
  /** Bytes of the body. */
  bytes = 0;
  /** Called once the response has been handed to the socket. @type {(status: number) => void} */
  onEnd = () => {};

  /**
   * @param {ServerResponse} response
   * @param {{ operation: Operation, arrivedAt: number, resource: string, tally: Tally }} context `arrivedAt`: when the
   *   request's head arrived, monotonic ms; `resource`: the path of the request
   */
  constructor(response, { operation, arrivedAt, resource, tally }) {
    this.response = response;
    this.#operation = operation;
    this.#arrivedAt = arrivedAt;
    this.#resource = resource;
    this.#tally = tally;
  }

  /** @param {Result} result */
  send(result) {
    this.begin(result);
    this.end(result.status, result.body);
  }

  /**
   * @param {Result} result
   * @param {(bytes: number) => number} pace see FaultInjector
   */
  async sendAtPace(result, pace) {
    const { status, body = Buffer.alloc(0) } = result;
    this.begin(result);
    // Stop if the client disconnects, so that others can use the bandwidth.
    for (let sent = 0; !this.isAbandoned; sent += PART) {
      const part = body.subarray(sent, sent + PART);
      await pass(pace(part.length));
      if (sent + PART >= body.length) {
        this.end(status, part);
        return;
      }
      this.write(part);
    }
  }

  /** Sends the status and headers. The caller then calls end() or closes the connection. @param {Result} result */
  begin({ status, headers, body }) {
    this.bytes = body?.length ?? 0;
    if (!this.isAbandoned) {
      this.response.writeHead(status, headers);
    }
  }

  /**
   * @param {Buffer} part of the body
   * @param {() => void} [onWritten]
   */
  write(part, onWritten) {
    if (!this.isAbandoned) {
      this.response.write(part, onWritten);
    }
  }

  /**
   * @param {number} status that was sent
   * @param {Buffer} [rest] unsent remainder of the body
   */
  end(status, rest) {
    if (!this.isAbandoned) {
      this.onEnd(status);
      this.#tally.recordTime(this.#operation, performance.now() - this.#arrivedAt);
      this.response.end(rest, () => this.#tally.countAnswer(this.#operation, status));
    }
  }

  /**
   * @param {{ status: number, code: string, message: string, region?: string }} error
   * @param {(string | number)[]} [headers] additional headers
   */
  sendError(error, headers = []) {
    const result = errorResult(error, this.#resource);
    this.send({ ...result, headers: [...headers, ...result.headers] });
  }

  /** Whether the client has disconnected, for example during a delay: a write would then fail. */
  get isAbandoned() {
    return this.response.destroyed;
  }

  /** null once the client has disconnected. */
  get socket() {
    return this.response.socket;
  }
}
