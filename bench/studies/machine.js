import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

/**
 * What a study ran on: one line for its output.
 *
 * @param {readonly string[]} libraries whose versions matter
 * @returns {string}
 */
export function describeMachine(libraries) {
  const versions = libraries.map((library) => `${library} ${versionOf(library)}`);
  const cores = availableParallelism();
  const load = loadavg()[0].toFixed(1);
  return `${cpus()[0].model}, ${cores} cores, load ${load} before the start; ${[`Node ${process.versions.node}`, ...versions].join(', ')}`;
}

/** @param {string} library */
function versionOf(library) {
  const manifest = new URL(`../../node_modules/${library}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
