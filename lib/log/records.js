import { MAX_MACHINE_DATA, machineLine } from './lines.js';

/**
 * A record is a flat set of fields under a head, such as the totals of a stage. It spans as many machine lines as it
 * needs: short fields share a line, and a field that is too long for one line is split into several texts.
 *
 *     # r2-benchmark {"kind":"stage","stage":"Read","line":1,"lines":3,"end":"complete","operations":10000}
 *     # r2-benchmark {"kind":"stage","stage":"Read","line":2,"lines":3,"field":"latency","json":"{\"unit\":…"}
 *     # r2-benchmark {"kind":"stage","stage":"Read","line":3,"lines":3,"field":"latency","json":"…}"}
 *
 * @typedef {Record<string, unknown>} Fields
 */

const MAX_LINES = 999;

/**
 * A longer text is written once per record, and repetitions refer to it. A field with such a text never shares a line
 * with other fields, so that the long texts are in the order of the fields.
 */
const MAX_INLINE_TEXT = MAX_MACHINE_DATA;

/** Characters of `"line":123,"lines":123` and its separators. */
const PART_OVERHEAD = 32;

/**
 * @param {Fields} head identifies the record: `kind`, stage and so on
 * @param {Fields} fields undefined values are omitted
 * @returns {string[]} lines, each under 1,000 characters
 */
export function recordLines(head, fields) {
  // Leave room for the head, the part number and the braces.
  const room = MAX_MACHINE_DATA - JSON.stringify(head).length - PART_OVERHEAD;
  const parts = partsOf(withoutRepeats(fields), room);
  const total = parts.length;
  return parts.map((part, index) =>
    machineLine(total === 1 ? { ...head, ...part } : { ...head, line: index + 1, lines: total, ...part }),
  );
}

/**
 * @param {Fields} fields
 * @param {number} room characters
 * @returns {Fields[]} at least one
 */
function partsOf(fields, room) {
  /** @type {Fields} */
  let shared = {};
  /** @type {Fields[]} */
  const texts = [];
  const parts = [shared];
  let used = 0;
  for (const [name, value] of Object.entries(fields)) {
    const length = JSON.stringify({ [name]: value })?.length - 1;
    if (length > room) {
      texts.push(...textParts(name, JSON.stringify(value), room));
    } else if (value !== undefined) {
      if (used + length > room) {
        parts.push((shared = {}));
        used = 0;
      }
      shared[name] = value;
      used += length;
    }
  }
  return [...parts, ...texts];
}

/**
 * @param {string} field
 * @param {string} json
 * @param {number} room characters
 * @returns {Fields[]}
 */
function textParts(field, json, room) {
  const textRoom = room - JSON.stringify({ field, json: '' }).length;
  const parts = [];
  for (let start = 0; start < json.length;) {
    // Quotes and backslashes take two characters.
    let end = Math.min(start + textRoom, json.length);
    while (JSON.stringify(json.slice(start, end)).length - 2 > textRoom) {
      end -= Math.max(Math.ceil((JSON.stringify(json.slice(start, end)).length - 2 - textRoom) / 2), 1);
    }
    parts.push({ field, json: json.slice(start, end) });
    start = end;
  }
  return parts;
}

/**
 * Writes a repeated text only once: operations, attempts and a single bucket usually have the same histogram.
 *
 * @param {Fields} fields
 * @returns {Fields} with each repetition of a long text replaced by `{ "same": n }`: the n-th long text of the record
 */
function withoutRepeats(fields) {
  /** @type {Map<string, number>} */
  const known = new Map();
  return mapTexts(fields, (text) => {
    const index = known.get(text);
    if (index === undefined) {
      known.set(text, known.size);
      return text;
    }
    return { same: index };
  });
}

/**
 * @param {any} value
 * @param {(text: string) => unknown} replace called for each long text, in order
 * @returns {any} a copy
 */
function mapTexts(value, replace) {
  if (typeof value === 'string') {
    return value.length <= MAX_INLINE_TEXT ? value : replace(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapTexts(item, replace));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, replace)]));
  }
  return value;
}

/** Joins the lines of one record. */
export class RecordParts {
  /** @type {Fields} */
  #shared = {};
  /** By line number. @type {Map<number, { field: string, json: string }>} */
  #texts = new Map();
  /** @type {Set<number>} */
  #seen = new Set();
  #lines = 1;

  /** @param {Fields} data a machine line without its head */
  add({ line = 1, lines = 1, field, json, ...shared }) {
    if (!isLine(line, lines)) {
      return;
    }
    this.#lines = Number(lines);
    this.#seen.add(Number(line));
    if (typeof field === 'string' && typeof json === 'string') {
      this.#texts.set(Number(line), { field, json });
    } else {
      this.#shared = { ...this.#shared, ...shared };
    }
  }

  get isWhole() {
    return this.#seen.size === this.#lines;
  }

  /** @returns {Fields} the complete fields */
  fields() {
    /** @type {Map<string, { first: number, last: number, texts: string[] }>} */
    const fields = new Map();
    for (const [part, { field, json }] of [...this.#texts].sort(([one], [other]) => one - other)) {
      const { first, texts } = fields.get(field) ?? { first: part, texts: [] };
      fields.set(field, { first, last: part, texts: [...texts, json] });
    }
    /** @type {string[]} */
    const longTexts = [];
    const parsed = [...fields].flatMap(([field, { first, last, texts }]) => {
      const value = last - first + 1 === texts.length ? parse(texts.join('')) : undefined;
      mapTexts(value, (text) => longTexts.push(text));
      return value === undefined ? [] : [[field, value]];
    });
    return withRepeats({ ...this.#shared, ...Object.fromEntries(parsed) }, longTexts);
  }
}

/**
 * @param {unknown} line
 * @param {unknown} lines
 */
function isLine(line, lines) {
  const isNumber = Number.isInteger(line) && Number.isInteger(lines);
  return isNumber && 1 <= Number(line) && Number(line) <= Number(lines) && Number(lines) <= MAX_LINES;
}

/**
 * @param {any} value from {@link withoutRepeats}
 * @param {readonly string[]} texts the long texts of the record, in order
 * @returns {any} with the texts restored
 */
function withRepeats(value, texts) {
  if (Array.isArray(value)) {
    return value.map((item) => withRepeats(item, texts));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Number.isInteger(value.same)
    ? (texts[value.same] ?? null)
    : Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withRepeats(field, texts)]));
}

/**
 * @param {string} json
 * @returns {unknown} undefined if it is not JSON
 */
function parse(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
