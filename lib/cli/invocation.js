import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_FILE } from '../options/store/environment.js';
import { UsageError } from '../options/usage-error.js';
import { shellWord } from '../text/shell-words.js';

/** @import { Invocation } from '../options/store/environment.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const ENV_EXAMPLE = path.join(ROOT, '.env.example');

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

/** The file will contain a secret. */
const OWNER_ONLY = 0o600;

/**
 * `r2-benchmark init`: writes an example .env file for the user to fill in.
 *
 * @param {string} file
 * @param {Invocation} invocation
 * @returns {string} the next step, in one line
 * @throws {UsageError} if the file exists (it is left unchanged), or cannot be written
 */
export function writeExample(file, { benchmark }) {
  try {
    writeFileSync(file, readFileSync(ENV_EXAMPLE), { flag: 'wx', mode: OWNER_ONLY });
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UsageError([
      code === 'EEXIST'
        ? `init: ${file} exists and was not changed; expected a new name, such as init ${shellWord(`${file}.new`)}`
        : `init: ${file} cannot be written: ${message}`,
    ]);
  }
  const option = file === DEFAULT_FILE ? '' : ` --env-file ${shellWord(file)}`;
  return `Wrote ${file}: fill it in, then try ${benchmark} 1000 50${option}`;
}
