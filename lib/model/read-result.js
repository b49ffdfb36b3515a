import { checkResultBounds } from './input-bounds.js';
import { quote } from '../text/quote.js';
import { checkSchema, isObject } from './check-schema.js';
import { isHistogram, LATENCIES } from './histogram.js';
import { FORMAT, propertiesOf, SCHEMA } from './schema.js';

/**
 * @import { Result } from './result.js'
 *
 * @typedef {object} ReadResult
 * @property {boolean} isJson whether the text is JSON of any kind
 * @property {Result | null} result null if there are problems
 * @property {string[]} problems one line each, with the path of the field
 * @property {string[]} warnings about ignored unknown fields
 *
 * @typedef {Record<string, any>} Json an unvalidated object
 */

const MAX_LISTED = 8;

/**
 * Reads output of `--json`, ignoring fields that only a later version knows.
 *
 * @param {string} text
 * @param {string} [file] for messages
 * @returns {ReadResult}
 * @throws {Error} if the text is larger than any result
 */
export function readResult(text, file = 'result') {
  checkResultBounds(file, text);
  const value = parse(text);
  if (value === undefined) {
    return { ...refused('expected JSON'), isJson: false };
  }
  if (!isObject(value) || !Number.isSafeInteger(value.format)) {
    return refused('expected a result: a JSON object with a number as its format');
  }
  if (typeof value.kind === 'string') {
    return refused(`expected the result of a run, got one of ${quote(value.kind)}`);
  }
  const format = Number(value.format);
  const { problems, unknown } = checkSchema(value, SCHEMA);
  if (problems.length > 0) {
    return { isJson: true, result: null, problems: firstOf(problems), warnings: laterFormat(format) };
  }
  const broken = brokenHistograms(/** @type {Json[]} */ (value.stages));
  if (broken.length > 0) {
    return { isJson: true, result: null, problems: firstOf(broken), warnings: laterFormat(format) };
  }
  return {
    isJson: true,
    result: /** @type {Result} */ (/** @type {unknown} */ (value)),
    problems: [],
    warnings: [
      ...laterFormat(format),
      ...(unknown.size === 0 ? [] : [`ignored fields that this version does not recognize: ${listed([...unknown])}`]),
    ],
  };
}

/** Whether a value is a result, as functions of the library return it. @param {unknown} value */
export function isResult(value) {
  return checkSchema(value, SCHEMA).problems.length === 0;
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {string} problem */
function refused(problem) {
  return { isJson: true, result: null, problems: [problem], warnings: [] };
}

/** @param {number} format */
function laterFormat(format) {
  return format > FORMAT
    ? [`format ${format}, expected at most ${FORMAT}: use the version of the tool that wrote it, or a later one`]
    : [];
}

/** @param {readonly string[]} problems */
function firstOf(problems) {
  const more = problems.length - MAX_LISTED;
  return more > 0 ? [...problems.slice(0, MAX_LISTED), `${more} more problems like these`] : [...problems];
}

/**
 * @param {readonly Json[]} stages that match the schema
 * @returns {string[]} a line for each invalid histogram
 */
export function brokenHistograms(stages) {
  return stages.flatMap(({ latency, seconds, buckets = [], kinds = [], cache = [], ramp }, index) => {
    const histograms = [
      ...LATENCIES.map((name) => [`latency.histogram.${name}`, latency.histogram[name]]),
      ...seconds.map((/** @type {Json} */ { histogram }, /** @type {number} */ position) => {
        return [`seconds[${position}].histogram`, histogram];
      }),
      ...buckets.map((/** @type {Json} */ { histogram }, /** @type {number} */ position) => {
        return [`buckets[${position}].histogram`, histogram];
      }),
      ...kinds.flatMap((/** @type {Json} */ kind, /** @type {number} */ position) =>
        LATENCIES.map((name) => [`kinds[${position}].latency.histogram.${name}`, kind.latency.histogram[name]]),
      ),
      ...histogramsIn('cache', cache),
      ...kinds.flatMap((/** @type {Json} */ { cache: ofKind = [] }, /** @type {number} */ position) =>
        histogramsIn(`kinds[${position}].cache`, ofKind),
      ),
      ...(ramp?.steps ?? []).map((/** @type {Json} */ { histogram }, /** @type {number} */ position) => {
        return [`ramp.steps[${position}].histogram`, histogram];
      }),
    ];
    return histograms.flatMap(([name, encoded]) => brokenHistogram(`stages[${index}].${name}`, encoded));
  });
}

/**
 * @param {string} path of a list
 * @param {readonly Json[]} parts
 * @returns {[path: string, histogram: string | null][]}
 */
function histogramsIn(path, parts) {
  return parts.map(({ histogram }, position) => [`${path}[${position}].histogram`, histogram]);
}

/**
 * @param {string} path
 * @param {string | null | undefined} encoded
 * @returns {string[]} one line if the histogram is invalid
 */
function brokenHistogram(path, encoded) {
  return typeof encoded !== 'string' || isHistogram(encoded)
    ? []
    : [`${path}: expected an HdrHistogram of whole microseconds with counts below 2^53, got something else`];
}

/** @param {readonly string[]} names */
function listed(names) {
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).map(quote).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Checks the fields of a record one by one, and keeps the valid ones even if others are invalid.
 *
 * @param {Json} fields
 * @param {object} schema of the record, part of the result's schema
 * @returns {{ fitting: Json, problems: string[], unknown: string[] }} `fitting` are the valid fields
 */
export function readFields(fields, schema) {
  const properties = propertiesOf(schema);
  const known = Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name));
  const checked = known.map(([name, value]) => ({
    name,
    value,
    ...checkSchema({ [name]: value }, SCHEMA, { properties }),
  }));
  return {
    fitting: Object.fromEntries(
      checked.flatMap(({ name, value, problems }) => (problems.length === 0 ? [[name, value]] : [])),
    ),
    problems: checked.flatMap(({ problems }) => problems),
    unknown: Object.keys(fields).filter((name) => !Object.hasOwn(properties, name)),
  };
}
