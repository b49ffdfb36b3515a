import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../text/shell-words.js';

/** @import { Invocation } from '../options/store/environment.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const ENV_EXAMPLE = path.join(ROOT, '.env.example');

/**
 * Names the programs by their files, which works however they were started: from a clone, with npx or through a link.
 *
 * @param {string} cwd
 * @returns {Invocation}
 */
export function invocationOf(cwd) {
  const fileOf = (/** @type {string} */ name) => shellWord(shortest(path.join(ROOT, name), cwd));
  return {
    benchmark: `node ${fileOf('r2-benchmark.js')}`,
    peak: `node ${fileOf('peak-performance.js')}`,
    envExample: fileOf('.env.example'),
  };
}

/**
 * @param {string} file
 * @param {string} cwd
 * @returns {string} a relative path if that is shorter
 */
function shortest(file, cwd) {
  const relative = path.relative(cwd, file);
  return relative.length < file.length ? relative : file;
}
