import { OPERATIONS } from './router.js';

/**
 * @import { Operation } from './router.js'
 *
 * @typedef {object} FaultItem
 * @property {string} name
 * @property {Operation | null} operation the only one it applies to; null: those of objects that it can apply to
 * @property {number} [probability] 0 to 1
 * @property {number} [status] of `status`: HTTP status
 * @property {string} [code] of `status`: the error code in the XML body
 * @property {number} [minimum] of `latency`: ms
 * @property {number} [maximum] of `latency`: ms
 * @property {number} [perSecond] of `rate`: requests
 * @property {number} [milliseconds] of `retry-after`
 * @property {number} [requests] of `close`
 *
 * @typedef {object} FaultPlan
 * @property {number} seed of the random draws
 * @property {number} skew how far the server's clock is ahead, ms
 * @property {FaultItem[]} items in the order of the script
 */

/** What a fault without a method in front applies to: never to preflight, listing and batch deletion. */
const OBJECT_OPERATIONS = /** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE']);

const NAMEABLE = OPERATIONS.filter((operation) => operation !== 'OTHER');

/** The error code that fits a status; others of its hundred share the code of the hundred. */
const CODES = /** @type {Record<number, string>} */ ({
  400: 'InvalidRequest',
  401: 'Unauthorized',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  408: 'RequestTimeout',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotImplemented',
  503: 'SlowDown',
});

const PROBABILITY = { form: 'a percentage such as 5%', read: readProbability };

/**
 * Everything a script may hold. `only` names the operations that the fault has a meaning for.
 *
 * @type {Readonly<Record<string, { form: string, read: (value: string) => Partial<FaultItem> | null,
 *   only?: readonly Operation[], repeatable?: boolean }>>}
 */
const KINDS = Object.freeze({
  latency: { form: 'a duration such as 20ms or a range such as 20ms..50ms', read: readLatency },
  rate: { form: 'requests a second such as 500', read: (value) => withCount(value, (perSecond) => ({ perSecond })) },
  status: {
    form: 'a status from 400 to 599, perhaps an error code, and a percentage, such as 503:5% or 400/BadDigest:5%',
    read: readStatus,
    repeatable: true,
  },
  'retry-after': {
    form: 'a duration such as 2s',
    read: (value) => withDuration(value, (milliseconds) => ({ milliseconds })),
  },
  reset: PROBABILITY,
  truncate: { ...PROBABILITY, only: ['GET'] },
  corrupt: { ...PROBABILITY, only: ['GET'] },
  hang: PROBABILITY,
  drip: { ...PROBABILITY, only: ['GET'] },
  lost: { ...PROBABILITY, only: ['PUT'] },
  close: { form: 'requests a connection such as 100', read: (value) => withCount(value, (requests) => ({ requests })) },
  'wrong-etag': { ...PROBABILITY, only: ['HEAD'] },
  'wrong-size': { ...PROBABILITY, only: ['HEAD'] },
});

/**
 * Parses a fault script: items separated by commas, `name=value` or `METHOD.name=value`.
 *
 *     seed=7, latency=20ms..50ms, PUT.status=503:5%, retry-after=2s, reset=1%
 *
 * `seed` (default 0) lets a case be replayed; `skew` sets the server's clock ahead (or back: `skew=-20m`). Methods are
 * PUT, GET, HEAD, DELETE, and POST (batch deletion), LIST, BUCKET (a look at a bucket), which no fault applies to unless
 * it names them.
 *
 * @param {string} script '' for no faults
 * @returns {FaultPlan}
 * @throws {Error} one that tells all mistakes of the script
 */
export function parseFaults(script) {
  /** @type {FaultPlan} */
  const plan = { seed: 0, skew: 0, items: [] };
  /** @type {string[]} */
  const problems = [];
  const seen = new Set();
  for (const text of script.split(',').map((part) => part.trim())) {
    if (text !== '') {
      const problem = addItem(plan, text, seen);
      if (problem !== null) {
        problems.push(`'${text}': ${problem}`);
      }
    }
  }
  if (problems.length > 0) {
    throw new Error(`The fault script cannot be used: ${problems.join('; ')}`);
  }
  return plan;
}

/**
 * @param {FaultPlan} plan
 * @param {string} text
 * @param {Set<string>} seen what has been set already
 * @returns {string | null} what is wrong with the item
 */
function addItem(plan, text, seen) {
  const parts = /^(?:([A-Za-z]+)\.)?([a-z-]+)=(.+)$/.exec(text);
  if (parts === null) {
    return 'expected name=value or METHOD.name=value';
  }
  const [, method, name, value] = parts;
  const setting = `${method ?? ''}.${name}`;
  if (seen.has(setting) && !KINDS[name]?.repeatable) {
    return 'given twice';
  }
  seen.add(setting);
  return name === 'seed' || name === 'skew'
    ? setGlobal(plan, { method, name, value })
    : addFault(plan.items, { method, name, value });
}

/**
 * @param {FaultPlan} plan
 * @param {{ method: string | undefined, name: 'seed' | 'skew', value: string }} item
 */
function setGlobal(plan, { method, name, value }) {
  const number = name === 'seed' ? readCount(value) : readSkew(value);
  if (method !== undefined) {
    return `${name} takes no method`;
  }
  if (number === null) {
    return name === 'seed' ? 'expected a whole number such as 7' : 'expected a duration such as 20m or -20m';
  }
  Object.assign(plan, { [name]: number });
  return null;
}

/**
 * @param {FaultItem[]} items
 * @param {{ method: string | undefined, name: string, value: string }} item
 */
function addFault(items, { method, name, value }) {
  if (!Object.hasOwn(KINDS, name)) {
    return `expected one of seed, skew, ${Object.keys(KINDS).join(', ')}`;
  }
  const { form, read, only } = KINDS[name];
  const operation = NAMEABLE.find((nameable) => nameable === method) ?? null;
  if (method !== undefined && operation === null) {
    return `expected a method out of ${NAMEABLE.join(', ')}`;
  }
  if (operation !== null && only !== undefined && !only.includes(operation)) {
    return `${name} applies to ${only.join(', ')} only`;
  }
  const fields = read(value);
  if (fields === null) {
    return `expected ${form}`;
  }
  items.push({ name, operation, ...fields });
  return null;
}

/**
 * @param {FaultItem} item
 * @returns {readonly Operation[]} the operations that the item applies to
 */
export function operationsOf({ name, operation }) {
  return operation === null ? (KINDS[name].only ?? OBJECT_OPERATIONS) : [operation];
}

/** @param {string} value */
function readProbability(value) {
  const parts = /^([0-9]{1,3}(?:\.[0-9]{1,9})?)%$/.exec(value);
  const percentage = Number(parts?.[1]);
  return percentage <= 100 ? { probability: percentage / 100 } : null;
}

/** @param {string} value */
function readLatency(value) {
  const [from, to = from, ...more] = value.split('..');
  const minimum = readDuration(from);
  const maximum = readDuration(to);
  const isRange = minimum !== null && maximum !== null && minimum <= maximum && more.length === 0;
  return isRange ? { minimum, maximum } : null;
}

/** @param {string} value */
function readStatus(value) {
  const parts = /^([45][0-9]{2})(?:\/([A-Za-z]+))?:(.*)$/.exec(value);
  const probability = parts && readProbability(parts[3]);
  if (!parts || probability === null) {
    return null;
  }
  const status = Number(parts[1]);
  const code = parts[2] ?? CODES[status] ?? CODES[status < 500 ? 400 : 500];
  return { status, code, ...probability };
}

/** @param {string} value */
function readSkew(value) {
  const milliseconds = readDuration(value.replace(/^[+-]/, ''));
  return milliseconds !== null && value.startsWith('-') ? -milliseconds : milliseconds;
}

/** @param {string} value */
function readDuration(value) {
  const parts = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s|m)$/.exec(value);
  const unit = { ms: 1, s: 1000, m: 60_000 }[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? null : Number(parts[1]) * unit;
}

/** @param {string} value */
function readCount(value) {
  return /^[0-9]{1,9}$/.test(value) ? Number(value) : null;
}

/**
 * @param {string} value
 * @param {(count: number) => Partial<FaultItem>} make
 */
function withCount(value, make) {
  const count = readCount(value);
  return count === null || count === 0 ? null : make(count);
}

/**
 * @param {string} value
 * @param {(milliseconds: number) => Partial<FaultItem>} make
 */
function withDuration(value, make) {
  const milliseconds = readDuration(value);
  return milliseconds === null ? null : make(milliseconds);
}
