import { S3Error } from './s3-error.js';

/** @typedef {{ first: number, last: number }} ByteRange offsets of the first and the last byte */

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Parses a Range header with a single range (RFC 9110, section 14.1.2). Like S3, it ignores any other header, such as
 * one with several ranges.
 *
 * @param {string | undefined} header
 * @param {number} size bytes of the object
 * @returns {ByteRange | null} null for the whole object
 * @throws {S3Error} InvalidRange if the range is outside the object
 */
export function requestedRange(header, size) {
  const [, start = '', end = ''] = RANGE.exec(header ?? '') ?? [];
  if ((start === '' && end === '') || (start !== '' && end !== '' && Number(end) < Number(start))) {
    return null;
  }
  const first = start === '' ? Math.max(size - Number(end), 0) : Number(start);
  const last = start === '' || end === '' ? size - 1 : Math.min(Number(end), size - 1);
  if (first > last) {
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable.');
  }
  return { first, last };
}
