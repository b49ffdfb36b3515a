import { shellWord } from '../text/shell-words.js';
import { DEFAULT_FILE } from './environment.js';

/**
 * How the user starts the programs: the start of each command that is printed for copying.
 *
 * @typedef {object} Invocation
 * @property {string} benchmark shell command, such as `node r2-benchmark.js`
 * @property {string} peak shell command, such as `node peak-performance.js`
 * @property {string} envExample path of .env.example, quoted for a shell
 */

/** For a clone, in its own folder. @type {Invocation} */
export const FROM_CLONE = Object.freeze({
  benchmark: 'node r2-benchmark.js',
  peak: 'node peak-performance.js',
  envExample: '.env.example',
});

/**
 * @param {string} file in which variables are missing
 * @param {boolean} exists
 * @param {Invocation} invocation
 * @returns {string} what to do next
 */
export function hintFor(file, exists, { benchmark, envExample }) {
  const name = file === DEFAULT_FILE ? '' : ` ${shellWord(file)}`;
  const way = exists
    ? `Fill in ${file} as ${envExample} shows`
    : `${benchmark} --init${name} writes ${file} from .env.example: fill it in`;
  return `${way}, or try the tool without a store: --local`;
}
