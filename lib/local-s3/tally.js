import { AnswerTimes } from './answer-times.js';
import { OPERATIONS } from './router.js';

/**
 * @import { TimeSummary } from './answer-times.js'
 * @import { Operation } from './router.js'
 *
 * What an endpoint has done since it began to listen. A request succeeded when a 2xx answer was sent to its end, also
 * one that a fault made wrong on purpose (`corrupt`, `wrong-etag`, `wrong-size`).
 *
 * @typedef {object} Report
 * @property {Record<Operation, { total: number, succeeded: number }>} requests PUT, GET, HEAD and DELETE count requests
 *   for objects only; LIST listings, POST batch deletions, BUCKET looks at a bucket, CREATE, PART, COMPLETE, ABORT and
 *   UPLOADS those of multipart uploads, OTHER whatever was refused unknown
 * @property {Record<string, number>} statuses answers sent to their end, by HTTP status
 * @property {Record<string, number>} faults injected faults by name; delays are not counted
 * @property {number} connections accepted
 * @property {Record<string, Partial<Record<Operation, number>>>} bySecond requests that succeeded, by the whole epoch
 *   second in which the answer was sent
 * @property {Partial<Record<Operation, TimeSummary>>} answerTimes how long requests took whose answers were sent since the
 *   report before, from the arrival of the head until the end of the answer was handed to the socket; not in null mode
 * @property {Record<string, number>} objects objects held, by bucket
 * @property {Record<string, number>} uploads multipart uploads that were neither completed nor aborted, by bucket
 */

/** Counts for the report of an endpoint. */
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
   * The times begin anew with it.
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
