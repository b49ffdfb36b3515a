import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../text/shell-words.js';

/** @import { Invocation } from '../store/hint.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Each program's file, and the name of npm's link to it (`bin` in package.json). */
const PROGRAMS = Object.freeze({
  benchmark: { file: 'r2-benchmark.js', link: 'r2-benchmark' },
  peak: { file: 'peak-performance.js', link: 'r2-peak' },
});

const LINKS = path.join('node_modules', '.bin');

export const ENV_EXAMPLE = path.join(ROOT, '.env.example');

/**
 * @typedef {object} Caller
 * @property {readonly string[]} argv the second entry is the absolute path of the program
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
 * @param {string} folder of the started program
 * @param {string} cwd
 * @param {string} searchPath
 * @returns {string | null} a command that uses the npm link; null if the program was not started through one
 */
function linkedCommand(program, folder, cwd, searchPath) {
  const { link } = program;
  const linked = path.join(folder, link);
  if (!leadsTo(linked, program)) {
    return null;
  }
  if (endsWith(folder, LINKS)) {
    // Where the link cannot be found, npx would download a package of that name from the registry.
    const nearest = ancestorsOf(cwd).map((each) => path.join(each, LINKS, link));
    return leadsTo(nearest.find(existsSync), program) ? `npx ${link}` : shellWord(linked);
  }
  const folders = searchPath.split(path.delimiter).filter((each) => each !== '' && !endsWith(each, LINKS));
  const found = folders.map((each) => path.join(each, link)).find(existsSync);
  return leadsTo(found, program) ? link : shellWord(linked);
}

/**
 * @param {Program} program
 * @param {string} folder of the started program, which may be a link
 */
function fileOf({ file }, folder) {
  const started = path.join(folder, file);
  return leadsTo(started, { file }) ? started : path.join(ROOT, file);
}

/**
 * @param {string | undefined} file
 * @param {Pick<Program, 'file'>} program
 * @returns {boolean} whether the file is this copy's program, directly or through links
 */
function leadsTo(file, program) {
  return file !== undefined && existsSync(file) && realpathSync(file) === realpathSync(path.join(ROOT, program.file));
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
 * @returns {string[]} the folder and its ancestors, nearest first
 */
function ancestorsOf(folder) {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestorsOf(parent)];
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
