import {
  readBandwidth,
  readCount,
  readLatency,
  readProbability,
  readRate,
  readRequests,
  readRetryAfter,
  readSkew,
  readStall,
  readStatus,
} from './fault-values.js';
import { OPERATIONS } from './router.js';

/**
 * @import { Operation } from './router.js'
 *
 * @typedef {object} FaultItem
 * @property {string} name
 * @property {Operation | null} operation the only one it applies to; null: all object operations that it supports
 * @property {string | null} bucket the only one it applies to; EACH_BUCKET: each separately; null: all together
 * @property {number} [probability] 0 to 1
 * @property {number} [status] of `status`: HTTP status
 * @property {string} [code] of `status`: the error code in the XML body
 * @property {number} [minimum] of `latency`: ms
 * @property {number} [maximum] of `latency`: ms
 * @property {number} [median] of `latency`: ms
 * @property {number} [sigma] of `latency`: standard deviation of the logarithm
 * @property {number} [perSecond] of `rate` and `queue`: requests
 * @property {number} [bytesPerSecond] of `bandwidth`
 * @property {number} [length] of `stall`: ms
 * @property {number} [after] of `stall`: ms
 * @property {number} [milliseconds] of `retry-after`
 * @property {number} [requests] of `close`
 *
 * @typedef {{ seed: number, skew: number, items: FaultItem[] }} FaultPlan `skew`: ms that the server's clock is ahead;
 *   `items`: in the order of the script
 */

/** In place of a bucket name, applies a limit to each bucket separately. R2's bucket names contain no capitals. */
export const EACH_BUCKET = 'EACH';

/** Operations that a fault without a method affects. All others must be named. @type {readonly Operation[]} */
const OBJECT_OPERATIONS = ['PUT', 'GET', 'HEAD', 'DELETE', 'CREATE', 'PART', 'COMPLETE', 'ABORT'];

const NAMEABLE = OPERATIONS.filter((operation) => operation !== 'OTHER');

const REQUEST_RATE = { form: 'requests per second, such as 500', read: readRate };

const PROBABILITY = { form: 'a percentage such as 5%', read: readProbability };

/**
 * The faults of a script. `only` lists the operations for which a fault makes sense.
 *
 * - `latency` delays the request before it takes effect; several latencies add up. `lognormal:20ms:0.5` has a median of
 *   20 ms, and its logarithm has a standard deviation of 0.5.
 * - `queue` starts at most this many requests per second in order of arrival; the others wait. A latency starts after
 *   the wait. `bandwidth` limits the bytes of bodies per second, in both directions, over all connections. Like `rate`,
 *   both carry over unused capacity of the last 50 ms.
 * - `stall=2s@3s` holds back responses for 2 s, starting 3 s after the first request, separately for each operation.
 * - `rate` responds 503 SlowDown above the rate; `status` responds with another status. The request has no effect.
 * - `retry-after` is sent with each injected 503 and 429, in whole seconds.
 * - `reset` closes the connection with RST before the request takes effect; `hang` never responds.
 * - `lost` carries out a write of an object or upload, and closes the connection without a response.
 * - `truncate` cuts the body short and closes the connection; `corrupt` flips a bit; `drip` sends byte by byte.
 * - `stale` serves an object's state before its last write, if that write was at least a second ago, so that every
 *   client must see it.
 * - `wrong-etag` and `wrong-size` make HEAD return a different ETag or size.
 * - `close` silently closes each connection after the response to its nth request.
 *
 * @type {Readonly<Record<string, { form: string, read: (value: string) => Partial<FaultItem> | null,
 *   only?: readonly Operation[], repeatable?: boolean }>>}
 */
const KINDS = Object.freeze({
  latency: {
    form: 'a duration such as 20ms, a range such as 20ms..50ms, or median and sigma such as lognormal:20ms:0.5',
    read: readLatency,
  },
  queue: REQUEST_RATE,
  bandwidth: { form: 'bytes per second, such as 10MB', read: readBandwidth, only: ['PUT', 'GET', 'PART'] },
  stall: { form: 'a length and a start, such as 2s@3s', read: readStall },
  rate: REQUEST_RATE,
  status: {
    form: 'a status from 400 to 599, optionally an error code, and a percentage, such as 503:5% or 400/BadDigest:5%',
    read: readStatus,
    repeatable: true,
  },
  'retry-after': { form: 'a duration such as 2s', read: readRetryAfter },
  reset: PROBABILITY,
  truncate: { ...PROBABILITY, only: ['GET'] },
  corrupt: { ...PROBABILITY, only: ['GET'] },
  hang: PROBABILITY,
  drip: { ...PROBABILITY, only: ['GET'] },
  lost: { ...PROBABILITY, only: ['PUT', 'CREATE', 'PART', 'COMPLETE', 'ABORT'] },
  close: { form: 'requests per connection, such as 100', read: readRequests },
  stale: { ...PROBABILITY, only: ['GET', 'HEAD'] },
  'wrong-etag': { ...PROBABILITY, only: ['HEAD'] },
  'wrong-size': { ...PROBABILITY, only: ['HEAD'] },
});

/**
 * Parses a fault script: comma-separated items of the form `name=value` or `METHOD.name=value`.
 *
 *     seed=7, latency=20ms..50ms, PUT.status=503:5%, retry-after=2s, reset=1%
 *
 * `seed` (default 0) makes a case reproducible; `skew` sets the server's clock ahead (or back: `skew=-20m`). Methods
 * are PUT, GET, HEAD, DELETE, and for multipart uploads CREATE, PART, COMPLETE, ABORT. POST (batch deletion), LIST,
 * UPLOADS and BUCKET (a bucket check) are affected only by faults that name them. A limit applies to all buckets
 * together; `rate@NAME=500` limits one bucket, and `rate@EACH=500` limits each bucket separately.
 *
 * @param {string} script '' for no faults
 * @returns {FaultPlan}
 * @throws {Error} with every mistake in the script
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
 * @param {Set<string>} seen settings so far
 * @returns {string | null} what is wrong with the item
 */
function addItem(plan, text, seen) {
  const parts = /^(?:([A-Za-z]+)\.)?([a-z-]+)(?:@([A-Za-z0-9._-]+))?=(.+)$/.exec(text);
  if (parts === null) {
    return 'expected name=value, METHOD.name=value or name@bucket=value';
  }
  const [, method, name, bucket = null, value] = parts;
  const setting = `${method ?? ''}.${name}@${bucket ?? ''}`;
  if (seen.has(setting) && !KINDS[name]?.repeatable) {
    return 'given twice';
  }
  seen.add(setting);
  return name === 'seed' || name === 'skew'
    ? setGlobal(plan, { method, name, bucket, value })
    : addFault(plan.items, { method, name, bucket, value });
}

/**
 * @param {FaultPlan} plan
 * @param {{ method: string | undefined, name: 'seed' | 'skew', bucket: string | null, value: string }} item
 */
function setGlobal(plan, { method, name, bucket, value }) {
  const number = name === 'seed' ? readCount(value) : readSkew(value);
  if (method !== undefined) {
    return `${name} takes no method`;
  }
  if (bucket !== null) {
    return `${name} takes no bucket`;
  }
  if (number === null) {
    return name === 'seed' ? 'expected a whole number such as 7' : 'expected a duration such as 20m or -20m';
  }
  Object.assign(plan, { [name]: number });
  return null;
}

/**
 * @param {FaultItem[]} items
 * @param {{ method: string | undefined, name: string, bucket: string | null, value: string }} item
 */
function addFault(items, { method, name, bucket, value }) {
  if (!Object.hasOwn(KINDS, name)) {
    return `expected one of seed, skew, ${Object.keys(KINDS).join(', ')}`;
  }
  const { form, read, only } = KINDS[name];
  const operation = NAMEABLE.find((nameable) => nameable === method) ?? null;
  if (method !== undefined && operation === null) {
    return `expected one of the methods ${NAMEABLE.join(', ')}`;
  }
  if (operation !== null && only !== undefined && !only.includes(operation)) {
    return `${name} applies to ${only.join(', ')} only`;
  }
  const fields = read(value);
  if (fields === null) {
    return `expected ${form}`;
  }
  items.push({ name, operation, bucket, ...fields });
  return null;
}

/** @param {FaultItem} item */
export function operationsOf({ name, operation }) {
  return operation === null ? (KINDS[name].only ?? OBJECT_OPERATIONS) : [operation];
}
