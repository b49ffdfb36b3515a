import { decodeEntities } from './error-response.js';

// Reads the XML documents of answers, as far as operations need them, into what the SDK makes of them.

const TRUNCATED = /<IsTruncated>\s*(true|false)\s*<\/IsTruncated>/;
const LISTED_KEY = /<Key>([^<]*)<\/Key>/g;

/**
 * @param {string} document the answer to ListObjectsV2
 * @returns {{ Contents: { Key: string }[], IsTruncated: boolean | undefined }} undefined where it is no list
 */
export function readList(document) {
  const truncated = document.includes('<ListBucketResult') ? TRUNCATED.exec(document)?.[1] : undefined;
  return {
    Contents: Array.from(document.matchAll(LISTED_KEY), ([, key]) => ({ Key: decodeEntities(key) })),
    IsTruncated: truncated === undefined ? undefined : truncated === 'true',
  };
}
