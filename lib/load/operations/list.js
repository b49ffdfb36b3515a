import { counted } from '../../text/figures.js';
import { plainText } from '../../text/plain-text.js';
import { S3_CALLS } from '../../store/s3-calls.js';
import { AttemptError, protocolError } from '../../store/s3-error.js';
import { isAbsent } from '../workload/mixed-objects.js';
import { globalIndex } from '../workload/keyspace.js';
import { changedError, listedOf, lowestOf, mixedOf } from './versions.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation } from './operation.js';

/** @import { OperationRecord } from './operation-record.js' */

const MAX_KEY_LENGTH = 100;

/** The object itself and its copy start with the same digits. */
const KEYS_OF_AN_OBJECT = 2;

/**
 * Lists a page of the run's keys. The keys of each page are known in advance: a bucket's keys in order, split into
 * pages of a fixed size. A request states the start of its page (start-after) instead of the token of the previous
 * page, so that threads can list different pages concurrently. Each page must contain exactly its own keys, so that all
 * pages together contain exactly the run's keys.
 */
export const list = defineOperation({
  name: 'list',
  call: S3_CALLS.ListObjectsV2,
  effect: 'reads',
  needsObject: true,
  transfer: 'none',
  grouping: { size: 'pageSize', isByKey: true },
  billingClass: 'A',
  isDefaultStage: false,
  preflight: { ...QUICK_PREFLIGHT, advice: 'the stage list needs ListObjectsV2 with start-after' },
  refuses: {
    shards: 'a host does not know which keys the other hosts wrote',
    leavingTurns: 'each page must contain only the keys of its own turn',
    mix: 'the keys of a page are unknown while objects are written and removed',
  },
  async attempt(record) {
    const { keyspace, amounts } = record.workload;
    const { keys, isTruncated } = await walkPage(record, { Prefix: keyspace.keyPrefix, Delimiter: amounts.delimiter });
    checkPage(record, keys, isTruncated);
    noteToken(record);
  },
  async attemptOfVersion(record) {
    const { workload, index, size } = record;
    const { keyspace } = workload;
    const lowest = lowestOf(record);
    const input = { Prefix: keyspace.keyPrefix, StartAfter: keyspace.beforeKeyOf(index), MaxKeys: size };
    checkOwnPage(record, (await pageOf(record, input)).keys, lowest);
  },
  async attemptExisting(record) {
    const Prefix = record.workload.keyspace.keyPrefix || undefined;
    const { keys, isTruncated } = await walkPage(record, { Prefix, EncodingType: 'url' });
    checkExistingPage(record, keys, isTruncated);
    noteToken(record);
  },
});

/**
 * Requests the record's page.
 *
 * @param {OperationRecord} record
 * @param {Readonly<Record<string, string | undefined>>} input
 * @throws {AttemptError} if the response is not a list, or the page begins too early
 */
async function walkPage(record, input) {
  const { workload, index } = record;
  const page = await pageOf(record, { ...input, ...startOf(record), MaxKeys: workload.amounts.pageSize });
  const [first = ''] = page.keys;
  if (first !== '' && Buffer.compare(Buffer.from(first), Buffer.from(workload.keyspace.beforeKeyOf(index))) <= 0) {
    const message = 'the page begins before start-after, which the store ignores';
    throw new AttemptError({ kind: 'start-after', handling: 'fail', message });
  }
  return page;
}

/**
 * @param {OperationRecord} record
 * @param {NonNullable<OperationRecord['input']>} input
 * @returns {Promise<{ keys: string[], isTruncated: boolean }>}
 * @throws {AttemptError} if the response is not a list
 */
async function pageOf(record, input) {
  const { connection } = record;
  record.input = input;
  await connection.send(S3_CALLS.ListObjectsV2, record);
  // The SDK omits what the store omits.
  const { Contents = [], Name, IsTruncated = Name === undefined ? undefined : false } = connection.reply.output;
  if (typeof IsTruncated !== 'boolean') {
    throw protocolError('the response is not a list of objects', 'retry');
  }
  const keys = Contents.map((/** @type {{ Key?: string }} */ { Key = '' }) => Key);
  return { keys, isTruncated: IsTruncated };
}

/**
 * While objects are written and removed, only the object at which the page starts is certain.
 *
 * @param {OperationRecord} record whose response has arrived
 * @param {readonly string[]} keys
 * @param {number} lowest state of that object before the request
 */
function checkOwnPage(record, keys, lowest) {
  const { index, localIndex, size, workload } = record;
  checkOrder(record, keys);
  const strange = keys.find((key) => workload.keyspace.recogniseName(key) === null);
  const first = workload.keyspace.keyOf(index);
  const isSettled = lowest === mixedOf(record).lastBegun(localIndex);
  const isWrong = isSettled && !isAbsent(lowest) && size >= KEYS_OF_AN_OBJECT && !keys.includes(first);
  if (strange !== undefined || isWrong || keys.length > size) {
    const finding = isWrong ? `does not contain ${first}` : `contains ${shown(strange ?? '')} or too many keys`;
    throw wrongPage(record, finding);
  }
}

/**
 * Where a walk continues in each bucket.
 *
 * @type {WeakMap<OperationRecord, Map<string, { next: number, token?: string }>>}
 */
const walks = new WeakMap();

/**
 * @param {OperationRecord} record
 * @returns {{ ContinuationToken?: string, StartAfter?: string }} where its page starts
 */
function startOf(record) {
  const { bucket, locals, index, workload } = record;
  const walk = walks.get(record)?.get(bucket);
  // A store can continue a list without giving a token.
  if (walk?.token !== undefined && walk.next === locals[0]) {
    return { ContinuationToken: walk.token };
  }
  const before = workload.keyspace.beforeKeyOf(index);
  return before === '' ? {} : { StartAfter: before };
}

/** @param {OperationRecord} record whose page is correct */
function noteToken(record) {
  const { bucket, nextLocal, workload, connection } = record;
  const token = connection.reply.output.NextContinuationToken;
  if (workload.amounts.listWalk) {
    const walk = walks.get(record) ?? new Map();
    walks.set(record, walk.set(bucket, { next: nextLocal, token }));
  }
}

/**
 * Compares a page with the list from before the run. Other clients may write and delete in the meantime, but no page
 * may contain keys without the listed prefix.
 *
 * @param {OperationRecord} record whose response has arrived
 * @param {readonly string[]} keys
 * @param {boolean} continues whether the store reports more keys
 */
function checkExistingPage(record, keys, continues) {
  const { locals } = record;
  const { keyPrefix } = listedOf(record);
  // Keys that are not UTF-8 arrive as '', and are missing from the list from before the run.
  const named = keys.filter((key) => key !== '');
  const strange = named.find((key) => !key.startsWith(keyPrefix));
  if (strange !== undefined) {
    throw wrongPage(record, `contains ${shown(strange)}, which has a different prefix`);
  }
  const shownKeys = Math.min(named.length, locals.length);
  for (let position = 0; position < shownKeys; position++) {
    if (named[position] !== keyOf(record, position)) {
      throw changedError(`the page contains ${shown(named[position])} where another key was expected`);
    }
  }
  // A full page may lack expected keys, because keys that are not UTF-8 take their place.
  const isFull = keys.length >= locals.length;
  if (shownKeys < locals.length && !(continues && isFull)) {
    throw continues ? shortPage(record, shownKeys, 0) : changedError('keys are missing from the page');
  }
}

/**
 * Walks through the received and the expected keys, both in order.
 *
 * @param {OperationRecord} record whose response has arrived
 * @param {readonly string[]} keys
 * @param {boolean} continues whether the store reports more keys
 */
function checkPage(record, keys, continues) {
  const { locals, isLastOfBucket } = record;
  checkOrder(record, keys);
  let position = 0;
  let others = 0;
  for (const key of keys) {
    while (position < locals.length && keyOf(record, position) < key) {
      refuseMissing(record, position);
      position += 1;
    }
    if (position < locals.length && keyOf(record, position) === key) {
      position += 1;
    } else if (record.workload.keyspace.recogniseName(key) === null) {
      throw wrongPage(record, `contains ${shown(key)}, which the run did not write`);
    } else if (position < locals.length || isLastOfBucket) {
      others += 1;
    }
  }
  if (others > 0 || (continues && position < locals.length)) {
    throw shortPage(record, position, others);
  }
  for (; position < locals.length; position += 1) {
    refuseMissing(record, position);
  }
  if (continues && isLastOfBucket) {
    throw new IntegrityError(record, 'the list continues after the last key of the run');
  }
  if (!continues && exists(record, record.nextLocal)) {
    throw new IntegrityError(record, 'the list ends here, before the last key of the run');
  }
}

/**
 * @param {OperationRecord} record
 * @param {readonly string[]} keys
 * @throws {IntegrityError} if a key is repeated or out of order
 */
function checkOrder(record, keys) {
  const position = keys.findIndex((key, each) => each > 0 && key <= keys[each - 1]);
  if (position > 0) {
    const how = keys[position] === keys[position - 1] ? 'twice' : `after ${shown(keys[position - 1])}`;
    throw wrongPage(record, `contains ${shown(keys[position])} ${how}`);
  }
}

/**
 * @param {OperationRecord} record
 * @param {number} position among the objects of the page
 */
function keyOf({ locals, workload: { keyspace, shard } }, position) {
  return keyspace.keyOf(globalIndex(shard, locals[position]));
}

/**
 * An object whose write failed may or may not exist.
 *
 * @param {OperationRecord} record
 * @param {number} position of an object that is missing from its page
 * @throws {IntegrityError} if the object must exist
 */
function refuseMissing(record, position) {
  if (exists(record, record.locals[position])) {
    throw wrongPage(record, `does not contain ${keyOf(record, position)}`);
  }
}

/**
 * @param {OperationRecord} record
 * @param {number} local index of an object; -1 for none
 */
function exists({ workload: { ledger, wroteObjects } }, local) {
  return local !== -1 && (!wroteObjects || ledger.has(local));
}

/**
 * A store may return fewer keys than requested, and a page may contain other objects of the run. Neither is an
 * integrity error, but the page then lacks some of its keys.
 *
 * @param {OperationRecord} record
 * @param {number} position of the first expected object that the page does not reach
 * @param {number} others number of other keys of the run on the page
 */
function shortPage({ locals }, position, others) {
  const among = others === 0 ? '' : `, and ${counted(others, 'other key')} of the run`;
  const message = `the list page that starts at this key contains ${position} of its ${locals.length} keys${among}`;
  return new AttemptError({ kind: 'short-page', handling: 'fail', message });
}

/** @param {string} key from the store */
function shown(key) {
  return plainText(key, MAX_KEY_LENGTH);
}

/**
 * @param {OperationRecord} record
 * @param {string} finding
 */
function wrongPage(record, finding) {
  return new IntegrityError(record, `the list page that starts at this key ${finding}`);
}
