import { shellWord } from '../text/shell-words.js';
import { DEFAULT_FILE } from './environment.js';

/**
 * How the user calls the programs from where they are: what we print for them to copy begins with this.
 *
 * @typedef {object} Invocation
 * @property {string} benchmark for a shell, such as `node r2-benchmark.js` or `npx r2-benchmark`
 * @property {string} peak likewise, such as `node peak-performance.js` or `npx r2-peak`
 * @property {string} envExample the path of .env.example, for a shell
 */

/** From a clone's own folder. @type {Invocation} */
export const FROM_CLONE = Object.freeze({
  benchmark: 'node r2-benchmark.js',
  peak: 'node peak-performance.js',
  envExample: '.env.example',
});

/**
 * @param {string} file in which variables are missing
 * @param {boolean} isThere
 * @param {Invocation} invocation
 * @returns {string} how to get on
 */
export function hintFor(file, isThere, { benchmark, envExample }) {
  const name = file === DEFAULT_FILE ? '' : ` ${shellWord(file)}`;
  const way = isThere
    ? `Fill in ${file} as ${envExample} shows`
    : `${benchmark} --init${name} writes ${file} from .env.example: fill it in`;
  return `${way}, or try the tool without a store: --local`;
}
