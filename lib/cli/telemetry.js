import { createRequire } from 'node:module';
import { stagesOf } from '../load/operations/registry.js';
import { UsageError, refuseIfAny } from '../options/usage-error.js';
import { collectorUrl, wholeNumber } from '../options/values.js';
import { VERSION } from '../store/object-store.js';
import { quote } from '../text/quote.js';
import { formatDuration } from '../text/units.js';
import { load } from './start.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { ReadyRun } from '../result/run-events.js'
 * @import { Checks } from '../options/usage-error.js'
 * @import { Listener } from '../report/reporter.js'
 * @import { OtlpExporter } from '../report/telemetry/otlp-exporter.js'
 * @import { PlannedStage } from '../report/telemetry/run-metrics.js'
 * @import { ScrapeServer } from '../report/telemetry/scrape-server.js'
 * @import { CommandLine } from './command-line.js'
 */

/**
 * @typedef {object} Outlets where metrics go
 * @property {OtlpExporter | null} otlp
 * @property {ScrapeServer | null} server
 * @property {readonly string[]} notices
 * @property {(run: ReadyRun, warn: (message: string) => void) => Listener} listen
 * @property {(signal: AbortSignal, notice: (message: string) => void) => Promise<void>} finish exports the final counts,
 *   and waits for the last scrape until the signal ends the wait
 * @property {() => Promise<void>} close
 */

/**
 * Opens the outlets before the run, so that a missing package or an occupied port is reported early.
 *
 * @param {Pick<CommandLine, 'otlp' | 'metricsPort' | 'metricsHold'>} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Checks} checks collects the problems
 * @returns {Promise<Outlets | null>} null if a package is missing
 */
export async function openOutlets({ otlp: isPushed, metricsPort, metricsHold }, env, checks) {
  const wanted = { otlp: isPushed, prometheus: metricsPort !== undefined };
  const areInstalled = await checks.run(() => {
    requireOtelPackages(wanted);
    return true;
  });
  if (!areInstalled) {
    return null;
  }
  const otlp = isPushed ? await checks.run(() => openExporter(env)) : null;
  const server = metricsPort === undefined ? null : await checks.run(() => listen(metricsPort));
  const { exportMetrics } = await load(() => import('../report/telemetry/run-metrics.js'));
  let isOpen = false;
  return {
    ...{ otlp, server, notices: noticesOf(otlp, server, isPushed) },
    listen({ config, identity, clock: { epochNow } }, warn) {
      if (otlp !== null) {
        otlp.warn = warn;
      }
      const run = { config, host: identity.host, stages: plannedStages(config), epochNow };
      isOpen = true;
      return exportMetrics({ otlp, server }, run, resourceAttributes(config, identity));
    },
    async finish(signal, notice) {
      if (!isOpen) {
        return;
      }
      const exported = otlp?.finish();
      if (server !== null && metricsHold > 0 && !signal.aborted) {
        const scraped = server.waitForScrape(metricsHold, signal);
        notice(`Waiting up to ${formatDuration(metricsHold)} for a last scrape of ${server.url}`);
        await scraped;
      }
      await exported;
    },
    async close() {
      otlp?.close();
      await server?.close();
    },
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<OtlpExporter | null>} null if a variable turns metrics off
 * @throws {UsageError}
 */
async function openExporter(env) {
  const settings = readOtlpSettings(env);
  if (settings === null) {
    return null;
  }
  const { OtlpExporter } = await load(() => import('../report/telemetry/otlp-exporter.js'));
  const exporter = new OtlpExporter(settings);
  const problems = await exporter.open();
  if (problems.length > 0) {
    exporter.close();
    throw new UsageError(problems.map((problem) => `OpenTelemetry's variables: ${problem}`));
  }
  return exporter;
}

/**
 * @param {{ host: string, port: number }} address
 * @returns {Promise<ScrapeServer>}
 * @throws {UsageError}
 */
async function listen(address) {
  const { ScrapeServer } = await load(() => import('../report/telemetry/scrape-server.js'));
  try {
    return await ScrapeServer.open(address);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UsageError([
      `--metrics-port: cannot listen on port ${address.port} of ${address.host} (${code}), expected a free port (0 for any) and an address of this host`,
    ]);
  }
}

/**
 * Names follow OpenTelemetry's conventions: https://opentelemetry.io/docs/specs/semconv/resource/
 *
 * @param {Config} config
 * @param {{ host: string, versions: Record<string, string> }} identity
 */
function resourceAttributes({ objects: { runId, shard, size }, load: { client } }, { host, versions }) {
  return {
    'service.name': 'r2-benchmark',
    'service.version': VERSION,
    'service.instance.id': `${runId}/${host}/${shard.index}`,
    'host.name': host,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': versions.node,
    'r2_benchmark.run.id': runId,
    'r2_benchmark.shard': `${shard.index}/${shard.count}`,
    'r2_benchmark.client': client,
    'r2_benchmark.object.size': size,
  };
}

/**
 * @param {Config} config
 * @returns {PlannedStage[]}
 */
function plannedStages(config) {
  return stagesOf(config.load).map((stage) => ({
    stage: stage.name,
    kinds: stage.kinds.map(({ operation: { name, call } }) => ({ operation: name, method: call.method })),
  }));
}

/**
 * @param {OtlpExporter | null} otlp
 * @param {ScrapeServer | null} server
 * @param {boolean} isPushed whether the user wants metrics to be sent
 */
function noticesOf(otlp, server, isPushed) {
  return [
    ...(server === null ? [] : [`Prometheus can scrape the metrics of this run at ${server.url}`]),
    ...(isPushed && otlp === null
      ? ['OTEL_SDK_DISABLED or OTEL_METRICS_EXPORTER turns metrics off: none are sent']
      : []),
  ];
}

// OpenTelemetry's exporter reads most of its variables itself. This module reads those that the exporter leaves to the
// program, and the endpoint, because the exporter does not report a malformed one.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** OpenTelemetry's default, one minute, is longer than many stages. */
const DEFAULT_INTERVAL_MS = 10_000;

const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 24 * 3_600_000;

/**
 * @typedef {object} OtlpSettings
 * @property {string} endpoint for messages, without the query, which may contain a key
 * @property {number} interval ms
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {OtlpSettings | null} null if a variable turns metrics off
 * @throws {UsageError} with every problem
 */
export function readOtlpSettings(env) {
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || env.OTEL_METRICS_EXPORTER?.trim() === 'none';
  if (isOff) {
    return null;
  }
  /** @type {string[]} */
  const problems = [];
  /**
   * @template Value
   * @param {readonly string[]} names of variables; the first one that is set counts
   * @param {(text: string) => Value} parse throws a RangeError that states what was expected
   * @param {Value} fallback
   */
  const read = (names, parse, fallback) => {
    const name = names.find((each) => env[each]?.trim());
    try {
      return name === undefined ? fallback : parse(/** @type {string} */ (env[name]).trim());
    } catch (error) {
      problems.push(`${name}: ${/** @type {Error} */ (error).message}`);
      return fallback;
    }
  };
  const ofExporter = (/** @type {string} */ name) => [
    `OTEL_EXPORTER_OTLP_METRICS_${name}`,
    `OTEL_EXPORTER_OTLP_${name}`,
  ];
  read(ofExporter('PROTOCOL'), protocol, '');
  const { origin, pathname } = read(ofExporter('ENDPOINT'), collectorUrl, new URL(DEFAULT_ENDPOINT));
  const interval = wholeNumber(MIN_INTERVAL_MS, MAX_INTERVAL_MS);
  const settings = {
    endpoint: pathname === '/' ? origin : `${origin}${pathname}`,
    interval: read(['OTEL_METRIC_EXPORT_INTERVAL'], interval, DEFAULT_INTERVAL_MS),
  };
  refuseIfAny(problems);
  return settings;
}

/** @param {string} given */
function protocol(given) {
  if (given !== 'http/protobuf') {
    throw new RangeError(
      `expected http/protobuf, which collectors accept on port 4318 by default, got ${quote(given)}`,
    );
  }
  return given;
}

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
function requireOtelPackages({ otlp, prometheus }) {
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
