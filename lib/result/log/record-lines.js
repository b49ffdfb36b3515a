import { Histogram, LATENCY_NAMES } from '../histogram.js';
import { MAX_LINE_LENGTH, machineLine } from './lines.js';

/**
 * The machine lines of a stage: one for each part of it, such as an operation of a mix, then one for the stage itself,
 * with the number of lines before it.
 *
 *     # r2-benchmark {"kind":"part","stage":"Mixed","at":"kinds.0","operation":"read","operations":8012}
 *     # r2-benchmark {"kind":"part","stage":"Mixed","at":"kinds.0.reads.first","operations":2000}
 *     # r2-benchmark {"kind":"stage","stage":"Mixed","lines":2,"seconds":{"from":null},"operations":10000}
 *
 * @typedef {Record<string, any>} Fields
 */

const PARTS = ['kinds', 'buckets', 'sizeClasses', 'reads', 'cache', 'contenders'];

/** A path to a part. Other words, such as `constructor`, would lead out of the record. */
const PATH = new RegExp(
  `^(?:${PARTS.join('|')}|ramp|search)(?:\\.(?:reads|first|repeated|steps|cache|sizeClasses|\\d{1,4})){1,4}$`,
);

/** Characters and dropped bits: the histogram of a stage's operations keeps 0.1% if it fits, the others 1%. */
const ROOM = Object.freeze({ characters: 3000, bits: 0 });
const ROOM_OF_OTHERS = Object.freeze({ characters: 1000, bits: 3 });

/** Names of fields that are histograms, if they are texts. */
const HISTOGRAMS = new Set(['histogram', ...LATENCY_NAMES]);

/** In the place of a histogram that equals the one of the stage's operations. */
const SAME = 'operations';

/**
 * @param {string} stage
 * @param {Fields} record
 * @param {Fields} head further fields of the stage's own line
 * @returns {string[]} lines of at most {@link MAX_LINE_LENGTH} characters
 */
export function recordLines(stage, record, { lines: written, ...head }) {
  const { buckets = [] } = record;
  // A single bucket has the figures of the stage.
  const parts = partsOf(buckets.length === 1 ? { ...record, buckets: [] } : record, '');
  const own = { ...withoutParts(record), ...(buckets.length === 1 && { buckets }) };
  return [
    ...parts.map(({ at, fields }) => recordLine({ kind: 'part', stage, at, ...fields })),
    recordLine({ kind: 'stage', stage, lines: written + parts.length, ...head, ...own }),
  ];
}

/**
 * @param {Fields} record
 * @param {string} prefix of the path
 * @returns {{ at: string, fields: Fields }[]} each part before its own parts
 */
function partsOf(record, prefix) {
  return PARTS.flatMap((name) =>
    Object.entries(record[name] ?? {}).flatMap(([key, part]) => {
      const at = `${prefix}${name}.${key}`;
      return [{ at, fields: withoutParts(part) }, ...partsOf(part, `${at}.`)];
    }),
  );
}

/** An empty list of parts stays: it has no lines, and would be unknown otherwise. @param {Fields} record */
function withoutParts(record) {
  const isSplit = (/** @type {string} */ name) => PARTS.includes(name) && Object.keys(record[name] ?? {}).length > 0;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !isSplit(name)));
}

/** Reduces the histograms of a record until it fits into a line. @param {Fields} record */
export function recordLine(record) {
  const whole = record.latency?.histogram?.operations;
  let line = '';
  for (const share of [1, 0.5, 0.25, 0]) {
    line = machineLine(record, (name, value) => {
      if (typeof value !== 'string' || !HISTOGRAMS.has(name)) {
        return value;
      }
      const { characters, bits } = record.kind === 'stage' && name === SAME ? ROOM : ROOM_OF_OTHERS;
      return value === whole && name !== SAME ? SAME : Histogram.decode(value).encodeWithin(share * characters, bits);
    });
    if (line.length <= MAX_LINE_LENGTH) {
      break;
    }
  }
  return line;
}

/** Restores the histograms of a record that was read. @param {Fields} record @returns {Fields} */
export function withHistograms(record) {
  const whole = record.latency?.histogram?.operations ?? null;
  return JSON.parse(JSON.stringify(record), (name, value) =>
    value === SAME && name !== SAME && HISTOGRAMS.has(name) ? whole : value,
  );
}

/**
 * @param {Fields} record to which the parts are added
 * @param {ReadonlyMap<string, Fields>} parts by path, each before its own parts
 */
export function addParts(record, parts) {
  for (const [at, part] of parts) {
    const path = at.split('.');
    path.reduce((/** @type {Fields} */ within, name, index) => {
      // A lost line leaves no gap in a list.
      const key = Array.isArray(within) ? Math.min(Number(name), within.length) : name;
      if (typeof within[key] !== 'object' || within[key] === null) {
        within[key] = index === path.length - 1 ? part : /^\d/.test(path[index + 1]) ? [] : {};
      }
      return within[key];
    }, record);
  }
}

/** @param {unknown} at @returns {at is string} */
export function isPath(at) {
  return typeof at === 'string' && PATH.test(at);
}
