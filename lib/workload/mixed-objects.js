import { ChangeLog, changeMemory } from './change-log.js';
import { ObjectVersions, isRemoval, stateOf, versionMemory } from './object-versions.js';
import { VersionEtags, etagMemory } from './version-etags.js';
import { WritePauses, pauseMemory } from './write-pauses.js';

/** @import { WrittenObjects } from './written-objects.js' */

/**
 * Memory that all cores share: 40 bytes for each object, and 4 more where objects are copied. With those that every run keeps of its
 * objects (WrittenObjects), these are 44 and 48.
 *
 * @typedef {object} MixedMemory
 * @property {number} objects
 * @property {SharedArrayBuffer} versions
 * @property {SharedArrayBuffer} etags
 * @property {SharedArrayBuffer} pauses
 * @property {SharedArrayBuffer | null} copyPauses null where nothing is copied
 * @property {SharedArrayBuffer | null} changes null where no cache can serve old versions
 */

/** The largest keyspace of a mixed load: 48 bytes for each object are 1.2 GB. */
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

/** What is known of this host's objects in a run that writes them again, by their localIndex. */
export class MixedObjects {
  /** @param {MixedMemory} memory */
  constructor({ objects, versions, etags, pauses, copyPauses, changes }) {
    this.versions = new ObjectVersions(versions, objects, changes === null ? undefined : Infinity);
    this.etags = new VersionEtags(etags);
    /** Of the objects. */
    this.pauses = new WritePauses(pauses);
    /** Of their copies. */
    this.copyPauses = copyPauses === null ? null : new WritePauses(copyPauses);
    /** Of objects that a cache may serve in old versions; null where it cannot. */
    this.changes = changes === null ? null : new ChangeLog(changes, objects);
  }

  /**
   * The store said that a change was carried out.
   *
   * @param {number} object
   * @param {number} state that it made
   * @param {number} now ms since some moment that is the same for all cores
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
   * The objects have been written for the first time: of those that are not known to be there, nothing is known.
   *
   * @param {Pick<WrittenObjects, 'has'>} written
   * @param {number} objects that were to be written
   */
  begin(written, objects) {
    for (let object = 0; object < objects; object++) {
      if (!written.has(object)) {
        this.versions.setUnknown(object);
      }
    }
  }
}
