import { readFileSync } from 'node:fs';

/**
 * @callback ReadSystemFile
 * @param {string} path
 * @returns {string | null} null where there is no such file, or it is not shown to us: then there is one figure less
 */

/** These files are made when they are read, in some ten µs: no promise is worth it. @type {ReadSystemFile} */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
