import { isDeepStrictEqual } from 'node:util';
import { sumOf, sumsByName } from './counters.js';
import { Histogram, toStageLatency } from './histogram.js';
import { addRamps } from './ramp.js';
import { FORMAT, propertiesOf, resolved, SCHEMA } from './schema.js';
import { addSeconds, peakOf } from './seconds.js';

/**
 * @import { LatencySummary, Result, SecondResult, StageLatency, StageSum } from './result.js'
 * @import { Schema } from './schema.js'
 *
 * @typedef {Record<string, any>} Fields
 * @typedef {{ fields: Fields, time: number }} Part a record, and the ms over which its rates were computed
 */

/** The empty result: adding it to other results does not change them. @type {Readonly<Result>} */
export const EMPTY_RESULT = Object.freeze({
  format: FORMAT,
  run: null,
  host: null,
  shard: null,
  start: null,
  clock: null,
  versions: null,
  options: null,
  problems: [],
  hosts: [],
  stages: [],
  cleanup: null,
  requests: null,
});

/**
 * How the values of a field are added, by its `x-add` in the schema. Where a rule says «known», records without the
 * field are left out; otherwise the sum is unknown then, which is null.
 *
 * @type {Readonly<Record<string, (values: readonly any[], schema: Schema, parts: readonly Part[], time: number) => any>>}
 */
const RULES = Object.freeze({
  sum: (values) => sumOf(values),
  'sum-known': (values) => sumOf(values.filter(isKnown)),
  // -1 means that the number is unknown.
  left: (values) => (values.some((value) => value < 0) ? -1 : sumOf(values.filter(isKnown))),
  max: (values) => values.filter(isKnown).reduce((/** @type {any} */ one, other) => (one > other ? one : other), null),
  common: (values) => common(values.map((value) => value ?? null)),
  'common-fields': commonFields,
  worst: (values, { 'x-order': order }) => worst(values, order),
  all: (values) => values.flatMap((value) => value ?? []),
  'by-name': (values) => sumsByName(values.map((value) => value ?? {})),
  rate: (values, _schema, parts, time) =>
    rateOf(exactSumOf(values.map((rate, at) => countIn(rate, parts[at].time))), time),
  latencies: addLatencies,
  record: (values, ...rest) => (values.every(isKnown) ? addNested(values, ...rest) : null),
  'record-known': addNested,
  'by-key': (values, schema, parts, time) => (values.every(isKnown) ? addByKey(values, schema, parts, time) : null),
  'by-key-known': addByKey,
});

/**
 * Combines results of hosts that measured together. Facts that differ between hosts, or make no sense for several
 * hosts, become null. Results of a single host, such as searches and thresholds, are omitted.
 *
 * @param {readonly Result[]} results
 * @returns {Result} independent of the order of `results`, except in the order of hosts, problems and stages
 */
export function addResults(results) {
  const parts = results.filter(({ hosts }) => hosts.length > 0);
  if (parts.length < 2) {
    return parts[0] ?? EMPTY_RESULT;
  }
  const names = new Set(parts.flatMap(({ stages }) => stages.map(({ stage }) => stage)));
  const stages = [...names].map((name) =>
    addStages(parts.flatMap((part) => part.stages.filter(({ stage }) => stage === name))),
  );
  const sum = addRecords(
    SCHEMA,
    parts.map((fields) => ({ fields, time: 0 })),
    0,
  );
  return /** @type {Result} */ (/** @type {Fields} */ ({ ...sum, format: FORMAT, thresholds: [], stages }));
}

/**
 * @param {readonly StageSum[]} stages at least one
 * @returns {StageSum}
 */
export function addStages(stages) {
  if (stages.length === 1) {
    return stages[0];
  }
  const times = addTimes(stages);
  const parts = stages.map((fields) => ({ fields, time: measuredTime(fields) }));
  const sum = /** @type {StageSum} */ (addRecords(SCHEMA.$defs.stage, parts, measuredTime(times)));
  const seconds = addSeconds(stages.map((stage) => stage.seconds));
  const ramps = stages.flatMap(({ ramp }) => (ramp === undefined ? [] : [ramp]));
  return {
    ...sum,
    ...times,
    peak: largestSecond(seconds, times, sum.average),
    seconds,
    ...(ramps.length < stages.length ? {} : { ramp: addRamps(ramps) }),
  };
}

/**
 * Adds records field by field, as the schema says. A field without a rule is unknown in the sum.
 *
 * @param {Schema} schema of each record
 * @param {readonly Part[]} parts
 * @param {number} time ms over which rates of the sum are computed
 * @returns {Fields | null} null if a field that is never unknown differs between the records
 */
function addRecords(schema, parts, time) {
  /** @type {Fields} */
  const sum = {};
  for (const [name, declared] of Object.entries(propertiesOf(schema))) {
    const property = resolved(declared);
    const values = parts.map(({ fields }) => fields[name]);
    if (property['x-add'] === 'histogram') {
      Object.assign(sum, addHistograms(parts.map(({ fields }) => fields)));
      continue;
    }
    if (values.some((value) => value !== undefined)) {
      const value = RULES[property['x-add']]?.(values, property, parts, time) ?? null;
      if (value !== null || mayBeNull(property)) {
        sum[name] = value;
      } else if (property['x-add'] !== undefined && schema.required?.includes(name)) {
        return null;
      }
    }
  }
  return sum;
}

/** @param {Schema} schema */
function mayBeNull({ type, anyOf = [], enum: values = [] }) {
  return (
    [type].flat().includes('null') ||
    values.includes(null) ||
    anyOf.some((/** @type {Schema} */ each) => each.type === 'null')
  );
}

/**
 * @param {readonly any[]} values
 * @param {Schema} schema
 * @param {readonly Part[]} parts
 * @param {number} time
 */
function addNested(values, schema, parts, time) {
  const known = values.flatMap((fields, at) => (isKnown(fields) ? [{ fields, time: parts[at].time }] : []));
  return known.length === 0 ? null : addRecords(resolved(schema.anyOf?.[0] ?? schema), known, time);
}

/**
 * @param {readonly any[]} lists
 * @param {Schema} schema of a list, whose `x-key` are the fields that identify a record
 * @param {readonly Part[]} parts
 * @param {number} time
 */
function addByKey(lists, { items, 'x-key': key }, parts, time) {
  const nested = resolved(items);
  /** @type {Map<string, Part[]>} */
  const all = new Map();
  lists.forEach((list, at) => {
    for (const fields of list ?? []) {
      const name = JSON.stringify(key.map((/** @type {string} */ each) => fields[each]));
      all.set(name, [...(all.get(name) ?? []), { fields, time: parts[at].time }]);
    }
  });
  return [...all.values()].map((same) => addRecords(nested, same, time));
}

/** @param {any} value */
function isKnown(value) {
  return value !== undefined && value !== null;
}

/**
 * @template Value
 * @param {readonly Value[]} values at least one
 * @returns {Value | null} null if they differ
 */
function common([first, ...others]) {
  return others.every((other) => isDeepStrictEqual(first, other)) ? first : null;
}

/** Compares field by field. Returns null if a part is null. @param {readonly any[]} parts */
function commonFields(parts) {
  if (!parts.every(isKnown)) {
    return null;
  }
  const names = new Set(parts.flatMap((part) => Object.keys(part)));
  return Object.fromEntries([...names].map((name) => [name, common(parts.map((part) => part[name] ?? null))]));
}

/**
 * @param {readonly (string | null)[]} values
 * @param {readonly string[]} order from the best to the worst; a value that this version does not know may be worse
 */
function worst(values, order) {
  const badness = (/** @type {string | null} */ value) =>
    order.includes(String(value)) ? order.indexOf(String(value)) : Infinity;
  return values.every(isKnown)
    ? values.toSorted((one, other) => badness(other) - badness(one) || (String(one) < String(other) ? -1 : 1))[0]
    : null;
}

/**
 * Combines the hosts' times, from the earliest start to the latest end. Rates exclude warm-up and drain.
 *
 * @typedef {{ startedAt: number | null, endedAt: number | null, duration: number | null, warmup: number | null,
 *   drain: number | null }} Times
 *
 * @param {readonly StageSum[]} stages
 * @returns {Times}
 */
function addTimes(stages) {
  const all = stages.map(({ startedAt, endedAt, warmup, drain }) => {
    return isNumber(startedAt) && isNumber(endedAt)
      ? { startedAt, endedAt, from: startedAt + (warmup ?? 0), until: endedAt - (drain ?? 0) }
      : null;
  });
  const known = all.filter((each) => each !== null);
  if (known.length < all.length) {
    return { startedAt: null, endedAt: null, duration: null, warmup: null, drain: null };
  }
  const startedAt = Math.min(...known.map((each) => each.startedAt));
  const endedAt = Math.max(...known.map((each) => each.endedAt));
  return {
    startedAt,
    endedAt,
    duration: endedAt - startedAt,
    warmup: Math.min(...known.map(({ from }) => from)) - startedAt,
    drain: endedAt - Math.max(...known.map(({ until }) => until)),
  };
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isNumber(value) {
  return typeof value === 'number';
}

/** Sorts first, because a rounded sum depends on the order. @param {readonly (number | null)[]} values */
function exactSumOf(values) {
  return sumOf(values.toSorted((one, other) => Number(one) - Number(other)));
}

/**
 * @param {number | null} count in the measured time
 * @param {number} time ms
 * @returns {number | null} per second
 */
function rateOf(count, time) {
  return count === null || time <= 0 ? null : (1000 * count) / time;
}

/**
 * @param {number | null | undefined} rate per second
 * @param {number} time ms
 * @returns {number | null} the count from which the rate was computed
 */
function countIn(rate, time) {
  return typeof rate !== 'number' || time <= 0 ? null : (rate * time) / 1000;
}

/** Ms without warm-up and drain, over which rates are computed. @param {Partial<Times>} times */
function measuredTime({ duration, warmup, drain }) {
  return (duration ?? 0) - (warmup ?? 0) - (drain ?? 0);
}

/**
 * @param {readonly SecondResult[]} seconds
 * @param {Times} times
 * @param {number | null} average
 */
function largestSecond(seconds, { startedAt, endedAt, warmup, drain }, average) {
  if (startedAt === null || endedAt === null || average === null) {
    return null;
  }
  return peakOf(seconds, { startedAt: startedAt + (warmup ?? 0), endedAt: endedAt - (drain ?? 0), average });
}

/**
 * @param {readonly StageLatency[]} parts
 * @returns {StageLatency}
 */
function addLatencies(parts) {
  return toStageLatency((name) => {
    const sum = addHistograms(
      parts.map((part) => ({ latency: part[name] ?? null, histogram: part.histogram[name] ?? null })),
    );
    return { summary: sum.latency, encoded: sum.histogram };
  });
}

/**
 * @typedef {{ latency: LatencySummary | null, histogram: string | null }} Latencies
 *
 * @param {readonly Partial<Latencies>[]} parts
 * @returns {Latencies} null fields if any part has no histogram
 */
function addHistograms(parts) {
  const sum = new Histogram();
  for (const { histogram = null } of parts) {
    if (histogram === null) {
      return { latency: null, histogram: null };
    }
    sum.addEncoded(histogram);
  }
  const summaries = parts.flatMap(({ latency }) => latency ?? []);
  return { latency: exact(sum.summary(), summaries), histogram: sum.encode() };
}

/**
 * Replaces figures that the histogram gives only to within 0.1% with exact ones from the summaries of the parts.
 *
 * @param {LatencySummary | null} summary of the sum
 * @param {readonly LatencySummary[]} parts
 * @returns {LatencySummary | null}
 */
function exact(summary, parts) {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  if (summary === null || count !== summary.count) {
    return summary;
  }
  const minimum = Math.min(...parts.map((part) => part.minimum));
  const maximum = Math.max(...parts.map((part) => part.maximum));
  const within = (/** @type {number} */ value) => Math.min(Math.max(value, minimum), maximum);
  const total = Number(exactSumOf(parts.map((part) => part.mean * part.count)));
  return {
    count,
    minimum,
    mean: total / count,
    p50: within(summary.p50),
    p90: within(summary.p90),
    p95: within(summary.p95),
    p99: within(summary.p99),
    p999: within(summary.p999),
    maximum,
  };
}
