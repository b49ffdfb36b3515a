import { checkAbsence, checkEtag, mixedOf, refuseVersion } from '../operations/versions.js';
import { VERSION_BYTES } from '../workload/payload.js';

/**
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { SlicedSuccess, SlicedVersions } from './slice.js'
 */

/**
 * The versions of the objects of a slice, while others are under way that change the same objects: the Worker tells which ones
 * came, and which may come is known here alone. See ObjectVersions for the rule. What was known when the slice was sent is less than
 * what was known when its reads were, and what is known at its end is more: so nothing is called wrong that is not, and what the
 * slice itself has changed before a read counts.
 */
export class SliceVersions {
  #records;
  /** By place, the state below which nothing could be read when the slice was sent. */
  #lowest;
  /** What the slice has changed without a doubt: nothing is changed twice in a slice. @type {Map<number, { state: number, finishedAt: number }>} */
  #changed = new Map();

  /** @param {readonly OperationRecord[]} records of operations that are about to be sent */
  constructor(records) {
    this.#records = records;
    this.#lowest = records.map((record) => mixedOf(record).versions.lowest(record.localIndex));
  }

  /** @returns {SlicedVersions} */
  toRequest() {
    return {
      states: this.#records.map(({ operation, state }) => (changes(operation) ? state : 0)),
      candidates: this.#records.map((record, place) => (tellsVersion(record) ? [] : this.#candidates(record, place))),
    };
  }

  /**
   * @param {OperationRecord} record
   * @param {number} place
   */
  #candidates(record, place) {
    const { versions } = mixedOf(record);
    return versions.candidates(record.localIndex, this.#lowest[place], versions.highest(record.localIndex));
  }

  /**
   * To be called for all changes of the slice before any of its reads.
   *
   * @param {OperationRecord} record of a change that the store has acknowledged
   * @param {number} finishedAt ms since the slice began
   */
  changed({ localIndex, state, workload: { mixed } }, finishedAt) {
    if (!mixed?.versions.isDoubtful(localIndex, state)) {
      this.#changed.set(localIndex, { state, finishedAt });
    }
  }

  /**
   * @param {OperationRecord} record of a read
   * @param {SlicedSuccess} success of it
   * @throws {IntegrityError} where it is not of a version that may be read
   */
  check(record, [place, begunAt, , , digest, fitting = null]) {
    const { versions } = mixedOf(record);
    const change = this.#changed.get(record.localIndex);
    // Within a millisecond of the Worker's clock, nobody knows what was first.
    const isBefore = change !== undefined && change.finishedAt < begunAt;
    const lowest = isBefore ? Math.max(this.#lowest[place], change.state) : this.#lowest[place];
    if (fitting === null) {
      checkEtag(record, digest, lowest, 'of the object');
    } else if (fitting.length === 0) {
      checkAbsence(record, lowest);
    } else {
      const judged = versions.judgeBody(record.localIndex, fitting, lowest, versions.highest(record.localIndex));
      refuseVersion(record, judged, lowest, 'what was read');
    }
  }
}

/** @param {OperationRecord['operation']} operation */
export function changes({ creates, removes }) {
  return creates || removes;
}

/**
 * @param {OperationRecord} record
 * @returns {boolean} whether what comes tells its version, if it has bytes at all
 */
function tellsVersion({ operation, size }) {
  return !operation.receives || (operation.part === undefined && size >= VERSION_BYTES);
}
