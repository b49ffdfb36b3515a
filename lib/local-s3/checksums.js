import { CRC32C, CRC64NVME } from '../workload/crc.js';
import { S3Error } from './s3-error.js';

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @typedef {'CRC32C' | 'CRC64NVME'} ChecksumAlgorithm */
/** @typedef {{ algorithm: ChecksumAlgorithm, value: string }} NamedChecksum value in base64 */
/** @typedef {{ algorithm: ChecksumAlgorithm, type: 'FULL_OBJECT' | 'COMPOSITE' }} UploadChecksum */

/** R2 supports CRC32C of uploads only as a composite checksum, and CRC64NVME only as one of the full object. */
const ALGORITHMS = /** @type {const} */ ({
  CRC32C: { header: 'x-amz-checksum-crc32c', crc: CRC32C, type: 'COMPOSITE' },
  CRC64NVME: { header: 'x-amz-checksum-crc64nvme', crc: CRC64NVME, type: 'FULL_OBJECT' },
});

const NAMES = /** @type {ChecksumAlgorithm[]} */ (Object.keys(ALGORITHMS));

/**
 * @param {IncomingHttpHeaders} headers
 * @returns {NamedChecksum | null} null if the request has no checksum
 * @throws {S3Error} InvalidRequest
 */
export function checksumIn(headers) {
  const algorithm = NAMES.find((name) => headers[ALGORITHMS[name].header] !== undefined);
  if (algorithm === undefined) {
    return null;
  }
  const { header } = ALGORITHMS[algorithm];
  const value = String(headers[header]);
  if (Buffer.from(value, 'base64').toString('base64') !== value) {
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
  if (checksum !== null && ALGORITHMS[checksum.algorithm].crc.of([body]).toString('base64') !== checksum.value) {
    throw new S3Error('BadDigest', `The ${checksum.algorithm} you specified did not match the calculated checksum.`);
  }
}

/**
 * @param {IncomingHttpHeaders} headers of the request that creates an upload
 * @returns {UploadChecksum | null} null if the upload has no checksums
 * @throws {S3Error} InvalidRequest
 */
export function uploadChecksumIn(headers) {
  const { 'x-amz-checksum-algorithm': named, 'x-amz-checksum-type': type } = headers;
  if (named === undefined) {
    return null;
  }
  const algorithm = NAMES.find((name) => name === named);
  if (algorithm === undefined || (type ?? ALGORITHMS[algorithm].type) !== ALGORITHMS[algorithm].type) {
    throw new S3Error('InvalidRequest', `This endpoint supports no checksum ${named} of the type ${type}.`);
  }
  return { algorithm, type: ALGORITHMS[algorithm].type };
}
