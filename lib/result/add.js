import { isDeepStrictEqual } from 'node:util';
import { sumOf, sumsByName } from './counters.js';
import { Histogram, toStageLatency, withExact } from './histogram.js';
import { FORMAT, propertiesOf, resolved, SCHEMA } from './schema.js';

/**
 * @import { CommonFacts, LatencySummary, Result, StageLatency, StageSum } from './result.js'
 * @import { Schema } from './schema.js'
 *
 * @typedef {Record<string, any>} Fields
 * @typedef {{ fields: Fields, time: number }} Part a record, and the ms over which its rates were computed
 * @typedef {{ name: string, property: Schema, rule: string, add: Rule | undefined, isKnownOnly: boolean,
 *   isNullable: boolean, isRequired: boolean }} Field
 * @typedef {(values: any[], property: Schema, parts: Part[], time: number) => any} Rule
 */

/**
 * How the values of a field are added, by its `x-add` in the schema. The sum is unknown, which is null, if a record does
 * not know the value. Rules with the suffix `-known`, and those of {@link KNOWN_ONLY}, ignore such records instead.
 *
 * @type {Readonly<Record<string, Rule>>}
 */
const RULES = Object.freeze({
  sum: (values) => sumOf(values),
  // -1 means that the number is unknown.
  left: (values) => (values.some((value) => value < 0) ? -1 : sumOf(values)),
  max: (values) => values.reduce((one, other) => (one > other ? one : other)),
  min: (values) => values.reduce((one, other) => (one < other ? one : other)),
  first: ([value]) => value,
  common: ([first, ...others]) => (others.every((other) => isDeepStrictEqual(first, other)) ? first : null),
  'common-fields': (values) => {
    const names = new Set(values.flatMap((value) => Object.keys(value)));
    const valuesOf = (/** @type {string} */ name) => values.map((value) => value[name] ?? null);
    return Object.fromEntries([...names].map((name) => [name, RULES.common(valuesOf(name), {}, [], 0)]));
  },
  worst: (values, { enum: all, 'x-order': order = all }) => {
    // A value that this version does not know may be worse than all others.
    const badness = (/** @type {string} */ value) => (order.includes(value) ? order.indexOf(value) : Infinity);
    return values.toSorted((one, other) => badness(other) - badness(one) || (one < other ? -1 : 1))[0];
  },
  all: (values) => values.flat(),
  'by-name': (values) => sumsByName(values),
  'by-index': (values, { items }) => {
    const longest = values.reduce((one, other) => (other.length > one.length ? other : one));
    const ofIndex = (/** @type {number} */ index) => values.flatMap((value) => value[index] ?? []);
    return Array.from(longest, (_, index) =>
      items?.properties ? addRecords(items, ofIndex(index)) : sumOf(ofIndex(index)),
    );
  },
  // Sorted, because a rounded sum depends on the order.
  rate: (values, _property, parts, time) => {
    const counts = values.map((rate, at) => rate * parts[at].time).toSorted((one, other) => one - other);
    return time > 0 && parts.every((part) => part.time > 0) ? Number(sumOf(counts)) / time : null;
  },
  latencies: addLatencies,
  record: (values, property, parts, time) =>
    addFields(
      property.anyOf?.[0] ?? property,
      values.map((fields, at) => ({ fields, time: parts[at].time })),
      time,
    ),
  'by-key': addByKey,
});

const KNOWN_ONLY = Object.freeze(['left', 'max', 'min', 'first', 'all', 'by-name']);

/**
 * Adds records field by field, as the schema says: the measurements of workers, steps and hosts, and their snapshots.
 * A field without a rule is unknown in the sum.
 *
 * @template {object} Type
 * @param {Schema} schema of each record
 * @param {readonly Type[]} records at least one
 * @returns {Type} independent of the order of the records, except in the order of lists
 */
export function addRecords(schema, records) {
  const parts = records.map((fields) => ({ fields, time: 0 }));
  return records.length === 1 ? records[0] : /** @type {Type} */ (addFields(schema, parts, 0));
}

/** The facts of an unknown run. */
export const NO_FACTS = /** @type {Readonly<CommonFacts>} */ (
  Object.freeze(Object.fromEntries(SCHEMA.$defs.facts.required.map((name) => [name, null])))
);

/** The empty result: adding it to other results does not change them. @type {Readonly<Result>} */
export const EMPTY_RESULT = Object.freeze({
  ...NO_FACTS,
  format: FORMAT,
  problems: [],
  hosts: [],
  stages: [],
  cleanup: null,
  requests: null,
});

/**
 * Combines results of hosts that measured together, without their stages. Facts that differ between hosts, or make no
 * sense for several hosts, become null.
 *
 * @param {readonly Result[]} results
 * @returns {Result}
 */
export function addResults(results) {
  const parts = results.filter(({ hosts }) => hosts.length > 0);
  return { ...(parts.length === 0 ? EMPTY_RESULT : addRecords(SCHEMA, parts)), format: FORMAT, stages: [] };
}

/**
 * Adds the figures of a stage, except those that need its seconds: the peaks, and the seconds themselves.
 *
 * @param {readonly StageSum[]} stages at least one
 * @returns {StageSum}
 */
export function addStages(stages) {
  if (stages.length === 1) {
    return stages[0];
  }
  const times = addTimes(stages);
  const parts = stages.map((fields) => ({ fields, time: measuredTime(fields) }));
  const sum = /** @type {StageSum} */ (addFields(SCHEMA.$defs.stage, parts, measuredTime(times)));
  return { ...sum, ...times, peak: null, seconds: [] };
}

/**
 * @param {Schema} schema
 * @param {readonly Part[]} parts
 * @param {number} time ms over which rates of the sum are computed
 * @returns {Fields | null} null if a field that is never unknown differs between the records
 */
function addFields(schema, parts, time) {
  /** @type {Fields} */
  const sum = {};
  for (const { name, property, rule, add, isKnownOnly, isNullable, isRequired } of fieldsOf(schema)) {
    if (!parts.some(({ fields }) => fields[name] !== undefined)) {
      continue;
    }
    if (rule === 'histogram') {
      Object.assign(sum, addHistograms(parts.map(({ fields }) => fields)));
    } else {
      const known = parts.filter(({ fields }) => fields[name] !== undefined && fields[name] !== null);
      const isKnown = known.length > 0 && (isKnownOnly || known.length === parts.length);
      const values = known.map(({ fields }) => fields[name]);
      const value = isKnown && add !== undefined ? add(values, property, known, time) : null;
      if (value !== null || isNullable) {
        sum[name] = value;
      } else if (add !== undefined && isRequired) {
        return null;
      }
    }
  }
  return sum;
}

/** The fields of a schema, which are looked up for every record. @type {WeakMap<Schema, Field[]>} */
const known = new WeakMap();

/** @param {Schema} schema */
function fieldsOf(schema) {
  const { required = [] } = resolved(schema);
  const fields =
    known.get(schema) ??
    Object.entries(propertiesOf(schema)).map(([name, declared]) => {
      const property = resolved(declared);
      const [, rule, suffix] = /^(.*?)(-known)?$/.exec(property['x-add'] ?? '') ?? [];
      const isKnownOnly = suffix !== undefined || KNOWN_ONLY.includes(rule);
      const isNullable = mayBeNull(property);
      return { name, property, rule, add: RULES[rule], isKnownOnly, isNullable, isRequired: required.includes(name) };
    });
  known.set(schema, fields);
  return fields;
}

/** A stage of which nothing is known: null in every field that can be. */
export const UNKNOWN_STAGE = Object.freeze(
  Object.fromEntries(
    fieldsOf(SCHEMA.$defs.stage).flatMap(({ name, isNullable }) => (isNullable ? [[name, null]] : [])),
  ),
);

/** @param {Schema} schema */
function mayBeNull({ type, anyOf = [], enum: values = [] }) {
  return (
    [type].flat().includes('null') ||
    values.includes(null) ||
    anyOf.some((/** @type {Schema} */ each) => each.type === 'null')
  );
}

/**
 * @param {readonly any[]} lists
 * @param {Schema} property of a list, whose `x-key` are the fields that identify a record
 * @param {readonly Part[]} parts
 * @param {number} time
 * @returns {(Fields | null)[]} in the order of numeric keys; otherwise in that of the lists
 */
function addByKey(lists, { items, 'x-key': key }, parts, time) {
  /** @type {Map<string | number, Part[]>} */
  const all = new Map();
  lists.forEach((list, at) => {
    for (const fields of list) {
      const name =
        key.length === 1 ? fields[key[0]] : JSON.stringify(key.map((/** @type {string} */ each) => fields[each]));
      const same = all.get(name) ?? [];
      same.push({ fields, time: parts[at].time });
      all.set(name, same);
    }
  });
  const groups = [...all.values()];
  if (typeof groups[0]?.[0].fields[key[0]] === 'number') {
    groups.sort(([one], [other]) => {
      const differs = key.find((/** @type {string} */ name) => one.fields[name] !== other.fields[name]);
      return one.fields[differs] - other.fields[differs];
    });
  }
  return groups.map((same) => addFields(items, same, time));
}

/**
 * Combines the hosts' times, from the earliest start to the latest end. Rates exclude warm-up and drain.
 *
 * @typedef {Pick<StageSum, 'startedAt' | 'endedAt' | 'duration'> & { warmup: number | null, drain: number | null }} Times
 *
 * @param {readonly StageSum[]} stages
 * @returns {Times}
 */
function addTimes(stages) {
  const all = stages.map(({ startedAt, endedAt, warmup, drain }) => ({
    startedAt: startedAt ?? NaN,
    endedAt: endedAt ?? NaN,
    from: (startedAt ?? NaN) + (warmup ?? 0),
    until: (endedAt ?? NaN) - (drain ?? 0),
  }));
  const startedAt = Math.min(...all.map((each) => each.startedAt));
  const endedAt = Math.max(...all.map((each) => each.endedAt));
  return Number.isNaN(endedAt - startedAt)
    ? { startedAt: null, endedAt: null, duration: null, warmup: null, drain: null }
    : {
        startedAt,
        endedAt,
        duration: endedAt - startedAt,
        warmup: Math.min(...all.map(({ from }) => from)) - startedAt,
        drain: endedAt - Math.max(...all.map(({ until }) => until)),
      };
}

/** Ms without warm-up and drain, over which rates are computed. @param {Partial<Times>} times */
function measuredTime({ duration, warmup, drain }) {
  return (duration ?? 0) - (warmup ?? 0) - (drain ?? 0);
}

/**
 * @param {readonly StageLatency[]} parts
 * @returns {StageLatency}
 */
function addLatencies(parts) {
  return toStageLatency((name) => {
    const sum = addHistograms(parts.map((part) => ({ latency: part[name], histogram: part.histogram[name] })));
    return { summary: sum.latency, encoded: sum.histogram };
  });
}

/**
 * @param {readonly Fields[]} parts with a `latency` and a `histogram`
 * @returns {{ latency: LatencySummary | null, histogram: string | null }} null if a part has no histogram; a part that
 *   is known to have no operations needs none
 */
export function addHistograms(parts) {
  const sum = new Histogram();
  const filled = parts.filter(({ histogram, operations }) => histogram || ![operations].flat().every((n) => n === 0));
  for (const { histogram = null } of filled) {
    if (histogram === null) {
      return { latency: null, histogram: null };
    }
    sum.addEncoded(histogram);
  }
  const summaries = filled.flatMap(({ latency }) => latency ?? []);
  return { latency: exact(sum.summary(), summaries), histogram: filled.length === 0 ? null : sum.encode() };
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
  if (count !== summary?.count) {
    return summary;
  }
  const totals = parts.map((part) => part.mean * part.count).toSorted((one, other) => one - other);
  return withExact(summary, {
    mean: Number(sumOf(totals)) / count,
    minimum: Math.min(...parts.map((part) => part.minimum)),
    maximum: Math.max(...parts.map((part) => part.maximum)),
  });
}
