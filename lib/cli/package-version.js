import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The version of this tool. @type {string} */
export const VERSION = require('../../package.json').version;

/**
 * The versions that a run's figures depend on.
 *
 * @param {'direct' | 'sdk'} client
 * @returns {Record<string, string>}
 */
export function versionsOf(client) {
  const library = client === 'sdk' ? '@aws-sdk/client-s3' : 'undici';
  return {
    'r2-benchmark': VERSION,
    node: process.versions.node,
    [library]: require(`${library}/package.json`).version,
  };
}
