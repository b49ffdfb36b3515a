import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

const MODULES = new URL('../../node_modules/', import.meta.url);

/**
 * Describes a study's machine in one line.
 *
 * @param {readonly string[]} libraries whose versions matter
 * @param {URL} [modules] the folder that contains them
 */
export function describeMachine(libraries, modules = MODULES) {
  const versions = libraries.map((library) => `${library} ${versionOf(library, modules)}`);
  const cores = availableParallelism();
  const load = loadavg()[0].toFixed(1);
  return `${cpus()[0].model}, ${cores} cores, load ${load} before the start; ${[`Node ${process.versions.node}`, ...versions].join(', ')}`;
}

/**
 * @param {string} library
 * @param {URL} modules
 */
function versionOf(library, modules) {
  return JSON.parse(readFileSync(new URL(`${library}/package.json`, modules), 'utf8')).version;
}
