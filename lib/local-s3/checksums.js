import { CRC32C, CRC64NVME } from '../workload/crc.js';
import { S3Error } from './s3-error.js';

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @typedef {'CRC32C' | 'CRC64NVME'} ChecksumAlgorithm */
/** @typedef {{ algorithm: ChecksumAlgorithm, value: string }} NamedChecksum value in base64 */
/** @typedef {{ algorithm: ChecksumAlgorithm, type: 'FULL_OBJECT' | 'COMPOSITE' }} UploadChecksum */

/** @type {Readonly<Record<ChecksumAlgorithm, { header: string, bytes: number, crc: typeof CRC32C }>>} */
const ALGORITHMS = Object.freeze({
  CRC32C: { header: 'x-amz-checksum-crc32c', bytes: 4, crc: CRC32C },
  CRC64NVME: { header: 'x-amz-checksum-crc64nvme', bytes: 8, crc: CRC64NVME },
});

const NAMES = /** @type {ChecksumAlgorithm[]} */ (Object.keys(ALGORITHMS));

/**
 * @param {IncomingHttpHeaders} headers
 * @returns {NamedChecksum | null} null if the request has no checksum
 * @throws {S3Error} InvalidRequest
 */
export function checksumIn(headers) {
  const [algorithm, ...others] = NAMES.filter((name) => headers[ALGORITHMS[name].header] !== undefined);
  if (algorithm === undefined) {
    return null;
  }
  if (others.length > 0) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  const { header, bytes } = ALGORITHMS[algorithm];
  const value = String(headers[header]);
  const decoded = Buffer.from(value, 'base64');
  if (decoded.length !== bytes || decoded.toString('base64') !== value) {
    throw new S3Error('InvalidRequest', `Value for ${header} header is invalid.`);
  }
  return { algorithm, value };
}

/**
 * @param {NamedChecksum | null} checksum from the request
 * @param {Buffer} body
 * @throws {S3Error} BadDigest if it does not match the body
 */
export function checkBody(checksum, body) {
  if (checksum === null) {
    return;
  }
  const { algorithm, value } = checksum;
  if (ALGORITHMS[algorithm].crc.of([body]).toString('base64') !== value) {
    throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  }
}

/**
 * @param {IncomingHttpHeaders} headers of the request that creates an upload
 * @returns {UploadChecksum | null} null if the upload has no checksums
 * @throws {S3Error} InvalidRequest
 */
export function uploadChecksumIn(headers) {
  const { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type } = headers;
  if (algorithm === undefined) {
    return null;
  }
  const known = NAMES.find((name) => name === algorithm);
  // R2 supports CRC64NVME only as a full-object checksum, and CRC32C only as a composite checksum.
  const expected = known === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE';
  if (known === undefined || (type !== undefined && type !== expected)) {
    throw new S3Error(
      'InvalidRequest',
      `The checksum algorithm ${algorithm} does not support the type ${type ?? 'of this endpoint'}.`,
    );
  }
  return { algorithm: known, type: expected };
}
