import { checkAbsence, checkEtag, mixedOf, refuseVersion } from '../operations/versions.js';
import { VERSION_BYTES } from '../workload/payload.js';

/**
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { SlicedSuccess, SlicedVersions } from './slice.js'
 */

/**
 * Checks the versions that a slice read while other slices changed the same objects. The Worker reports which versions
 * it read; only the client knows which versions are allowed (see ObjectVersions for the rule). The lower bound is
 * determined when the slice is sent, and the upper bound when it has ended, so that no correct read is rejected. The
 * slice's own changes before a read raise the lower bound.
 */
export class SliceVersions {
  #records;
  /** For each operation, the lowest state that could be read when the slice was sent. */
  #lowest;
  /** By local index. A slice changes no object twice. @type {Map<number, { state: number, finishedAt: number }>} */
  #changed = new Map();

  /** @param {readonly OperationRecord[]} records of operations about to be sent */
  constructor(records) {
    this.#records = records;
    this.#lowest = records.map((record) => mixedOf(record).versions.lowest(record.localIndex));
  }

  /** @returns {SlicedVersions} */
  toRequest() {
    return {
      states: this.#records.map(({ operation, state }) => (changes(operation) ? state : 0)),
      candidates: this.#records.map((record, index) =>
        identifiesVersion(record) ? [] : this.#candidates(record, index),
      ),
    };
  }

  /**
   * @param {OperationRecord} record
   * @param {number} index
   */
  #candidates(record, index) {
    const { versions } = mixedOf(record);
    return versions.candidates(record.localIndex, this.#lowest[index], versions.highest(record.localIndex));
  }

  /**
   * Must be called for all changes of the slice before its reads are checked.
   *
   * @param {OperationRecord} record of a change that the store acknowledged
   * @param {number} finishedAt ms since the slice began
   */
  changed({ localIndex, state, workload: { mixed } }, finishedAt) {
    if (!mixed?.versions.isDoubtful(localIndex, state)) {
      this.#changed.set(localIndex, { state, finishedAt });
    }
  }

  /**
   * @param {OperationRecord} record of a read
   * @param {SlicedSuccess} success
   * @throws {IntegrityError} if the read version is not allowed
   */
  check(record, [index, begunAt, , , digest, fitting = null]) {
    const { versions } = mixedOf(record);
    const change = this.#changed.get(record.localIndex);
    // Within one millisecond of the Worker's clock, the order is unknown.
    const isBefore = change !== undefined && change.finishedAt < begunAt;
    const lowest = isBefore ? Math.max(this.#lowest[index], change.state) : this.#lowest[index];
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

/** Whether a response shows the version of an object that exists. @param {OperationRecord} record */
function identifiesVersion({ operation, size }) {
  return !operation.receives || (operation.part === undefined && size >= VERSION_BYTES);
}
