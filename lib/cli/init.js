import { readFileSync, writeFileSync } from 'node:fs';
import { DEFAULT_FILE } from '../options/store/environment.js';
import { shellWord } from '../text/shell-words.js';
import { ENV_EXAMPLE } from './invocation.js';
import { UsageError } from '../options/usage-error.js';

/** @import { Invocation } from '../options/store/environment.js' */

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
