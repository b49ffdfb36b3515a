import { createRequire } from 'node:module';
import { CLIENTS } from './object-store.js';

/** @import { ClientName } from '../model/config.js' */

const require = createRequire(import.meta.url);

/** @type {string} */
export const VERSION = require('../../package.json').version;

/**
 * The versions that affect a run's figures. The direct client depends on Node alone.
 *
 * @param {ClientName} client
 * @returns {Record<string, string>}
 */
export function versionsOf(client) {
  const packages = CLIENTS[client].packages.map((name) => [name, require(`${name}/package.json`).version]);
  return { 'r2-benchmark': VERSION, node: process.versions.node, ...Object.fromEntries(packages) };
}
