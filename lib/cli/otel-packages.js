import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../options/usage-error.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);

/** The exact versions that the program is tested with. @type {Readonly<Record<string, string>>} */
const VERSIONS = require('../../package.json').peerDependencies;

const COMMON = ['@opentelemetry/api', '@opentelemetry/resources', '@opentelemetry/sdk-metrics'];

/**
 * OpenTelemetry's packages are larger than all the others combined, so only users who want metrics install them.
 *
 * @param {{ otlp: boolean, prometheus: boolean }} wanted
 * @throws {UsageError} with the command that installs what is missing
 */
export function requireOtelPackages({ otlp, prometheus }) {
  const needed = [
    ...COMMON,
    ...(otlp ? ['@opentelemetry/exporter-metrics-otlp-proto'] : []),
    ...(prometheus ? ['@opentelemetry/exporter-prometheus'] : []),
  ];
  if (!needed.every(isInstalled)) {
    const packages = needed.map((name) => `${name}@${VERSIONS[name]}`);
    throw new UsageError([
      `metrics require OpenTelemetry's packages, which are not installed: ${installHint(packages, ROOT)}`,
    ]);
  }
}

/** @param {string} name of a package */
function isInstalled(name) {
  try {
    return require.resolve(name) !== '';
  } catch {
    return false;
  }
}

/**
 * @param {readonly string[]} packages with their versions
 * @param {string} root the program's folder
 * @returns {string} the command to run in a clone, with npx, in a project, or after a global installation
 */
export function installHint(packages, root) {
  const parent = path.dirname(path.resolve(root));
  if (path.basename(parent) !== 'node_modules') {
    return 'run `npm ci --include=dev` in the folder of r2-benchmark.js';
  }
  if (path.basename(path.dirname(path.dirname(parent))) === '_npx') {
    return `run \`npx ${['r2-benchmark', ...packages].map((name) => `-p ${name}`).join(' ')} r2-benchmark …\``;
  }
  const isProject = existsSync(path.join(path.dirname(parent), 'package.json'));
  return `run \`npm install ${isProject ? '' : '--global '}${packages.join(' ')}\``;
}
