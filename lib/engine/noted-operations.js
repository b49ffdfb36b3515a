import { MAX_NOTED } from '../model/records.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { NotedOperation } from '../model/result.js'
 * @import { StageRecord } from '../model/records.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 */

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

  /** @returns {Pick<StageRecord, 'slowest' | 'failures'>} */
  toRecord() {
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
