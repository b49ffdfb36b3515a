import { WAY_MS } from '../lib/edge/slice.js';
import { MIN_WRITE_PAUSE_MS } from '../lib/workload/write-pauses.js';

/**
 * Replaces MixedObjects in the Worker, which cannot know all versions, because other invocations change the same objects. It
 * rejects nothing, and records what was read for the client to check.
 */
export class SeenVersions {
  #startedAt;
  /** @type {readonly number[]} */
  #candidates = [];
  /** Versions that match all bytes read: empty if there was no object, null if unknown. @type {number[] | null} */
  fitting = null;

  /** @param {number} startedAt epoch ms of the slice */
  constructor(startedAt) {
    this.#startedAt = startedAt;
  }

  versions = this;
  etags = { set() {} };

  /** @param {readonly number[]} candidates versions that the client knows, for a body that does not show its version */
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

  /** @returns {number[]} also the versions that others may have written since */
  candidates() {
    const newest = Math.max(...this.#candidates);
    const changes = Math.ceil((WAY_MS + Date.now() - this.#startedAt) / MIN_WRITE_PAUSE_MS);
    return [...this.#candidates, ...Array.from({ length: changes }, (_, index) => newest + 1 + index)];
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

  /** No versions are known for an ETag either. */
  hasNotes() {
    return true;
  }

  doubt() {}
}
