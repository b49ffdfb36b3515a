import { createRequire } from 'node:module';
import { UsageError } from '../options/usage-error.js';

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
    const packages = needed.map((name) => `${name}@${VERSIONS[name]}`).join(' ');
    throw new UsageError([
      `metrics require OpenTelemetry's packages, which are not installed: run \`npm install --no-save ${packages}\` in the folder where you installed r2-benchmark`,
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
