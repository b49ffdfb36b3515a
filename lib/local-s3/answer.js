import { createHistogram } from 'node:perf_hooks';
import { pass } from './faults.js';
import { OPERATIONS } from './router.js';
import { errorResult } from './xml.js';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { RecordableHistogram } from 'node:perf_hooks'
 * @import { Result } from './operations.js'
 * @import { Operation } from './router.js'
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

/**
 * The activity of an endpoint since it started listening. A request succeeded if a 2xx response was sent completely,
 * even if a fault made the response wrong on purpose (`corrupt`).
 *
 * @typedef {object} Report
 * @property {Record<Operation, { total: number, succeeded: number }>} requests PUT, GET, HEAD and DELETE count requests
 *   for objects only; LIST counts listings, POST batch deletions, BUCKET bucket checks, CREATE, PART, COMPLETE, ABORT
 *   and UPLOADS those of multipart uploads, and OTHER unsupported requests
 * @property {Record<string, number>} statuses completed responses by HTTP status
 * @property {Record<string, number>} faults injected faults by name, except delays
 * @property {number} connections accepted
 * @property {Partial<Record<Operation, TimeSummary>>} answerTimes times of responses sent since the previous report,
 *   from the arrival of the head until the end of the response was handed to the socket
 * @property {Record<string, number>} objects stored objects by bucket
 * @property {Record<string, number>} uploads pending multipart uploads by bucket
 */

/**
 * @typedef {{ count: number, minimum: number, mean: number, p50: number, p90: number, p99: number, p999: number,
 *   maximum: number }} TimeSummary times in ms, accurate to 0.1%; `count` is the number of responses
 */

const MICROSECONDS = 1000;

/** One hour in µs, longer than any benchmark waits for a response. */
const MAX_TIME = 3_600_000_000;

export class Tally {
  #counts = {
    requests: /** @type {Report['requests']} */ (
      Object.fromEntries(OPERATIONS.map((operation) => [operation, { total: 0, succeeded: 0 }]))
    ),
    statuses: /** @type {Report['statuses']} */ ({}),
    faults: /** @type {Report['faults']} */ ({}),
    connections: 0,
  };
  /**
   * Server-side response times, with which a client's latencies can be verified. They are recorded in Node's
   * HdrHistogram, to be independent of the client's histogram.
   *
   * @type {Map<Operation, RecordableHistogram>}
   */
  #times = new Map();

  countConnection() {
    this.#counts.connections++;
  }

  /** @param {Operation} operation */
  countRequest(operation) {
    this.#counts.requests[operation].total++;
  }

  /** @param {string} name */
  countFault(name) {
    increment(this.#counts.faults, name);
  }

  /**
   * @param {Operation} operation
   * @param {number} status
   */
  countAnswer(operation, status) {
    const { requests, statuses } = this.#counts;
    increment(statuses, status);
    if (status >= 200 && status < 300) {
      requests[operation].succeeded++;
    }
  }

  /**
   * @param {Operation} operation
   * @param {number} milliseconds
   */
  recordTime(operation, milliseconds) {
    let histogram = this.#times.get(operation);
    if (histogram === undefined) {
      histogram = createHistogram({ lowest: 1, highest: MAX_TIME, figures: 3 });
      this.#times.set(operation, histogram);
    }
    histogram.record(Math.min(Math.max(Math.round(milliseconds * MICROSECONDS), 1), MAX_TIME));
  }

  /**
   * Also resets the response times.
   *
   * @param {Pick<Report, 'objects' | 'uploads'>} held
   * @returns {Report}
   */
  report(held) {
    const answerTimes = Object.fromEntries([...this.#times].map(([operation, times]) => [operation, summary(times)]));
    this.#times.clear();
    return { ...this.#counts, answerTimes, ...held };
  }
}

/**
 * @param {Partial<Record<string | number, number>>} counts
 * @param {string | number} name
 */
function increment(counts, name) {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** @param {RecordableHistogram} histogram µs */
function summary(histogram) {
  const percentile = (/** @type {number} */ share) => histogram.percentile(share) / MICROSECONDS;
  return {
    count: histogram.count,
    minimum: histogram.min / MICROSECONDS,
    mean: histogram.mean / MICROSECONDS,
    p50: percentile(50),
    p90: percentile(90),
    p99: percentile(99),
    p999: percentile(99.9),
    maximum: histogram.max / MICROSECONDS,
  };
}
