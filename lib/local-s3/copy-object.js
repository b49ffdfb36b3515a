import { S3Error } from './s3-error.js';
import { escapeXml, xmlDocument } from './xml.js';

/** @import { ObjectTable } from './object-table.js' */

const SOURCE = /^\/?([^/]+)\/(.+)$/s;

/**
 * @param {string} source value of x-amz-copy-source: bucket and key, percent-encoded
 * @param {{ tableOf: (bucket: string) => ObjectTable, table: ObjectTable, key: string, now: number }} target
 *   `table`: of the target bucket; `now`: epoch ms
 * @throws {S3Error} InvalidArgument, NoSuchBucket or NoSuchKey
 */
export function copyObject(source, { tableOf, table, key, now }) {
  const [, bucket, sourceKey] = SOURCE.exec(decoded(source)) ?? [];
  if (bucket === undefined) {
    throw new S3Error('InvalidArgument', 'The copy source must be a bucket and a key, percent-encoded.');
  }
  const object = tableOf(bucket).get(sourceKey);
  if (object === undefined) {
    throw new S3Error('NoSuchKey', 'The specified key does not exist.');
  }
  const { etag, lastModified } = table.put(key, object.body, now);
  return xmlDocument(
    `<CopyObjectResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LastModified>${new Date(lastModified).toISOString()}</LastModified><ETag>${escapeXml(etag)}</ETag></CopyObjectResult>`,
  );
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
