import { createRequire } from 'node:module';

/** @import { ClientName } from '../model/config.js' */

const require = createRequire(import.meta.url);

/** The version of this tool. @type {string} */
export const VERSION = require('../../package.json').version;

/**
 * The versions that a run's figures depend on. The direct client stands on Node alone.
 *
 * @param {ClientName} client
 * @returns {Record<string, string>}
 */
export function versionsOf(client) {
  const sdk = '@aws-sdk/client-s3';
  return {
    'r2-benchmark': VERSION,
    node: process.versions.node,
    ...(client === 'sdk' ? { [sdk]: require(`${sdk}/package.json`).version } : {}),
  };
}
