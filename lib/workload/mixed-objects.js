import { ObjectVersions, versionMemory } from './object-versions.js';
import { VersionEtags, etagMemory } from './version-etags.js';
import { WritePauses, pauseMemory } from './write-pauses.js';

/** @import { WrittenObjects } from './written-objects.js' */

/**
 * Memory shared by all workers: 40 bytes per object, and 4 more if objects are copied. WrittenObjects adds another 4 in every
 * run, for a total of 44 or 48.
 *
 * @typedef {object} MixedMemory
 * @property {number} objects
 * @property {SharedArrayBuffer} versions
 * @property {SharedArrayBuffer} etags
 * @property {SharedArrayBuffer} pauses
 * @property {SharedArrayBuffer | null} copyPauses null if nothing is copied
 */

/** The largest keyspace of a mixed load: at 48 bytes per object, this takes 1.2 GB. */
export const MAX_MIXED_OBJECTS = 25_000_000;

/**
 * @param {number} objects
 * @param {boolean} copies whether objects are copied
 * @returns {MixedMemory}
 */
export function mixedMemory(objects, copies) {
  return {
    objects,
    versions: versionMemory(objects),
    etags: etagMemory(objects),
    pauses: pauseMemory(objects),
    copyPauses: copies ? pauseMemory(objects) : null,
  };
}

/** State of this host's objects in a run that overwrites them, by localIndex. */
export class MixedObjects {
  /** @param {MixedMemory} memory */
  constructor({ objects, versions, etags, pauses, copyPauses }) {
    this.versions = new ObjectVersions(versions, objects);
    this.etags = new VersionEtags(etags);
    /** For the objects. */
    this.pauses = new WritePauses(pauses);
    /** For their copies. */
    this.copyPauses = copyPauses === null ? null : new WritePauses(copyPauses);
  }

  /**
   * Call this after the initial write. Objects without a known successful write start in an unknown state.
   *
   * @param {Pick<WrittenObjects, 'has'>} written
   * @param {number} objects that should have been written
   */
  begin(written, objects) {
    for (let object = 0; object < objects; object++) {
      if (!written.has(object)) {
        this.versions.setUnknown(object);
      }
    }
  }
}
