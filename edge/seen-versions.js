import { WAY_MS } from '../lib/edge/slice.js';
import { MIN_WRITE_PAUSE_MS } from '../lib/workload/write-pauses.js';

/**
 * In the place of what is known of objects that are written again (MixedObjects), where nobody knows which versions there may be:
 * other invocations change the same objects. It calls nothing wrong, and notes what came for the client to judge.
 */
export class SeenVersions {
  #startedAt;
  /** @type {readonly number[]} */
  #candidates = [];
  /** Versions that all bytes of what was read fit: none where there was no object; null where nothing told. @type {number[] | null} */
  fitting = null;

  /** @param {number} startedAt epoch ms of the slice */
  constructor(startedAt) {
    this.#startedAt = startedAt;
  }

  versions = this;
  etags = { set() {} };

  /** @param {readonly number[]} candidates what a body may be that does not tell its version, as far as the client knew */
  begin(candidates) {
    this.#candidates = candidates;
    this.fitting = null;
  }

  lowest() {
    return 0;
  }

  highest() {
    return 0;
  }

  /** @returns {number[]} with those that others may have written since */
  candidates() {
    const newest = Math.max(...this.#candidates);
    const changes = Math.ceil((WAY_MS + Date.now() - this.#startedAt) / MIN_WRITE_PAUSE_MS);
    return [...this.#candidates, ...Array.from({ length: changes }, (_, place) => newest + 1 + place)];
  }

  /**
   * @param {number} _object
   * @param {number[]} fitting
   */
  judgeBody(_object, fitting) {
    this.fitting = fitting;
    return { verdict: 'allowed', version: fitting[0] };
  }

  judgeAbsence() {
    this.fitting = [];
    return 'allowed';
  }

  hasMissed() {}

  /** Of the versions that an ETag may be of, too, nothing is known. */
  hasNotes() {
    return true;
  }

  doubt() {}
}
