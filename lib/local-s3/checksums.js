import { crcOf } from '../load/workload/crc.js';
import { S3Error } from './xml.js';

/** @import { IncomingHttpHeaders } from 'node:http' */

const HEADER = 'x-amz-checksum-crc64nvme';

/**
 * @param {IncomingHttpHeaders} headers
 * @returns {string | null} in base64; null if the request has no checksum
 * @throws {S3Error} InvalidRequest
 */
export function checksumIn({ [HEADER]: value }) {
  if (value === undefined) {
    return null;
  }
  if (Buffer.from(String(value), 'base64').toString('base64') !== value) {
    throw new S3Error('InvalidRequest', `Value for ${HEADER} header is invalid.`);
  }
  return value;
}

/**
 * @param {string | null} checksum from the request
 * @param {Buffer} body
 * @throws {S3Error} BadDigest if it does not match the body
 */
export function checkBody(checksum, body) {
  if (checksum !== null && crcOf(body).toString('base64') !== checksum) {
    throw new S3Error('BadDigest', 'The CRC64NVME you specified did not match the calculated checksum.');
  }
}

/**
 * Like R2, knows CRC64NVME of uploads only as a checksum of the full object.
 *
 * @param {IncomingHttpHeaders} headers of the request that creates an upload
 * @returns {boolean} whether its parts need checksums
 * @throws {S3Error} InvalidRequest
 */
export function needsChecksums({ 'x-amz-checksum-algorithm': name, 'x-amz-checksum-type': type = 'FULL_OBJECT' }) {
  if (name !== undefined && (name !== 'CRC64NVME' || type !== 'FULL_OBJECT')) {
    throw new S3Error('InvalidRequest', `This endpoint supports no checksum ${name} of the type ${type}.`);
  }
  return name !== undefined;
}
