import { mixIndex } from '../workload/mix.js';
import { sortBy } from '../workload/object-groups.js';
import { MEMBER_VALUES } from '../workload/trace.js';
import { codeOf, shared } from './recorded-requests.js';

/**
 * @import { Trace } from '../../result/config.js'
 * @import { RecordedRequests } from './recorded-requests.js'
 */

const [LIST, WRITE, REMOVE, BATCH] = ['list', 'write', 'remove', 'batch-remove'].map(codeOf);

const SECOND_MS = 1000;
const TWO_TO_THE_32 = 2 ** 32;

/** Classes of objects: those that no request changes, those that one changes, and those that the first one creates. */
const [UNCHANGED, CHANGED, CREATED] = [1, 2, 3];

/** Keys per batch request. */
const MAX_BATCH = 1000;

/** Bytes of an object if the log states no size at all. */
const UNKNOWN_SIZE = 16_384;

/**
 * @typedef {object} Part of a log
 * @property {number} from ms after the first request
 * @property {number} length ms
 * @property {number} limit number of requests
 */

/**
 * Orders requests by time, and works out which objects must exist before the first one. All this is done in place, because
 * a copy of the columns would double the memory that this takes.
 *
 * @param {RecordedRequests} recorded whose columns become those of the trace
 * @param {Part} part to replay
 * @returns {Trace}
 */
export function makeTrace(recorded, { from, length, limit }) {
  const start = recorded.firstAt + from;
  const count = Math.min(sortByTime(recorded, keepPart(recorded, start, start + length)), limit);
  const [times, codes] = [recorded.times.subarray(0, count), recorded.codes.subarray(0, count)];
  const [targets, amounts] = [recorded.objects.subarray(0, count), recorded.amounts.subarray(0, count)];
  const { locals, unchanged, prepared, objects } = numberObjects(codes, targets, recorded.keyCount);
  const sizes = sizesOfObjects(recorded, locals, objects);
  const members = shared(Uint32Array, MEMBER_VALUES * (recorded.batched + 1));
  const trace = {
    requests: 0,
    objects,
    prepared,
    unchanged,
    length: 0,
    sizes,
    times,
    codes,
    targets,
    amounts,
    members,
  };
  /** Number of changes of each object so far. */
  const changes = new Uint32Array(objects).fill(1, 0, prepared);
  const batches = new Batches(trace.members, changes);
  const timeOf = spreadTimes(times);
  for (let each = 0; each < count; each++) {
    const time = timeOf(each);
    const code = codes[each];
    const number = targets[each];
    const target = code === LIST ? number % Math.max(objects, 1) : locals[number] - 1;
    if (code === BATCH && batches.joins(amounts[each], times[each], target)) {
      continue;
    }
    // Never after `each`, so that requests that are still to come remain.
    const request = trace.requests++;
    times[request] = Math.max(time - start, times[request - 1] ?? 0);
    codes[request] = code;
    targets[request] = target;
    if (code === BATCH) {
      amounts[request] = batches.last;
    } else {
      amounts[request] = code === WRITE || code === REMOVE ? changes[target]++ : amounts[each];
    }
  }
  trace.length = trace.requests === 0 ? 0 : times[trace.requests - 1];
  return trace;
}

/** @param {RecordedRequests} recorded */
function columnsOf({ times, codes, objects, amounts }) {
  return [times, codes, objects, amounts];
}

/**
 * Moves the requests of a time to the front.
 *
 * @param {RecordedRequests} recorded
 * @param {number} from epoch ms
 * @param {number} until epoch ms
 * @returns {number} of these requests
 */
function keepPart(recorded, from, until) {
  const { times, count } = recorded;
  let kept = 0;
  for (let index = 0; index < count; index++) {
    if (times[index] >= from && times[index] < until) {
      move(recorded, index, kept++);
    }
  }
  return kept;
}

/**
 * @param {RecordedRequests} recorded
 * @param {number} from index
 * @param {number} to index
 */
function move({ times, codes, objects, amounts }, from, to) {
  times[to] = times[from];
  codes[to] = codes[from];
  objects[to] = objects[from];
  amounts[to] = amounts[from];
}

/**
 * @param {RecordedRequests} recorded
 * @param {number} count of the first requests, which are sorted
 */
function sortByTime(recorded, count) {
  const times = recorded.times.subarray(0, count);
  if (times.every((time, index) => index === 0 || times[index - 1] <= time)) {
    return count;
  }
  let [first, last] = [Infinity, -Infinity];
  times.forEach((time) => {
    first = Math.min(first, time);
    last = Math.max(last, time);
  });
  const order = new Uint32Array(count).map((_, index) => index);
  // Exact to 0.1 ms in a week.
  const ranksPerMs = (TWO_TO_THE_32 - 1) / (last - first);
  sortBy(order, (index) => (times[index] - first) * ranksPerMs);
  const columns = columnsOf(recorded);
  for (let start = 0; start < count; start++) {
    // Moves the requests of one cycle of the order to their places, and marks these as settled.
    const held = columns.map((column) => column[start]);
    let to = start;
    for (let from = order[to]; from !== start; from = order[to]) {
      move(recorded, from, to);
      order[to] = to;
      to = from;
    }
    columns.forEach((column, each) => (column[to] = held[each]));
    order[to] = to;
  }
  return count;
}

/**
 * Objects whose first request is not a write must exist before. Of these, those that no request changes come first.
 *
 * @param {Uint8Array} codes
 * @param {Uint32Array} keys
 * @param {number} keyCount
 * @returns {{ locals: Uint32Array, unchanged: number, prepared: number, objects: number }} `locals`: by the number of a key, the local
 *   index of its object plus one; 0 if no request concerns it
 */
function numberObjects(codes, keys, keyCount) {
  const classes = new Uint8Array(keyCount);
  codes.forEach((code, index) => {
    const key = keys[index];
    const isChange = code === WRITE || code === REMOVE || code === BATCH;
    if (code !== LIST && classes[key] !== CREATED) {
      classes[key] =
        code === WRITE && classes[key] === 0 ? CREATED : Math.max(classes[key], isChange ? CHANGED : UNCHANGED);
    }
  });
  const locals = new Uint32Array(keyCount);
  let count = 0;
  const [unchanged, prepared, all] = [UNCHANGED, CHANGED, CREATED].map((each) => {
    for (let key = 0; key < keyCount; key++) {
      if (classes[key] === each) {
        locals[key] = ++count;
      }
    }
    return count;
  });
  return { locals, unchanged, prepared, objects: all };
}

/**
 * An object whose size the log does not state gets the size of one of the others.
 *
 * @param {RecordedRequests} recorded
 * @param {Uint32Array} locals
 * @param {number} objects
 * @returns {Float64Array} bytes by local index
 */
function sizesOfObjects({ sizes: stated }, locals, objects) {
  const sizes = shared(Float64Array, objects);
  locals.forEach((local, key) => {
    if (local > 0) {
      sizes[local - 1] = stated[key] - 1;
    }
  });
  const unknown = sizes.reduce((count, size) => count + Number(size < 0), 0);
  const known = sizes.slice().sort().subarray(unknown);
  sizes.forEach((size, local) => {
    if (size < 0) {
      const drawn = Math.floor((mixIndex(local, 0) / TWO_TO_THE_32) * known.length);
      sizes[local] = known[drawn] ?? UNKNOWN_SIZE;
    }
  });
  return sizes;
}

/**
 * Logs of S3 state whole seconds. The requests of each second are spread over it.
 *
 * @param {Float64Array} times epoch ms, ascending
 * @returns {(each: number) => number} epoch ms of the request at that position; positions ascend
 */
function spreadTimes(times) {
  if (!times.every((time) => time % SECOND_MS === 0)) {
    return (each) => times[each];
  }
  let [first, end] = [0, 0];
  return (each) => {
    const time = times[each];
    if (each >= end) {
      first = each;
      end = each + 1;
      while (end < times.length && times[end] === time) {
        end += 1;
      }
    }
    return time + (SECOND_MS * (each - first)) / (end - first);
  };
}

/** Collects the objects that one request removes, which can have a line each. */
class Batches {
  #members;
  #changes;
  #time = NaN;
  /** Those of the current time, by number. @type {Map<number, { first: number, last: number, size: number }>} */
  #open = new Map();
  /** The batch that last had the object, by its first member. */
  #batchOf;
  /** Index of the last member. */
  last = 0;

  /**
   * @param {Uint32Array} members see Trace
   * @param {Uint32Array} changes
   */
  constructor(members, changes) {
    this.#members = members;
    this.#changes = changes;
    this.#batchOf = new Uint32Array(members.length === MEMBER_VALUES ? 0 : changes.length);
  }

  /**
   * @param {number} number of the batch in the log
   * @param {number} time
   * @param {number} object
   * @returns {boolean} false if the object begins a batch
   */
  joins(number, time, object) {
    if (time !== this.#time) {
      this.#open.clear();
      this.#time = time;
    }
    const batch = this.#open.get(number);
    const joins = batch !== undefined && batch.size < MAX_BATCH;
    if (joins && this.#batchOf[object] === batch.first) {
      return true;
    }
    const member = ++this.last;
    this.#members.set([object, this.#changes[object]++, 0], MEMBER_VALUES * member);
    if (joins) {
      this.#members[MEMBER_VALUES * batch.last + 2] = member;
      batch.last = member;
      batch.size += 1;
    } else {
      this.#open.set(number, { first: member, last: member, size: 1 });
    }
    this.#batchOf[object] = joins ? batch.first : member;
    return joins;
  }
}
