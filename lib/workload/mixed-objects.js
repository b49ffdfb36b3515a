import { ChangeLog, changeMemory } from './change-log.js';
import { ObjectVersions, isRemoval, stateOf, versionMemory } from './object-versions.js';
import { VersionEtags, etagMemory } from './version-etags.js';
import { WritePauses, pauseMemory } from './write-pauses.js';

/** @import { WrittenObjects } from './written-objects.js' */

/**
 * Memory shared by all workers: 40 bytes per object, 4 more if objects are copied, and 4 more, plus 84 MB for the
 * changes, if a cache may serve old versions. WrittenObjects takes another 4.
 *
 * @typedef {object} MixedMemory
 * @property {number} objects
 * @property {SharedArrayBuffer} versions
 * @property {SharedArrayBuffer} etags
 * @property {SharedArrayBuffer} pauses
 * @property {SharedArrayBuffer | null} copyPauses null if nothing is copied
 * @property {SharedArrayBuffer | null} changes null if no cache can serve old versions
 */

/** At 48 bytes per object, they take 1.2 GB. */
export const MAX_MIXED_OBJECTS = 25_000_000;

/**
 * @param {number} objects
 * @param {boolean} copies whether objects are copied
 * @param {boolean} [readsCache] whether a cache may serve old versions
 * @returns {MixedMemory}
 */
export function mixedMemory(objects, copies, readsCache = false) {
  return {
    objects,
    versions: versionMemory(objects),
    etags: etagMemory(objects),
    pauses: pauseMemory(objects),
    copyPauses: copies ? pauseMemory(objects) : null,
    changes: readsCache ? changeMemory(objects) : null,
  };
}

/** State of this host's objects in a run that overwrites them, by localIndex. */
export class MixedObjects {
  /** @param {MixedMemory} memory */
  constructor({ objects, versions, etags, pauses, copyPauses, changes }) {
    this.versions = new ObjectVersions(versions, objects, changes === null ? undefined : Infinity);
    this.etags = new VersionEtags(etags);
    this.pauses = new WritePauses(pauses);
    this.copyPauses = copyPauses === null ? null : new WritePauses(copyPauses);
    /** null if no cache can serve old versions. */
    this.changes = changes === null ? null : new ChangeLog(changes, objects);
  }

  /**
   * Records that the store confirmed a change.
   *
   * @param {number} object
   * @param {number} state that it produced
   * @param {number} now ms since an origin shared by all workers
   */
  acknowledge(object, state, now) {
    if (this.changes !== null) {
      const own = isRemoval(state) ? null : this.etags.of(object, state);
      if (!this.changes.has(object)) {
        const first = stateOf(0, false);
        this.changes.add(object, first, 0, own?.before ?? this.etags.of(object, first)?.digest ?? 0);
      }
      this.changes.add(object, state, now, own?.digest ?? 0);
    }
    this.versions.acknowledge(object, state);
  }

  /**
   * Call this after stage Write. Objects without a confirmed write start in an unknown state.
   *
   * @param {Pick<WrittenObjects, 'has'>} written
   * @param {number} objects number of objects that should have been written
   */
  begin(written, objects) {
    for (let object = 0; object < objects; object++) {
      if (!written.has(object)) {
        this.versions.setUnknown(object);
      }
    }
  }
}
