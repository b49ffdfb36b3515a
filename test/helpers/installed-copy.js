import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Variables that npm inherits from the npm that runs the tests: its registry and cache, but nothing of this project. */
const OWN_VARIABLES = ['npm_config_userconfig', 'npm_config_cache', 'npm_config_registry'];

const execute = promisify(execFile);

/** @returns {Record<string, string | undefined>} the environment of a user who does not run npm */
export function environmentOfUser() {
  const names = Object.keys(process.env).filter((name) => !/^npm_|^NODE_V8_COVERAGE$/i.test(name));
  return Object.fromEntries([...names, ...OWN_VARIABLES].map((name) => [name, process.env[name]]));
}

/**
 * Packs the project as npm would publish it, and installs it in a folder.
 *
 * @param {string} folder created if necessary
 * @returns {Promise<string>} path of the archive in the folder
 */
export async function installPackage(folder) {
  await mkdir(folder, { recursive: true });
  const archive = await pack(folder);
  // With the project's own versions, npm does not query the registry, and finds all of them in its cache.
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify(await lockOfDependencies()));
  await npm(folder, ['install', '--prefer-offline', '--no-audit', '--no-fund', archive]);
  return archive;
}

/**
 * Packs a copy of the project, since packing writes into it, and several tests may pack at the same time.
 *
 * @param {string} folder
 */
async function pack(folder) {
  const copy = path.join(folder, 'project');
  const left = ['.git', 'coverage', 'node_modules'].map((name) => path.join(ROOT, name));
  await cp(ROOT, copy, { recursive: true, filter: (file) => !left.includes(file) });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  const { stdout } = await npm(copy, ['pack', '--json', '--pack-destination', folder]);
  await rm(copy, { recursive: true });
  const [{ filename }] = JSON.parse(stdout);
  return path.join(folder, filename);
}

/** @returns {Promise<object>} package-lock.json without the project itself and its development dependencies */
async function lockOfDependencies() {
  const { packages, ...lock } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const kept = Object.entries(packages).filter(([name, { dev }]) => name !== '' && !dev);
  return { ...lock, name: undefined, packages: { '': {}, ...Object.fromEntries(kept) } };
}

/**
 * @param {string} cwd
 * @param {readonly string[]} parameters
 */
function npm(cwd, parameters) {
  return execute('npm', parameters, { cwd, env: environmentOfUser() });
}
