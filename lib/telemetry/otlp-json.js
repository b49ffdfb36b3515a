import { EXPONENTIAL_SCALE, ZERO_THRESHOLD, exponentialBuckets } from './histograms.js';

/**
 * @import { Attributes, Metric, Origin, Point, Span } from './metric.js'
 * @import { ValueCounts } from '../model/run-events.js'
 */

// Requests of OTLP in JSON: field names in lowerCamelCase, 64-bit integers as decimal strings, ids in hexadecimal digits,
// enumerations by their numbers. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

/** AGGREGATION_TEMPORALITY_CUMULATIVE: each export has all since the beginning, so that one that is lost is made up for by the next. */
const CUMULATIVE = 2;

/** SPAN_KIND_INTERNAL. */
const INTERNAL = 1;

/** STATUS_CODE_OK and STATUS_CODE_ERROR. */
const OK = 1;
const ERROR = 2;

const MILLISECONDS = 1000;

/**
 * @param {readonly Metric[]} metrics
 * @param {Origin} origin
 * @param {number} now epoch ms
 * @returns {object} an ExportMetricsServiceRequest
 */
export function encodeMetrics(metrics, origin, now) {
  const encoded = metrics.map(({ name, description, unit, ...metric }) => ({
    name,
    description,
    unit,
    ...dataOf(metric, nanoseconds(now)),
  }));
  return {
    resourceMetrics: [{ resource: resourceOf(origin), scopeMetrics: [{ scope: scopeOf(origin), metrics: encoded }] }],
  };
}

/**
 * @param {readonly Span[]} spans
 * @param {Origin} origin
 * @returns {object} an ExportTraceServiceRequest
 */
export function encodeSpans(spans, origin) {
  const encoded = spans.map(({ name, traceId, spanId, parentSpanId, startedAt, endedAt, attributes, problem }) => ({
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    status: problem === null ? { code: OK } : { code: ERROR, message: problem },
  }));
  return {
    resourceSpans: [{ resource: resourceOf(origin), scopeSpans: [{ scope: scopeOf(origin), spans: encoded }] }],
  };
}

/**
 * @param {Pick<Metric, 'type' | 'isWhole' | 'points'>} metric
 * @param {string} timeUnixNano
 */
function dataOf({ type, isWhole, points }, timeUnixNano) {
  switch (type) {
    case 'histogram':
      return {
        exponentialHistogram: {
          aggregationTemporality: CUMULATIVE,
          dataPoints: points.map((point) => ({
            ...timesOf(point, timeUnixNano),
            ...histogramOf(/** @type {ValueCounts} */ (point.value)),
          })),
        },
      };
    case 'gauge':
      return {
        gauge: {
          dataPoints: points.map(({ attributes, value }) => ({
            attributes: attributesOf(attributes),
            timeUnixNano,
            ...numberOf(Number(value), isWhole),
          })),
        },
      };
    default:
      return {
        sum: {
          aggregationTemporality: CUMULATIVE,
          isMonotonic: type === 'counter',
          dataPoints: points.map((point) => ({
            ...timesOf(point, timeUnixNano),
            ...numberOf(Number(point.value), isWhole),
          })),
        },
      };
  }
}

/** @param {ValueCounts} values */
function histogramOf(values) {
  const { zeroCount, offset, bucketCounts } = exponentialBuckets(values);
  const { count, sum, minimum, maximum } = values;
  return {
    count: String(count),
    sum: sum / MILLISECONDS,
    scale: EXPONENTIAL_SCALE,
    zeroCount: String(zeroCount),
    positive: { offset, bucketCounts: bucketCounts.map(String) },
    ...(count === 0 ? {} : { min: minimum / MILLISECONDS, max: maximum / MILLISECONDS }),
    zeroThreshold: ZERO_THRESHOLD,
  };
}

/**
 * @param {Point} point
 * @param {string} timeUnixNano
 */
function timesOf({ attributes, startedAt }, timeUnixNano) {
  return { attributes: attributesOf(attributes), startTimeUnixNano: nanoseconds(startedAt), timeUnixNano };
}

/**
 * @param {number} value
 * @param {boolean} isWhole
 */
function numberOf(value, isWhole) {
  // What is asked for, such as a rate, may have a fraction although it counts something.
  return isWhole && Number.isSafeInteger(value) ? { asInt: String(value) } : { asDouble: value };
}

/** @param {Attributes} attributes */
function attributesOf(attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

/** @param {Origin} origin */
function resourceOf({ attributes }) {
  return { attributes: attributesOf(attributes) };
}

/** @param {Origin} origin */
function scopeOf({ version }) {
  return { name: 'r2-benchmark', version };
}

/**
 * @param {number} milliseconds since 1970, to the microsecond
 * @returns {string} nanoseconds
 */
function nanoseconds(milliseconds) {
  return String(BigInt(Math.round(milliseconds * 1000)) * 1000n);
}
