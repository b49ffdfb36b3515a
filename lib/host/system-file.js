import { readFileSync } from 'node:fs';

/**
 * @callback ReadSystemFile
 * @param {string} path
 * @returns {string | null} null if the file is missing or hidden from us
 */

/** Synchronous, because the kernel generates these files within tens of µs. @type {ReadSystemFile} */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
