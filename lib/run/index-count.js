import { writesObjects } from '../operations/registry.js';

/** @import { RunConfig } from '../model/run-config.js' */

/**
 * How many local indices the objects of a run may have. A search over buckets writes as many objects as any other run at most,
 * but all of them may be in one of the buckets, which has no more than every so many-th index.
 *
 * @param {Pick<RunConfig, 'objects' | 'peakOf' | 'stages' | 'store'>} config
 * @returns {number}
 */
export function indexCount({ objects, peakOf, stages, store }) {
  return peakOf === 'buckets' && writesObjects(stages) ? objects * store.buckets.length : objects;
}
