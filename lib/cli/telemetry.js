import { OPERATIONS, stagesOf } from '../operations/registry.js';
import { ScrapeServer } from '../telemetry/scrape-server.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { readOtlpSettings } from './otlp-settings.js';
import { VERSION } from '../s3/versions.js';
import { UsageError } from '../options/usage-error.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { Outlets } from '../telemetry/telemetry.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Checks } from '../options/usage-error.js'
 */

/**
 * Makes ready what metrics and spans go out by, before the run: a port that is taken is known at once.
 *
 * @param {Pick<CommandLine, 'otlp' | 'otlpUrl' | 'metricsPort' | 'metricsHold'>} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Checks} checks
 * @returns {Promise<Outlets>} what can be had; the checks know the rest
 */
export async function openOutlets({ otlp, otlpUrl, metricsPort, metricsHold }, env, checks) {
  const isWanted = otlp || otlpUrl !== undefined;
  return {
    otlp: isWanted ? await checks.run(() => readOtlpSettings(env, otlpUrl)) : null,
    server: metricsPort === undefined ? null : await checks.run(() => listen(metricsPort)),
    hold: metricsHold,
  };
}

/**
 * @param {{ host: string, port: number }} address
 * @returns {Promise<ScrapeServer>}
 * @throws {UsageError}
 */
async function listen(address) {
  try {
    return await ScrapeServer.open(address);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UsageError([
      `--metrics-port: cannot listen at port ${address.port} of ${address.host} (${code}), expected a port that is free, or 0 for any, of an address of this host`,
    ]);
  }
}

/**
 * @param {Outlets} outlets
 * @param {object} run
 * @param {Config} run.config
 * @param {{ host: string, versions: Record<string, string> }} run.identity
 * @param {() => number} run.now monotonic ms
 * @param {() => number} run.epochNow epoch ms
 * @param {() => number} run.random uniform in [0, 1)
 * @param {(message: string) => void} run.warn
 * @param {(message: string) => void} run.notice
 * @returns {Telemetry}
 */
export function startTelemetry(outlets, run) {
  const stages = stagesOf(run.config.load).map(({ name, kinds }) => ({
    stage: name,
    operations: kinds.map(({ operation }) => operation.name),
  }));
  const methods = new Map(OPERATIONS.map(({ name, call }) => [name, call.method]));
  return new Telemetry(outlets, { ...run, stages, methods, version: VERSION });
}

/**
 * @param {Outlets} outlets
 * @param {CommandLine} options
 * @returns {string[]} what the user is to know of them
 */
export function noticesOfOutlets({ otlp, server }, options) {
  const wantsOtlp = options.otlp || options.otlpUrl !== undefined;
  return [
    ...(server === null ? [] : [`Prometheus finds the metrics of this run at ${server.url}`]),
    ...(wantsOtlp && otlp === null ? ['OTEL_SDK_DISABLED is set: no metrics or spans are sent'] : []),
  ];
}
