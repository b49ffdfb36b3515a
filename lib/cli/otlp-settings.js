import { quote } from '../text/quote.js';
import { refuseIfAny } from '../options/usage-error.js';
import { collectorUrl, wholeNumber } from '../options/values.js';

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
 * @property {string} [url] for metrics; overrides the environment
 * @property {number} interval ms
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {URL} [given] address of the collector
 * @returns {OtlpSettings | null} null if a variable turns metrics off
 * @throws {UsageError} with every problem
 */
export function readOtlpSettings(env, given) {
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
  const { origin, pathname } = given ?? read(ofExporter('ENDPOINT'), collectorUrl, new URL(DEFAULT_ENDPOINT));
  const interval = wholeNumber(MIN_INTERVAL_MS, MAX_INTERVAL_MS);
  const settings = {
    endpoint: pathname === '/' ? origin : `${origin}${pathname}`,
    url: given && metricsUrl(given),
    interval: read(['OTEL_METRIC_EXPORT_INTERVAL'], interval, DEFAULT_INTERVAL_MS),
  };
  refuseIfAny(problems);
  return settings;
}

/** @param {URL} collector */
function metricsUrl(collector) {
  const url = new URL(collector);
  // Users may paste the address of a single signal, such as …/v1/traces.
  url.pathname = `${url.pathname.replace(/\/(v1\/(metrics|traces|logs)\/?)?$/, '')}/v1/metrics`;
  return url.href;
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
