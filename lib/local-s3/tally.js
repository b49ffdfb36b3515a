import { AnswerTimes } from './answer-times.js';
import { OPERATIONS } from './router.js';

/**
 * @import { TimeSummary } from './answer-times.js'
 * @import { Operation } from './router.js'
 *
 * The activity of an endpoint since it started listening. A request succeeded if a 2xx response was sent completely,
 * even if a fault made the response wrong on purpose (`corrupt`, `wrong-etag`, `wrong-size`).
 *
 * @typedef {object} Report
 * @property {Record<Operation, { total: number, succeeded: number }>} requests PUT, GET, HEAD and DELETE count requests
 *   for objects only; LIST counts listings, POST batch deletions, BUCKET bucket checks, CREATE, PART, COMPLETE, ABORT
 *   and UPLOADS those of multipart uploads, and OTHER unsupported requests
 * @property {Record<string, number>} statuses completed responses by HTTP status
 * @property {Record<string, number>} faults injected faults by name, except delays
 * @property {number} connections accepted
 * @property {Record<string, Partial<Record<Operation, number>>>} bySecond successful requests by the whole epoch second
 *   in which the response was sent
 * @property {Partial<Record<Operation, TimeSummary>>} answerTimes times of responses sent since the previous report,
 *   from the arrival of the head until the end of the response was handed to the socket
 * @property {Record<string, number>} objects stored objects by bucket
 * @property {Record<string, number>} uploads pending multipart uploads by bucket
 */

export class Tally {
  #now;
  #requests = /** @type {Report['requests']} */ (
    Object.fromEntries(OPERATIONS.map((operation) => [operation, { total: 0, succeeded: 0 }]))
  );
  /** @type {Map<number, number>} */
  #statuses = new Map();
  /** @type {Map<string, number>} */
  #faults = new Map();
  /** @type {Map<number, Partial<Record<Operation, number>>>} */
  #seconds = new Map();
  #answerTimes = new AnswerTimes();
  #connections = 0;

  /** @param {() => number} now epoch ms */
  constructor(now) {
    this.#now = now;
  }

  countConnection() {
    this.#connections++;
  }

  /** @param {Operation} operation */
  countRequest(operation) {
    this.#requests[operation].total++;
  }

  /** @param {string} name */
  countFault(name) {
    increment(this.#faults, name);
  }

  /**
   * @param {Operation} operation
   * @param {number} status
   */
  countAnswer(operation, status) {
    increment(this.#statuses, status);
    if (status >= 200 && status < 300) {
      this.#requests[operation].succeeded++;
      const second = Math.floor(this.#now() / 1000);
      let counts = this.#seconds.get(second);
      if (counts === undefined) {
        counts = {};
        this.#seconds.set(second, counts);
      }
      counts[operation] = (counts[operation] ?? 0) + 1;
    }
  }

  /**
   * @param {Operation} operation
   * @param {number} milliseconds
   */
  recordTime(operation, milliseconds) {
    this.#answerTimes.record(operation, milliseconds);
  }

  /**
   * Also resets the response times.
   *
   * @param {Pick<Report, 'objects' | 'uploads'>} held
   * @returns {Report}
   */
  report({ objects, uploads }) {
    return {
      requests: this.#requests,
      statuses: Object.fromEntries(this.#statuses),
      faults: Object.fromEntries(this.#faults),
      connections: this.#connections,
      bySecond: Object.fromEntries(this.#seconds),
      answerTimes: this.#answerTimes.take(),
      objects,
      uploads,
    };
  }
}

/**
 * @template T
 * @param {Map<T, number>} counts
 * @param {T} name
 */
function increment(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
