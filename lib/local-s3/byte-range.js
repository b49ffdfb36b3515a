import { S3Error } from './s3-error.js';

/** @typedef {{ first: number, last: number }} ByteRange offsets of the first byte and of the last one */

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The one range of a Range header (RFC 9110, section 14.1.2). As in S3, a header that asks for something else, such as
 * several ranges, is ignored.
 *
 * @param {string | undefined} header
 * @param {number} size bytes of the object
 * @returns {ByteRange | null} null where the whole object is to be answered
 * @throws {S3Error} InvalidRange where the object has no byte of the range
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
