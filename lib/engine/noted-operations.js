/**
 * @import { Clock } from '../clock/clock.js'
 * @import { NotedOperation } from '../model/result.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 *
 * @typedef {{ slowest: NotedOperation[], failures: NotedOperation[] }} NotedState
 */

const MAX_NOTED = 20;

/** The slowest operations of a stage on one worker, and its last failures: what to ask the store's operator about. */
export class NotedOperations {
  #clock;
  /** ms; an operation that took no longer is not among the slowest. */
  threshold = -1;
  /** The fastest last. @type {NotedOperation[]} */
  #slowest = [];
  /** @type {NotedOperation[]} */
  #failures = [];

  /** @param {Pick<Clock, 'toEpoch'>} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {OperationRecord} record that took longer than the threshold */
  slow(record) {
    const noted = this.#note(record, null);
    const place = this.#slowest.findIndex(({ duration }) => duration < noted.duration);
    this.#slowest.splice(place < 0 ? this.#slowest.length : place, 0, noted);
    this.#slowest.length = Math.min(this.#slowest.length, MAX_NOTED);
    this.threshold = this.#slowest[MAX_NOTED - 1]?.duration ?? -1;
  }

  /**
   * @param {OperationRecord} record
   * @param {string} error its kind
   */
  failed(record, error) {
    this.#failures = [...this.#failures, this.#note(record, error)].slice(-MAX_NOTED);
  }

  /** @returns {NotedState} */
  toState() {
    return { slowest: this.#slowest, failures: this.#failures };
  }

  /**
   * @param {OperationRecord} record
   * @param {string | null} error
   * @returns {NotedOperation}
   */
  #note({ operation, startedAt, finishedAt, attempts, bucket, key, connection: { reply } }, error) {
    const time = Math.round(this.#clock.toEpoch(startedAt));
    const { requestId = null, ray = null } = reply.identify?.() ?? {};
    const status = reply.status || null;
    const duration = finishedAt - startedAt;
    return { time, operation: operation.name, duration, attempts, bucket, key, status, requestId, ray, error };
  }
}

/** @param {readonly NotedOperation[]} operations */
function slowestOf(operations) {
  return operations.toSorted((one, other) => other.duration - one.duration).slice(0, MAX_NOTED);
}

/**
 * @param {readonly NotedState[]} states of the workers
 * @returns {NotedState} of all of them
 */
export function sumOfNoted(states) {
  const failures = states.flatMap((state) => state.failures).sort((one, other) => one.time - other.time);
  return { slowest: slowestOf(states.flatMap((state) => state.slowest)), failures: failures.slice(-MAX_NOTED) };
}
