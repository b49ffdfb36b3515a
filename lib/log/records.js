import { MAX_MACHINE_DATA, machineLine } from './lines.js';

/**
 * A record is a flat set of fields under a head, such as everything that is known of a stage at its end. It takes as many
 * machine lines as it needs: fields that fit share a line, and a field that is too long for one is cut into texts.
 *
 *     # r2-benchmark {"kind":"stage","stage":"Read","line":1,"lines":3,"end":"complete","operations":10000}
 *     # r2-benchmark {"kind":"stage","stage":"Read","line":2,"lines":3,"field":"latency","json":"{\"unit\":…"}
 *     # r2-benchmark {"kind":"stage","stage":"Read","line":3,"lines":3,"field":"latency","json":"…}"}
 *
 * @typedef {Record<string, unknown>} Fields
 */

/** Lines of a record, at most: more are no record of ours. */
const MAX_LINES = 999;

/**
 * A longer text is written once in a record, and other places refer to it. A field that holds one is never among those that
 * share a line, so that these texts come in the order of the fields.
 */
const MAX_REPEATED_TEXT = MAX_MACHINE_DATA;

/** Characters of `"line":123,"lines":123`, with what separates them. */
const PART_ROOM = 32;

/**
 * @param {Fields} head what identifies the record: its `kind`, the name of its stage and the like
 * @param {Fields} fields `undefined` is left out
 * @returns {string[]} lines, each under 1,000 characters
 */
export function recordLines(head, fields) {
  // The head, the numbers of the part and the braces share the line.
  const room = MAX_MACHINE_DATA - JSON.stringify(head).length - PART_ROOM;
  const parts = partsOf(withoutRepeats(fields), room);
  const total = parts.length;
  return parts.map((part, place) =>
    machineLine(total === 1 ? { ...head, ...part } : { ...head, line: place + 1, lines: total, ...part }),
  );
}

/**
 * @param {Fields} fields
 * @param {number} room characters
 * @returns {Fields[]} at least one
 */
function partsOf(fields, room) {
  /** @type {Fields} */
  let together = {};
  /** @type {Fields[]} */
  const texts = [];
  const parts = [together];
  let used = 0;
  for (const [name, value] of Object.entries(fields)) {
    const length = JSON.stringify({ [name]: value })?.length - 1;
    if (length > room) {
      texts.push(...textParts(name, JSON.stringify(value), room));
    } else if (value !== undefined) {
      if (used + length > room) {
        parts.push((together = {}));
        used = 0;
      }
      together[name] = value;
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
  const roomOfText = room - JSON.stringify({ field, json: '' }).length;
  const parts = [];
  for (let start = 0; start < json.length;) {
    // Quotes and backslashes take two characters on the line.
    let end = Math.min(start + roomOfText, json.length);
    while (JSON.stringify(json.slice(start, end)).length - 2 > roomOfText) {
      end -= Math.max(Math.ceil((JSON.stringify(json.slice(start, end)).length - 2 - roomOfText) / 2), 1);
    }
    parts.push({ field, json: json.slice(start, end) });
    start = end;
  }
  return parts;
}

/**
 * Latencies of operations, attempts and the only bucket are one histogram, as a rule.
 *
 * @param {Fields} fields
 * @returns {Fields} in which a long text that comes up again is `{ "same": n }`: the n-th long text of the record
 */
function withoutRepeats(fields) {
  /** @type {Map<string, number>} */
  const known = new Map();
  return mapTexts(fields, (text) => {
    const place = known.get(text);
    if (place === undefined) {
      known.set(text, known.size);
      return text;
    }
    return { same: place };
  });
}

/**
 * @param {any} value
 * @param {(text: string) => unknown} replace called for long texts in their order
 * @returns {any} a copy
 */
function mapTexts(value, replace) {
  if (typeof value === 'string') {
    return value.length <= MAX_REPEATED_TEXT ? value : replace(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapTexts(item, replace));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, replace)]));
  }
  return value;
}

/** The lines of one record, put together again. */
export class RecordParts {
  /** @type {Fields} */
  #together = {};
  /** By number. @type {Map<number, { field: string, json: string }>} */
  #texts = new Map();
  /** @type {Set<number>} */
  #seen = new Set();
  #lines = 1;

  /** @param {Fields} data of a machine line, without the head */
  add({ line = 1, lines = 1, field, json, ...together }) {
    if (!isLine(line, lines)) {
      return;
    }
    this.#lines = Number(lines);
    this.#seen.add(Number(line));
    if (typeof field === 'string' && typeof json === 'string') {
      this.#texts.set(Number(line), { field, json });
    } else {
      this.#together = { ...this.#together, ...together };
    }
  }

  /** Whether all lines have come. */
  get isWhole() {
    return this.#seen.size === this.#lines;
  }

  /** @returns {Fields} those that are whole */
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
    return withRepeats({ ...this.#together, ...Object.fromEntries(parsed) }, longTexts);
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
 * @param {any} value as {@link withoutRepeats} has it
 * @param {readonly string[]} texts the long texts of the record, in their order
 * @returns {any} with the texts in each place
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
