import { closeSync, openSync, readSync } from 'node:fs';

const MEBIBYTE = 1024 ** 2;
const CHUNK_SIZE = 64 * 1024;

/**
 * Reads a file of settings or results. Its length is bounded because a device such as /dev/zero never ends.
 *
 * @param {string} file
 * @param {number} maxBytes
 * @returns {string} UTF-8, without a byte order mark
 */
export function readTextFile(file, maxBytes) {
  const descriptor = openSync(file, 'r');
  try {
    const chunks = [];
    let size = 0;
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_SIZE);
      const length = readSync(descriptor, chunk);
      if (length === 0) {
        return new TextDecoder().decode(Buffer.concat(chunks));
      }
      size += length;
      if (size > maxBytes) {
        throw new Error(`it is longer than ${maxBytes / MEBIBYTE} MiB`);
      }
      chunks.push(chunk.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
}
