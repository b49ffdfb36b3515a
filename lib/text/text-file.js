import { closeSync, openSync, readSync } from 'node:fs';

const MEBIBYTE = 1024 ** 2;
const CHUNK_SIZE = 64 * 1024;

/**
 * Tells UTF-16, which PowerShell writes, by its byte order mark or by the zero byte of a Latin letter.
 *
 * @param {Uint8Array} start of a file
 */
export function encodingOf([first, second]) {
  if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0)) {
    return 'utf-16le';
  }
  return (first === 0xfe && second === 0xff) || (first === 0 && second > 0) ? 'utf-16be' : 'utf-8';
}

/**
 * Reads a file of settings or results. Its length is bounded because a device such as /dev/zero never ends.
 *
 * @param {string} file
 * @param {number} maxBytes
 * @returns {string} without a byte order mark
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
        const bytes = Buffer.concat(chunks);
        return new TextDecoder(encodingOf(bytes)).decode(bytes);
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
