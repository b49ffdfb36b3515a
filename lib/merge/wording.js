import { plainLine } from '../log/plain-text.js';

/**
 * @param {{ file: string, line: number | null }} place
 * @returns {string} as compilers write it, so that editors find it
 */
export function placeOf({ file, line }) {
  const name = plainLine(file);
  return line === null ? name : `${name}:${line}`;
}

/**
 * @param {number} count of findings of one kind, of which only the first is told
 * @returns {string} what stands behind it
 */
export function andMore(count) {
  return count > 1 ? ` (and ${count - 1} more like it)` : '';
}
