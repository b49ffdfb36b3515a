/**
 * A request as a log states it.
 *
 * @typedef {object} LoggedRequest
 * @property {number} time epoch ms
 * @property {string} action as the log names it
 * @property {string} bucket
 * @property {readonly string[]} keys of the objects; the prefix of a list
 * @property {number} size bytes of the object; -1 if unknown
 * @property {number} bytes that the response sent, or the keys that a list asked for; 0 if unknown
 * @property {number} status HTTP status; 0 if unknown
 * @property {string} [request] names the request, if it has a line for each of its objects
 *
 * @typedef {(text: string) => LoggedRequest | null} Parse null for a line that cannot be read
 * @typedef {'r2' | 's3' | 'csv'} FormatName
 */

/** @type {Readonly<Record<FormatName, string>>} */
export const FORMATS = Object.freeze({
  r2: 'R2 Data Access Logs',
  s3: 'S3 server access logs',
  csv: 'CSV',
});

/** An epoch time above this is in ms, not in seconds. */
const FROM_MS = 1e11;

/**
 * @param {string} text of a line
 * @param {FormatName} [only] the format that it must have
 * @returns {{ name: FormatName, parse: Parse } | null} null if it has none of them; the header of a CSV has its format
 */
export function formatOf(text, only) {
  /** @type {[FormatName, Parse | null][]} */
  const formats = [
    ['r2', parseR2(text) && parseR2],
    ['s3', parseS3(text) && parseS3],
    ['csv', csvParser(text)],
  ];
  const [name, parse] = formats.find((format) => format[1] !== null && (only ?? format[0]) === format[0]) ?? [];
  return name && parse ? { name, parse } : null;
}

/**
 * R2 Data Access Logs, as JSON. Names of fields are nested or dotted.
 *
 * @param {string} text
 * @returns {LoggedRequest | null}
 */
function parseR2(text) {
  const event = objectIn(text);
  if (event === null) {
    return null;
  }
  const field = (/** @type {string} */ group, /** @type {string} */ name) =>
    event[`${group}.${name}`] ?? event[group]?.[name];
  const time = Number(field('$metadata', 'timestamp') ?? NaN);
  const { action, bucket = field('$metadata', 'service'), objects, prefix, maxKeys } = event;
  const key = Array.isArray(objects)
    ? objects.map((each) => each?.key ?? each)
    : [field('resource', 'key') ?? prefix ?? ''];
  if (!(time > 0) || typeof action !== 'string' || typeof bucket !== 'string' || !key.every(isText)) {
    return null;
  }
  const size = whole(field('resource', 'size'));
  const sent = whole(action.startsWith('List') ? maxKeys : field('response', 'bytes'));
  const written = action === 'PutObject' ? whole(field('request', 'bytes')) : 0;
  return {
    time,
    action,
    bucket,
    keys: key,
    // A size of 0 can mean that it is unknown.
    size: size || written || -1,
    bytes: sent,
    status: whole(field('response', 'status')),
  };
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === 'string';
}

/** @param {string} text @returns {Record<string, any> | null} */
function objectIn(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {number} 0 if it is not a whole number */
function whole(value) {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

const S3_LINE =
  /^\S+ (\S+) \[([^\]]+)\] \S+ \S+ (\S+) ([A-Z0-9][A-Z0-9_.]+) (\S+) (?:"([^"]*)"|-) (\d{3}|-) \S+ (\d+|-) (\d+|-) /;
const S3_TIME = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;
const LIST_PARAMETERS = /[?&](prefix|max-keys)=([^&\s]*)/g;

/** The time of the line before: most lines are of the same second. */
const lastTime = { text: '', time: NaN };

/**
 * @param {string} text a line of an S3 server access log
 * @returns {LoggedRequest | null}
 */
function parseS3(text) {
  const found = S3_LINE.exec(text);
  if (found === null) {
    return null;
  }
  const [, bucket, when, request, action, key, uri = '', status, sent, size] = found;
  const time = timeOfS3(when);
  if (Number.isNaN(time)) {
    return null;
  }
  const line = { time, action, bucket, status: whole(status), size: size === '-' ? -1 : Number(size), request };
  if (action === 'REST.GET.BUCKET') {
    const { prefix = '', 'max-keys': keys } = Object.fromEntries(
      [...uri.matchAll(LIST_PARAMETERS)].map(([, name, value]) => [name, value]),
    );
    return { ...line, keys: [prefix], bytes: whole(keys) };
  }
  return { ...line, keys: [decoded(decoded(key))], bytes: whole(sent) };
}

/** @param {string} text @returns {number} epoch ms; NaN if it is not a time */
function timeOfS3(text) {
  if (text !== lastTime.text) {
    const [, day, month, year, clock, hours, minutes] = S3_TIME.exec(text) ?? [];
    lastTime.text = text;
    lastTime.time = Date.parse(`${day} ${month} ${year} ${clock} GMT${hours}${minutes}`);
  }
  return lastTime.time;
}

/** Keys are percent-encoded, often twice, but not in each line of a log. @param {string} key */
function decoded(key) {
  if (!key.includes('%')) {
    return key;
  }
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const CSV_COLUMNS = /** @type {const} */ (['time', 'operation', 'key', 'size', 'bytes', 'bucket', 'status']);
const CSV_CELL = /(?<=^|,)(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g;

/**
 * @param {string} header such as `time,operation,key,size`
 * @returns {Parse | null} null if it lacks a column
 */
function csvParser(header) {
  const names = cellsOf(header).map((name) => name.trim().toLowerCase());
  const columns = Object.fromEntries(CSV_COLUMNS.map((name) => [name, names.indexOf(name)]));
  const { time, operation, key } = columns;
  if (Math.min(time, operation, key) < 0) {
    return null;
  }
  return (text) => {
    const cells = cellsOf(text);
    const cell = (/** @type {string} */ name) => cells[columns[name]]?.trim() ?? '';
    const at = timeOfCsv(cell('time'));
    const size = cell('size');
    if (!(at > 0) || cells.length !== names.length || cell('operation') === '' || !/^\d{0,15}$/.test(size)) {
      return null;
    }
    return {
      time: at,
      action: cell('operation'),
      bucket: cell('bucket'),
      keys: [cells[key]],
      size: size === '' ? -1 : Number(size),
      bytes: whole(cell('bytes')),
      status: whole(cell('status')),
      request: '',
    };
  };
}

/** @param {string} text */
function cellsOf(text) {
  return Array.from(text.matchAll(CSV_CELL), ([, quoted, plain]) => plain ?? quoted.replaceAll('""', '"'));
}

/** @param {string} text @returns {number} epoch ms; NaN if it is not a time */
function timeOfCsv(text) {
  if (!/^[\d.]+$/.test(text)) {
    return Date.parse(text);
  }
  return Number(text) < FROM_MS ? 1000 * Number(text) : Number(text);
}
