import { CSV_HEAD, csvLine, csvRows } from './seconds.js';

/** @import { Result } from '../../../model/result.js' */

/**
 * Offers the data of the page as downloads. A click creates the file.
 *
 * @param {string} json of the result
 * @param {Result} result
 */
export function offerDownloads(json, result) {
  offer('download-json', 'application/json', () => [json]);
  const isDated = result.merge?.isDated ?? true;
  offer('download-csv', 'text/csv', () => [CSV_HEAD, ...[...csvRows(result)].map((row) => csvLine(row, isDated))]);
}

/**
 * @param {string} id of a link
 * @param {string} type
 * @param {() => string[]} parts of the file
 */
function offer(id, type, parts) {
  const link = document.getElementById(id);
  if (link instanceof HTMLAnchorElement) {
    link.addEventListener('click', () => {
      URL.revokeObjectURL(link.href);
      link.href = URL.createObjectURL(new Blob(parts(), { type }));
    });
  }
}
