import { changeHeader, checkThenWrite, confirm, corrupt, drip, ignoreCondition, lag, lose } from './fault-answers.js';
import { refuse, reset, stale, truncate } from './fault-answers.js';
import { bandwidth, close, latency, queue, rate, stall } from './fault-effects.js';
import {
  readBandwidth,
  readDelay,
  readLatency,
  readProbability,
  readSkew,
  readStall,
  readStatus,
  wholeNumber,
} from './fault-values.js';
import { OPERATIONS } from './router.js';

/**
 * @import { Victim } from './fault-answers.js'
 * @import { Delayer, Effects } from './fault-effects.js'
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
 * @property {number} [milliseconds] of `retry-after`, `list-lag` and `check-then-write`
 * @property {number} [requests] of `close`
 *
 * @typedef {{ seed: number, skew: number, items: FaultItem[] }} FaultPlan `skew`: ms that the server's clock is ahead;
 *   `items`: in the order of the script
 *
 * @typedef {object} Kind
 * @property {string} form of its value, for messages
 * @property {(value: string) => Partial<FaultItem> | Partial<FaultPlan> | null} read null if the value is invalid
 * @property {boolean} [isOfScript] applies to the whole script, without method or bucket
 * @property {readonly Operation[]} [only] the operations for which it makes sense
 * @property {boolean} [repeatable]
 * @property {'bytes' | 'object' | 'before' | 'condition'} [needs] what it changes: a body of at least a byte, an object,
 *   one whose previous state is known, or a conditional request
 * @property {(item: FaultItem, random: () => number, now: () => number) => Partial<Effects & Delayer>} [begin] a new state;
 *   `random`: uniform in [0, 1); `now`: monotonic ms
 * @property {(victim: Victim) => void | Promise<void>} [answer] how it answers; absent: not at all
 */

/** In place of a bucket name, applies a limit to each bucket separately. R2's bucket names contain no capitals. */
export const EACH_BUCKET = 'EACH';

/** Operations that a fault without a method affects. All others must be named. @type {readonly Operation[]} */
const OBJECT_OPERATIONS = ['PUT', 'GET', 'HEAD', 'DELETE', 'CREATE', 'PART', 'COMPLETE', 'ABORT'];

const NAMEABLE = OPERATIONS.filter((operation) => operation !== 'OTHER');

const REQUEST_RATE = { form: 'requests per second, such as 500', read: wholeNumber('perSecond', 1) };

const PROBABILITY = { form: 'a percentage such as 5%', read: readProbability };
const OF_BODIES = /** @type {const} */ ({ ...PROBABILITY, only: ['GET'], needs: 'bytes' });
const OF_HEAD = /** @type {const} */ ({ ...PROBABILITY, only: ['HEAD'], needs: 'object' });

/** Of each request. */
const WAIT = { form: 'a duration such as 5s', read: readDelay, begin: () => ({ hits: () => true }) };

const WRONG_ETAG = `"${'0'.repeat(32)}"`;

/**
 * All that a script can contain.
 *
 * - `seed` (default 0) makes a case reproducible; `skew` sets the server's clock ahead (or back: `skew=-20m`).
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
 * - `unstored` confirms a write or copy without making the object; `kept` confirms a deletion without carrying it out.
 * - `list-lag` leaves objects out of lists that were written less than this long ago.
 * - `ignore-condition` carries out a conditional write whatever its condition; `check-then-write` writes this long after
 *   it has checked the condition.
 * - `wrong-etag` and `wrong-size` make HEAD return a different ETag or size.
 * - `close` silently closes each connection after the response to its nth request.
 *
 * @type {Readonly<Record<string, Kind>>}
 */
export const KINDS = Object.freeze({
  seed: { form: 'a whole number such as 7', read: wholeNumber('seed', 0), isOfScript: true },
  skew: { form: 'a duration such as 20m or -20m', read: readSkew, isOfScript: true },
  latency: {
    form: 'a duration such as 20ms, a range such as 20ms..50ms, or median and sigma such as lognormal:20ms:0.5',
    read: readLatency,
    begin: latency,
  },
  queue: { ...REQUEST_RATE, begin: queue },
  bandwidth: {
    form: 'bytes per second, such as 10MB',
    read: readBandwidth,
    only: ['PUT', 'GET', 'PART'],
    begin: bandwidth,
  },
  stall: { form: 'a length and a start, such as 2s@3s', read: readStall, begin: stall },
  rate: { ...REQUEST_RATE, begin: rate, answer: refuse },
  status: {
    form: 'a status from 400 to 599, optionally an error code, and a percentage, such as 503:5% or 400/BadDigest:5%',
    read: readStatus,
    repeatable: true,
    answer: refuse,
  },
  'retry-after': { form: 'a duration such as 2s', read: readDelay },
  reset: { ...PROBABILITY, answer: reset },
  truncate: { ...OF_BODIES, answer: truncate },
  corrupt: { ...OF_BODIES, answer: corrupt },
  hang: PROBABILITY,
  drip: { ...OF_BODIES, answer: drip },
  lost: { ...PROBABILITY, only: ['PUT', 'CREATE', 'PART', 'COMPLETE', 'ABORT'], answer: lose },
  close: { form: 'requests per connection, such as 100', read: wholeNumber('requests', 1), begin: close },
  stale: { ...PROBABILITY, only: ['GET', 'HEAD'], needs: 'before', answer: stale },
  unstored: { ...PROBABILITY, only: ['PUT', 'COMPLETE'], answer: confirm },
  kept: { ...PROBABILITY, only: ['DELETE', 'POST'], answer: confirm },
  'list-lag': { ...WAIT, only: ['LIST'], answer: lag },
  'ignore-condition': { ...PROBABILITY, only: ['PUT'], needs: 'condition', answer: ignoreCondition },
  'check-then-write': { ...WAIT, only: ['PUT'], needs: 'condition', answer: checkThenWrite },
  'wrong-etag': { ...OF_HEAD, answer: changeHeader('ETag', () => WRONG_ETAG) },
  'wrong-size': { ...OF_HEAD, answer: changeHeader('Content-Length', (size) => Number(size) + 1) },
});

/**
 * Parses a fault script: comma-separated items of the form `name=value` or `METHOD.name=value`.
 *
 *     seed=7, latency=20ms..50ms, PUT.status=503:5%, retry-after=2s, reset=1%
 *
 * Methods are PUT, GET, HEAD, DELETE, and for multipart uploads CREATE, PART, COMPLETE, ABORT. POST (batch deletion),
 * LIST, UPLOADS and BUCKET (a bucket check) are affected only by faults that name them. A limit applies to all buckets
 * together; `rate@NAME=500` limits one bucket, and `rate@EACH=500` limits each bucket separately.
 *
 * @param {string} script '' for no faults
 * @returns {FaultPlan}
 * @throws {Error} with every mistake in the script
 */
export function parseFaults(script) {
  /** @type {FaultPlan} */
  const plan = { seed: 0, skew: 0, items: [] };
  /** @type {Set<string>} */
  const seen = new Set();
  const problems = script
    .split(',')
    .map((part) => part.trim())
    .filter((text) => text !== '')
    .map((text) => ({ text, problem: addItem(plan, text, seen) }))
    .filter(({ problem }) => problem !== null);
  if (problems.length > 0) {
    const told = problems.map(({ text, problem }) => `'${text}': ${problem}`);
    throw new Error(`The fault script cannot be used: ${told.join('; ')}`);
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
  if (!Object.hasOwn(KINDS, name)) {
    return `expected one of ${Object.keys(KINDS).join(', ')}`;
  }
  const { form, read, only, repeatable, isOfScript } = KINDS[name];
  const setting = `${method ?? ''}.${name}@${bucket ?? ''}`;
  if (seen.has(setting) && !repeatable) {
    return 'given twice';
  }
  seen.add(setting);
  if (isOfScript && (method !== undefined || bucket !== null)) {
    return `${name} takes no ${method === undefined ? 'bucket' : 'method'}`;
  }
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
  if (isOfScript) {
    Object.assign(plan, fields);
  } else {
    plan.items.push({ name, operation, bucket, ...fields });
  }
  return null;
}

/** @param {FaultItem} item */
export function operationsOf({ name, operation }) {
  return operation === null ? (KINDS[name].only ?? OBJECT_OPERATIONS) : [operation];
}
