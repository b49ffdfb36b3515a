import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { quote } from '../text/quote.js';
import { keepSecrets } from '../text/redact.js';
import { UsageError } from '../options/usage-error.js';
import { collectorUrl, wholeNumber } from '../options/values.js';

/** @import { OtlpSettings, OtlpTarget } from '../telemetry/otlp-target.js' */

// The variables of OpenTelemetry that concern an exporter of OTLP over HTTP. One that is empty counts as not set.
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;

/** Half of what OpenTelemetry calls usual would already be longer than many a stage. */
const DEFAULT_INTERVAL_MS = 10_000;

const MIN_INTERVAL_MS = 100;
const MAX_MS = 3_600_000;

/** What stands in the names of the variables of one signal alone, and the path of its requests. */
const SIGNALS = /** @type {const} */ ({ metrics: 'METRICS', traces: 'TRACES' });

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {URL} [url] of the collector, in place of the one that the variables name
 * @returns {OtlpSettings | null} null where a variable turns it off
 * @throws {UsageError} with every problem; none of them shows a header
 */
export function readOtlpSettings(env, url) {
  const variables = new Variables(env);
  if (variables.text('OTEL_SDK_DISABLED').toLowerCase() === 'true') {
    return null;
  }
  const target = (/** @type {keyof typeof SIGNALS} */ signal) =>
    variables.text(`OTEL_${SIGNALS[signal]}_EXPORTER`) === 'none' ? null : targetOf(variables, signal, url);
  const resource = variables.read('OTEL_RESOURCE_ATTRIBUTES', pairs, {});
  const serviceName = variables.text('OTEL_SERVICE_NAME');
  const settings = {
    metrics: target('metrics'),
    traces: target('traces'),
    interval: variables.read(
      'OTEL_METRIC_EXPORT_INTERVAL',
      wholeNumber(MIN_INTERVAL_MS, 24 * MAX_MS),
      DEFAULT_INTERVAL_MS,
    ),
    resource: serviceName === '' ? resource : { ...resource, 'service.name': serviceName },
  };
  if (variables.problems.length > 0) {
    throw new UsageError([...new Set(variables.problems)]);
  }
  return settings;
}

/**
 * @param {Variables} variables
 * @param {keyof typeof SIGNALS} signal
 * @param {URL} [given]
 * @returns {OtlpTarget}
 */
function targetOf(variables, signal, given) {
  const names = (/** @type {string} */ name) => [
    `OTEL_EXPORTER_OTLP_${SIGNALS[signal]}_${name}`,
    `OTEL_EXPORTER_OTLP_${name}`,
  ];
  const first = (/** @type {string} */ name) => names(name).find((each) => variables.text(each) !== '') ?? '';
  variables.read(first('PROTOCOL'), protocol, '');
  const url = given === undefined ? endpointOf(variables, signal, first('ENDPOINT')) : withPath(given, signal);
  const [own, common] = names('HEADERS');
  return {
    url,
    isTls: url.protocol === 'https:',
    headers: { ...variables.read(common, headers, {}), ...variables.read(own, headers, {}) },
    timeout: variables.read(first('TIMEOUT'), wholeNumber(1, MAX_MS), DEFAULT_TIMEOUT_MS),
    compresses: variables.read(first('COMPRESSION'), compression, 'none') === 'gzip',
    certificate: variables.read(first('CERTIFICATE'), file, undefined),
    clientCertificate: variables.read(first('CLIENT_CERTIFICATE'), file, undefined),
    clientKey: variables.read(first('CLIENT_KEY'), file, undefined),
  };
}

/**
 * @param {Variables} variables
 * @param {keyof typeof SIGNALS} signal
 * @param {string} name of the variable that is set; '' where none is
 */
function endpointOf(variables, signal, name) {
  const url = variables.read(name, collectorUrl, new URL(DEFAULT_ENDPOINT));
  return name.includes(`_${SIGNALS[signal]}_`) ? url : withPath(url, signal);
}

/**
 * @param {URL} base
 * @param {keyof typeof SIGNALS} signal
 */
function withPath(base, signal) {
  const url = new URL(base);
  // Somebody may have copied the address of one signal.
  url.pathname = `${base.pathname.replace(/\/(v1\/(metrics|traces)\/?)?$/, '')}/v1/${signal}`;
  return url;
}

/** Reads variables, and keeps what is wrong with them. */
class Variables {
  #env;
  /** @type {string[]} */
  problems = [];

  /** @param {NodeJS.ProcessEnv} env */
  constructor(env) {
    this.#env = env;
  }

  /** @param {string} name */
  text(name) {
    return this.#env[name]?.trim() ?? '';
  }

  /**
   * @template Value
   * @param {string} name
   * @param {(text: string) => Value} read throws a RangeError that says what was expected
   * @param {Value} fallback where the variable is not set, or cannot be read
   * @returns {Value}
   */
  read(name, read, fallback) {
    const text = this.text(name);
    if (text === '') {
      return fallback;
    }
    try {
      return read(text);
    } catch (error) {
      this.problems.push(`${name}: ${/** @type {Error} */ (error).message}`);
      return fallback;
    }
  }
}

/** @param {string} given */
function protocol(given) {
  if (given !== 'http/json') {
    throw new RangeError(
      `expected http/json, which collectors take at the port of http/protobuf, 4318 as a rule, got ${quote(given)}`,
    );
  }
  return given;
}

/** @param {string} given */
function compression(given) {
  if (given !== 'gzip' && given !== 'none') {
    throw new RangeError(`expected gzip or none, got ${quote(given)}`);
  }
  return given;
}

/** @param {string} given a path */
function file(given) {
  try {
    return readFileSync(given);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new RangeError(`expected a file that can be read, got ${quote(given)} (${code})`, { cause: error });
  }
}

/**
 * @param {string} given `key=value` pairs, comma-separated, percent-encoded
 * @returns {Record<string, string>}
 */
function pairs(given) {
  const all = given.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    all.map((pair, place) => {
      const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
      if (key === undefined) {
        // What stands there may be a part of a secret.
        throw new RangeError(`expected name=value pairs, separated by commas, got something else as pair ${place + 1}`);
      }
      return [decoded(key, place), decoded(value.trim(), place)];
    }),
  );
}

/**
 * @param {string} text
 * @param {number} place of its pair, from 0
 */
function decoded(text, place) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError(`expected values that are percent-encoded, got something else in pair ${place + 1}`);
  }
}

/**
 * @param {string} given
 * @returns {Record<string, string>} with names in lower case
 */
function headers(given) {
  const all = Object.entries(pairs(given)).map(([name, value]) => [name.toLowerCase(), value]);
  keepSecrets({ secrets: all.map(([, value]) => value) });
  all.forEach(([name, value], place) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new RangeError(`expected names and values of HTTP headers, got something else in pair ${place + 1}`);
    }
  });
  return Object.fromEntries(all);
}
