import { counted, rounded } from '../text/figures.js';
import { formatSize } from '../text/units.js';
import { connectionsFor, isInParts, partSizeFor, partsOf } from '../load/operations/multipart.js';

/** @import { Config, MultipartConfig, ObjectsConfig } from '../result/config.js' */

/**
 * @param {{ threads: number }} options
 * @param {Config} config
 * @returns {string[]} how the load differs from what the user asked for
 */
export function noticesOfLoad({ threads }, { objects, load: { threads: used, multipart } }) {
  return [
    ...(threads > objects.count && used < threads
      ? [`${threads} threads are more than ${rounded(objects.count)} objects need; using ${used}`]
      : []),
    ...(isInParts(objects.size, multipart) ? [partsNotice(objects, used, multipart)] : []),
  ];
}

/**
 * @param {ObjectsConfig} objects
 * @param {number} threads
 * @param {MultipartConfig} multipart
 */
function partsNotice({ size, sizes }, threads, multipart) {
  const partSize = partSizeFor(size, multipart.partSize);
  const parts = counted(partsOf(size, partSize), 'part');
  const connections = connectionsFor({ threads, multipart });
  const which = sizes === undefined ? 'Objects' : 'The largest objects';
  return `${which} are written in ${parts} of up to ${formatSize(partSize)}, ${multipart.partThreads} at a time: ${counted(connections, 'connection')} for ${counted(threads, 'thread')}`;
}
