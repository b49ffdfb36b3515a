import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../text/shell-words.js';

/** @import { Invocation } from '../store/hint.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Each program's file, and the name by which npm links to it (`bin` in package.json). */
const PROGRAMS = Object.freeze({
  benchmark: { file: 'r2-benchmark.js', link: 'r2-benchmark' },
  peak: { file: 'peak-performance.js', link: 'r2-peak' },
});

/** Where npm puts the links to the programs of packages that are installed in a folder. */
const LINKS = path.join('node_modules', '.bin');

/** An example of the file of variables. It is in the package, wherever that is installed. */
export const ENV_EXAMPLE = path.join(ROOT, '.env.example');

/**
 * How the process was started.
 *
 * @typedef {object} Caller
 * @property {readonly string[]} argv the second is the file that Node runs, an absolute path
 * @property {() => string} cwd
 */

/**
 * @param {Caller} caller
 * @param {{ PATH?: string }} env
 * @returns {Invocation}
 */
export function invocationOf({ argv, cwd: currentFolder }, { PATH = '' }) {
  const folder = path.dirname(argv[1]);
  const cwd = currentFolder();
  const commandOf = (/** @type {Program} */ program) =>
    linkedCommand(program, folder, cwd, PATH) ?? `node ${shellWord(shortest(fileOf(program, folder), cwd))}`;
  return {
    benchmark: commandOf(PROGRAMS.benchmark),
    peak: commandOf(PROGRAMS.peak),
    envExample: shellWord(shortest(ENV_EXAMPLE, cwd)),
  };
}

/** @typedef {{ file: string, link: string }} Program */

/**
 * @param {Program} program
 * @param {string} folder from which a program of ours was started
 * @param {string} cwd
 * @param {string} searchPath
 * @returns {string | null} null where it was not started by a link of npm's
 */
function linkedCommand(program, folder, cwd, searchPath) {
  const { link } = program;
  const linked = path.join(folder, link);
  if (!leadsTo(linked, program)) {
    return null;
  }
  if (endsWith(folder, LINKS)) {
    // Elsewhere npx would look in the registry for a package of that name.
    const nearest = ancestorsOf(cwd).map((each) => path.join(each, LINKS, link));
    return leadsTo(nearest.find(existsSync), program) ? `npx ${link}` : shellWord(linked);
  }
  const folders = searchPath.split(path.delimiter).filter((each) => each !== '' && !endsWith(each, LINKS));
  const found = folders.map((each) => path.join(each, link)).find(existsSync);
  return leadsTo(found, program) ? link : shellWord(linked);
}

/**
 * @param {Program} program
 * @param {string} folder from which a program of ours was started, perhaps by a link to the program itself
 * @returns {string}
 */
function fileOf({ file }, folder) {
  const started = path.join(folder, file);
  return leadsTo(started, { file }) ? started : path.join(ROOT, file);
}

/**
 * @param {string | undefined} place
 * @param {Pick<Program, 'file'>} program
 * @returns {boolean} whether it is this copy's program, perhaps through links
 */
function leadsTo(place, { file }) {
  return place !== undefined && existsSync(place) && realpathSync(place) === realpathSync(path.join(ROOT, file));
}

/**
 * @param {string} folder
 * @param {string} end
 */
function endsWith(folder, end) {
  return path.normalize(folder).replace(/\/$/, '').endsWith(`${path.sep}${end}`);
}

/**
 * @param {string} folder
 * @returns {string[]} the folder and all that hold it, the nearest first
 */
function ancestorsOf(folder) {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestorsOf(parent)];
}

/**
 * @param {string} file
 * @param {string} cwd
 * @returns {string} relative where that is shorter
 */
function shortest(file, cwd) {
  const relative = path.relative(cwd, file);
  return relative.length < file.length ? relative : file;
}
