import { setTimeout as sleep } from 'node:timers/promises';
import { parseSize } from '../text/units.js';
import { ObjectTable } from './object-table.js';
import { checkConditions, unconditional } from './operations.js';
import { OPERATIONS } from './router.js';

/**
 * @import { Answer } from './answer.js'
 * @import { Fault } from './fault-injector.js'
 * @import { Request, Result } from './operations.js'
 * @import { Operation } from './router.js'
 */

/**
 * @typedef {object} Victim the request that a fault affects
 * @property {Fault} fault
 * @property {Answer} answer
 * @property {Request} request
 * @property {(changes?: Partial<Request>) => Result} perform carries out the request, or a changed one, and returns the
 *   response
 * @property {() => void} reset closes the connection with RST
 */

/**
 * @typedef {object} FaultItem
 * @property {string} name
 * @property {Operation | null} operation the only one it applies to; null: all object operations that it supports
 * @property {string | null} bucket the only one it applies to; null: all together
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
 * @typedef {object} Affected a request that a fault could affect
 * @property {string} bucket
 * @property {number} [size] bytes of its object; undefined if that does not exist, in which case a GET has no faults
 * @property {object} [connection] the same one for each of a connection's requests
 * @property {boolean} [hasBefore] whether the object's previous state can be served
 * @property {boolean} [isConditional]
 *
 * @typedef {object} Effect what an item does besides its answer; times are monotonic ms
 * @property {(connection?: object) => boolean} hits whether the fault affects this request
 * @property {(time: number) => number} due when a request that would take effect at this time takes effect
 * @property {((now: number, bytes: number) => number) | null} pace when a part of a body of these bytes has passed; null
 *   if the item sets none
 *
 * @typedef {object} Kind
 * @property {string} form of its value, for messages
 * @property {(value: string) => Partial<FaultItem> | Partial<FaultPlan>} read throws a RangeError if the value is invalid
 * @property {boolean} [isOfScript] applies to the whole script, without method or bucket
 * @property {readonly Operation[]} [only] the operations for which it makes sense
 * @property {boolean} [repeatable]
 * @property {(request: Affected) => boolean} [affects] whether it would change the response to this request
 * @property {(item: FaultItem, random: () => number, now: () => number) => Partial<Effect>} [begin] a new state;
 *   `random`: uniform in [0, 1); `now`: monotonic ms
 * @property {(victim: Victim) => void | Promise<void>} [answer] how it answers; absent: not at all
 */

const DRIP_PAUSE = 50;

/** Error codes by status; other statuses use the code for 400 or 500. */
const CODES = /** @type {Record<string, string>} */ ({
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

const UNITS = /** @type {Record<string, number>} */ ({ ms: 1, s: 1000, m: 60_000 });

/**
 * @param {RegExp} form
 * @param {string} value
 * @returns {string[]} its groups
 * @throws {RangeError} if the value has another form
 */
function groups(form, value) {
  const found = form.exec(value);
  if (found === null) {
    throw new RangeError(`expected ${form}, got ${value}`);
  }
  return found.slice(1);
}

/** @param {string} value such as 20ms, 1.5s or 20m */
function readDuration(value) {
  const [number, unit] = groups(/^([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s|m)$/, value);
  return Number(number) * UNITS[unit];
}

/** @param {string} value */
function readProbability(value) {
  const [percentage] = groups(/^(100|[0-9]{1,2}(?:\.[0-9]{1,9})?)%$/, value);
  return { probability: Number(percentage) / 100 };
}

/** @param {string} value a range, or median and sigma such as lognormal:20ms:0.5 */
function readLatency(value) {
  if (value.startsWith('lognormal:')) {
    const [median, sigma] = groups(/^lognormal:(.+):([0-9](?:\.[0-9]{1,3})?)$/, value);
    return { median: readDuration(median), sigma: Number(sigma) };
  }
  const [minimum, maximum] = groups(/^(.+?)(?:\.\.(.+))?$/, value).map((end = value) => readDuration(end));
  if (maximum < minimum) {
    throw new RangeError('expected the lower end first');
  }
  return { minimum, maximum };
}

/** @param {string} value */
function readStatus(value) {
  const [status, code, percentage] = groups(/^([45][0-9]{2})(?:\/([A-Za-z]+))?:(.*)$/, value);
  const common = CODES[status < '500' ? 400 : 500];
  return { status: Number(status), code: code ?? CODES[status] ?? common, ...readProbability(percentage) };
}

/** @param {string} value a duration with an optional sign */
function readSkew(value) {
  return { skew: readDuration(value.replace(/^[+-]/, '')) * (value.startsWith('-') ? -1 : 1) };
}

/**
 * @param {string} field
 * @returns {(value: string) => Record<string, number>} reads a whole number from 1
 */
function wholeNumber(field) {
  return (value) => ({ [field]: Number(groups(/^([1-9][0-9]{0,8})$/, value)[0]) });
}

/** @param {string} value */
function readBandwidth(value) {
  return { bytesPerSecond: parseSize(groups(/^([1-9].*)$/, value)[0]) };
}

/** @param {string} value such as 2s@3s */
function readStall(value) {
  const [length, after] = groups(/^(.+)@(.+)$/, value).map(readDuration);
  return { length, after };
}

/** @param {string} value */
function readDelay(value) {
  return { milliseconds: readDuration(value) };
}

/** @param {Victim} victim */
function refuse({ fault, answer }) {
  const headers = fault.retryAfter === null ? [] : ['Retry-After', fault.retryAfter];
  answer.sendError({ ...fault, message: 'A fault script makes the embedded endpoint answer this.' }, headers);
}

/** @param {Victim} victim */
function truncate({ answer, perform }) {
  const { result, body } = performWithBody(perform);
  answer.begin(result);
  answer.write(body.subarray(0, body.length >>> 1), () => answer.socket?.destroySoon());
}

/** @param {Victim} victim */
function corrupt({ answer, perform }) {
  const { result, body } = performWithBody(perform);
  const corrupted = Buffer.from(body);
  corrupted[corrupted.length >>> 1] ^= 1;
  answer.send({ ...result, body: corrupted });
}

/** @param {Victim} victim */
function drip({ answer, perform }) {
  const { result, body } = performWithBody(perform);
  answer.begin(result);
  const sendByte = (/** @type {number} */ position) => {
    if (position === body.length - 1) {
      answer.end(result.status, body.subarray(position));
    } else if (!answer.isAbandoned) {
      answer.write(body.subarray(position, position + 1));
      setTimeout(sendByte, DRIP_PAUSE, position + 1);
    }
  };
  sendByte(0);
}

/** @param {Victim['perform']} perform */
function performWithBody(perform) {
  const result = perform();
  return { result, body: /** @type {Buffer} */ (result.body) };
}

/** @param {Victim} victim */
function performUnconditionally({ answer, request, perform }) {
  answer.send(perform({ headers: unconditional(request.headers) }));
}

/** Operations that a fault without a method affects. All others must be named. @type {readonly Operation[]} */
const OBJECT_OPERATIONS = ['PUT', 'GET', 'HEAD', 'DELETE', 'CREATE', 'PART', 'COMPLETE', 'ABORT'];

const NAMEABLE = OPERATIONS.filter((operation) => operation !== 'OTHER');

const REQUEST_RATE = { form: 'requests per second, such as 500', read: wholeNumber('perSecond') };

const PROBABILITY = { form: 'a percentage such as 5%', read: readProbability };
/** @type {Omit<Kind, 'answer'>} */
const OF_BODIES = { ...PROBABILITY, only: ['GET'], affects: ({ size = 0 }) => size > 0 };

/** @type {Omit<Kind, 'answer' | 'form' | 'read'>} */
const OF_CONDITIONAL_WRITES = { only: ['PUT'], affects: ({ isConditional = false }) => isConditional };

/** @type {Kind} */
const NOT_CARRIED_OUT = {
  ...PROBABILITY,
  answer: ({ answer, perform }) => answer.send(perform({ table: new ObjectTable() })),
};

/** Of each request. */
const WAIT = { form: 'a duration such as 5s', read: readDelay, begin: () => ({ hits: () => true }) };

/**
 * All that a script can contain. Items take effect in this order: a latency starts after the wait for a queue, and a stall
 * holds back what is due during it.
 *
 * - `seed` (default 0) makes a case reproducible; `skew` sets the server's clock ahead (or back: `skew=-20m`).
 * - `latency` delays the request before it takes effect; several latencies add up. `lognormal:20ms:0.5` has a median of
 *   20 ms, and its logarithm has a standard deviation of 0.5.
 * - `queue` starts at most this many requests per second in order of arrival; the others wait. `bandwidth` limits the
 *   bytes of bodies per second, in both directions, over all connections. Like `rate`, both carry over unused capacity of
 *   the last 50 ms.
 * - `stall=2s@3s` holds back responses for 2 s, starting 3 s after the item's first request.
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
 * - `close` silently closes each connection after the response to its nth request.
 *
 * @type {Readonly<Record<string, Kind>>}
 */
export const KINDS = Object.freeze({
  seed: {
    form: 'a whole number such as 7',
    read: (value) => ({ seed: Number(groups(/^([0-9]{1,9})$/, value)[0]) }),
    isOfScript: true,
  },
  skew: { form: 'a duration such as 20m or -20m', read: readSkew, isOfScript: true },
  queue: { ...REQUEST_RATE, begin: queue },
  latency: {
    form: 'a duration such as 20ms, a range such as 20ms..50ms, or median and sigma such as lognormal:20ms:0.5',
    read: readLatency,
    begin: latency,
  },
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
  reset: { ...PROBABILITY, answer: ({ reset }) => reset() },
  truncate: { ...OF_BODIES, answer: truncate },
  corrupt: { ...OF_BODIES, answer: corrupt },
  hang: PROBABILITY,
  drip: { ...OF_BODIES, answer: drip },
  lost: {
    ...PROBABILITY,
    only: ['PUT', 'CREATE', 'PART', 'COMPLETE', 'ABORT'],
    answer({ answer, perform }) {
      perform();
      answer.socket?.destroy();
    },
  },
  close: {
    form: 'requests per connection, such as 100',
    read: wholeNumber('requests'),
    begin: close,
    answer({ answer, perform }) {
      const { socket } = answer;
      answer.response.once('finish', () => socket?.destroySoon());
      answer.send(perform());
    },
  },
  stale: {
    ...PROBABILITY,
    only: ['GET', 'HEAD'],
    affects: ({ hasBefore = false }) => hasBefore,
    answer: ({ answer, request, perform }) => answer.send(perform({ table: request.table.before(request.target.key) })),
  },
  unstored: { ...NOT_CARRIED_OUT, only: ['PUT', 'COMPLETE'] },
  kept: { ...NOT_CARRIED_OUT, only: ['DELETE', 'POST'] },
  'list-lag': {
    ...WAIT,
    only: ['LIST'],
    answer: ({ fault, answer, request: { table, now }, perform }) =>
      answer.send(perform({ table: table.writtenBefore(now - fault.milliseconds) })),
  },
  'ignore-condition': { ...PROBABILITY, ...OF_CONDITIONAL_WRITES, answer: performUnconditionally },
  'check-then-write': {
    ...WAIT,
    ...OF_CONDITIONAL_WRITES,
    async answer(victim) {
      checkConditions(victim.request);
      await pass(victim.fault.milliseconds);
      performUnconditionally(victim);
    },
  },
});

/**
 * Parses a fault script: comma-separated items of the form `name=value` or `METHOD.name=value`.
 *
 *     seed=7, latency=20ms..50ms, PUT.status=503:5%, retry-after=2s, reset=1%
 *
 * Methods are PUT, GET, HEAD, DELETE, and for multipart uploads CREATE, PART, COMPLETE, ABORT. POST (batch deletion),
 * LIST, UPLOADS and BUCKET (a bucket check) are affected only by faults that name them. A limit applies to all buckets
 * together; `rate@NAME=500` limits one bucket.
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
  const problems = script.split(/[\s,]+/).flatMap((text) => {
    const problem = text === '' ? null : addItem(plan, text, seen);
    return problem === null ? [] : [`'${text}': ${problem}`];
  });
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
  try {
    const fields = read(value);
    if (isOfScript) {
      Object.assign(plan, fields);
    } else {
      plan.items.push({ name, operation, bucket, ...fields });
    }
    return null;
  } catch (error) {
    if (error instanceof RangeError) {
      return `expected ${form}`;
    }
    throw error;
  }
}

/** @param {FaultItem} item */
export function operationsOf({ name, operation }) {
  return operation === null ? (KINDS[name].only ?? OBJECT_OPERATIONS) : [operation];
}

/** Unused capacity that a rate can carry over, in ms, so that brief stalls of a busy machine do not reduce the rate. */
export const SAVED_MS = 50;

/**
 * @param {FaultItem} item
 * @param {() => number} random uniform in [0, 1)
 * @returns {Pick<Effect, 'due'>}
 */
function latency({ minimum = 0, maximum = minimum, median, sigma = 0 }, random) {
  return median === undefined
    ? { due: (time) => time + minimum + random() * (maximum - minimum) }
    : { due: (time) => time + median * Math.exp(sigma * standardNormal(random)) };
}

/** Box and Muller, A note on the generation of random normal deviates, 1958. @param {() => number} random */
function standardNormal(random) {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}

/**
 * @param {FaultItem} item
 * @returns {Pick<Effect, 'due'>}
 */
function queue({ perSecond = 1 }) {
  const reserve = schedule();
  return { due: (time) => Math.max(time, reserve(time, 1000 / perSecond).from) };
}

/**
 * @param {FaultItem} item
 * @param {() => number} _random
 * @param {() => number} now ms
 * @returns {Pick<Effect, 'due'>}
 */
function stall({ length = 0, after = 0 }, _random, now) {
  let from = NaN;
  return {
    due(time) {
      from = Number.isNaN(from) ? now() + after : from;
      return time < from ? time : Math.max(time, from + length);
    },
  };
}

/**
 * Concurrent bodies share the bandwidth, one part at a time.
 *
 * @param {FaultItem} item
 * @returns {Pick<Effect, 'pace'>}
 */
function bandwidth({ bytesPerSecond = 1 }) {
  const reserve = schedule();
  return { pace: (now, bytes) => reserve(now, (1000 * bytes) / bytesPerSecond).to };
}

/**
 * Hands out consecutive time slots, like a token bucket. Each slot starts at the calculated end of the previous one, so
 * a timer that fires late does not delay later slots.
 *
 * @returns {(now: number, length: number) => { from: number, to: number }}
 */
function schedule() {
  let free = -Infinity;
  return (now, length) => {
    const from = Math.max(now - SAVED_MS, free);
    free = from + length;
    return { from, to: free };
  };
}

/**
 * @param {FaultItem} item
 * @param {() => number} _random
 * @param {() => number} now ms
 * @returns {Pick<Effect, 'hits'>} hits the requests above the rate
 */
function rate({ perSecond = 1 }, _random, now) {
  const capacity = Math.max(1, (perSecond * SAVED_MS) / 1000);
  let tokens = capacity;
  let filledAt = now();
  return {
    hits() {
      const time = now();
      tokens = Math.min(capacity, tokens + ((time - filledAt) / 1000) * perSecond);
      filledAt = time;
      if (tokens < 1) {
        return true;
      }
      tokens--;
      return false;
    },
  };
}

/**
 * @param {FaultItem} item
 * @returns {Pick<Effect, 'hits'>} hits the last request of each connection
 */
function close({ requests = 1 }) {
  /** @type {WeakMap<object, number>} */
  const served = new WeakMap();
  return {
    hits(connection = served) {
      const count = (served.get(connection) ?? 0) + 1;
      served.set(connection, count);
      return count >= requests;
    },
  };
}

/**
 * Waits at least this long. A plain timer can fire early, because it counts whole ms from the start of the event loop
 * iteration.
 *
 * @param {number} delay ms
 */
export async function pass(delay) {
  const due = performance.now() + delay;
  for (let left = delay; left > 0; left = due - performance.now()) {
    await sleep(Math.ceil(left));
  }
}
