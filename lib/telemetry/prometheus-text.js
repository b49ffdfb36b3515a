import { CLASSIC_BOUNDS, classicBuckets } from './histograms.js';

/**
 * @import { Attributes, Instrument, Metric, Origin } from './metric.js'
 * @import { ValueCounts } from '../model/run-events.js'
 */

// Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/), with the names that OpenTelemetry
// gives its metrics there (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/), so that a query is
// the same whether a metric was scraped or came through a collector.

/** Of the answer to a scrape. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const TYPES = Object.freeze({ counter: 'counter', sum: 'gauge', gauge: 'gauge', histogram: 'histogram' });

const UNIT_WORDS = /** @type {Readonly<Record<string, string>>} */ (
  Object.freeze({ s: 'seconds', By: 'bytes', 'By/s': 'bytes_per_second', 1: 'ratio', '{operation}/s': 'per_second' })
);

const MILLISECONDS = 1000;

/** @type {readonly string[]} */
const BOUNDS = CLASSIC_BOUNDS.map(String);

/**
 * @param {Instrument} instrument
 * @returns {string} what it is called in Prometheus
 */
export function prometheusName({ name, type, unit }) {
  const plain = labelName(name);
  const word = UNIT_WORDS[unit];
  const withUnit = word === undefined || plain.endsWith(`_${word}`) ? plain : `${plain}_${word}`;
  return type === 'counter' ? `${withUnit}_total` : withUnit;
}

/**
 * @param {readonly Metric[]} metrics
 * @param {Origin} origin
 * @returns {string} the body of an answer
 */
export function formatMetrics(metrics, { attributes }) {
  const info = `# HELP target_info What is measured, and where.\n# TYPE target_info gauge\ntarget_info${labelsOf(attributes)} 1\n`;
  return info + metrics.map(formatMetric).join('');
}

/** @param {Metric} metric */
function formatMetric(metric) {
  const name = prometheusName(metric);
  const series = metric.points.map(({ attributes, value }) =>
    typeof value === 'number'
      ? `${name}${labelsOf(attributes)} ${value}\n`
      : formatHistogram(name, labelsIn(attributes), value),
  );
  return `# HELP ${name} ${escapeHelp(metric.description)}\n# TYPE ${name} ${TYPES[metric.type]}\n${series.join('')}`;
}

/**
 * @param {string} name
 * @param {string} labels without braces, at least one
 * @param {ValueCounts} values
 */
function formatHistogram(name, labels, values) {
  const buckets = classicBuckets(values).map(
    (count, place) => `${name}_bucket{${labels},le="${BOUNDS[place]}"} ${count}\n`,
  );
  const { count, sum } = values;
  return `${buckets.join('')}${name}_bucket{${labels},le="+Inf"} ${count}\n${name}_sum{${labels}} ${sum / MILLISECONDS}\n${name}_count{${labels}} ${count}\n`;
}

/** @param {Attributes} attributes */
function labelsOf(attributes) {
  return `{${labelsIn(attributes)}}`;
}

/** @param {Attributes} attributes */
function labelsIn(attributes) {
  return Object.entries(attributes)
    .map(([name, value]) => `${labelName(name)}="${escapeLabel(String(value))}"`)
    .join(',');
}

/** @param {string} name in OpenTelemetry */
function labelName(name) {
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_');
  return /^[0-9]/.test(plain) ? `_${plain}` : plain;
}

/** @param {string} value */
function escapeLabel(value) {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** @param {string} text */
function escapeHelp(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
