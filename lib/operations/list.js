import { plainText } from '../text/plain-text.js';
import { S3_CALLS } from '../s3/s3-calls.js';
import { AttemptError } from '../s3/s3-error.js';
import { globalIndex } from '../workload/shard.js';
import { changedError, listedOf } from './existing-object.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation } from './operation.js';

/** @import { OperationRecord } from './operation-record.js' */

/** A key from the store is shown up to so many characters. */
const MAX_KEY_LENGTH = 100;

/**
 * Lists a page of the run's keys. Which keys a page has is known beforehand: those of a bucket in their order, by so many
 * at a time. Each page is asked for by the place where it begins (start-after) and needs no token of the one before, so
 * that threads list different pages at the same time. That a page holds its keys and no others, and that each page begins
 * where the one before ends, makes all of them together the run's keys, no more and no fewer.
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
  preflight: QUICK_PREFLIGHT,
  refuses: {
    shards: 'a host does not know which keys the others have written',
    peakOfBuckets: 'its pages are those of all buckets',
    turnsThatLeave: 'a page has to show the keys of its own turn alone',
    mix: 'which keys a page has to show is not known while objects come and go',
  },
  async attempt(record) {
    const { connection, workload, index } = record;
    const { keyspace, amounts } = workload;
    const { pageSize } = amounts;
    record.input = { Prefix: keyspace.keyPrefix, StartAfter: keyspace.beforeKeyOf(index), MaxKeys: pageSize };
    await connection.send(this.call, record);
    const { keys, isTruncated } = pageOf(record);
    checkPage(record, keys, isTruncated);
  },
  async attemptExisting(record) {
    const { connection, workload, index } = record;
    const { keyspace, amounts } = workload;
    const { pageSize } = amounts;
    const before = keyspace.beforeKeyOf(index);
    record.input = {
      ...(keyspace.keyPrefix === '' ? {} : { Prefix: keyspace.keyPrefix }),
      ...(before === '' ? {} : { StartAfter: before }),
      ...{ MaxKeys: pageSize, EncodingType: 'url' },
    };
    await connection.send(this.call, record);
    const { keys, isTruncated } = pageOf(record);
    checkExistingPage(record, keys, isTruncated);
  },
});

/**
 * @param {OperationRecord} record whose answer has come
 * @returns {{ keys: string[], isTruncated: boolean }}
 * @throws {AttemptError} where it is no list
 */
function pageOf({ connection: { reply } }) {
  const { Contents = [], IsTruncated } = reply.output;
  if (typeof IsTruncated !== 'boolean') {
    throw new AttemptError({ kind: 'protocol', handling: 'retry', message: 'the answer is no list of objects' });
  }
  const keys = Contents.map((/** @type {{ Key?: string }} */ { Key = '' }) => Key);
  return { keys, isTruncated: IsTruncated };
}

/**
 * Compares a page with what was listed before the run. Others may write and delete meanwhile; what nobody can do is to bring
 * keys to a page that do not begin with its prefix.
 *
 * @param {OperationRecord} record whose answer has come
 * @param {readonly string[]} keys
 * @param {boolean} continues whether the store says that there are more
 */
function checkExistingPage(record, keys, continues) {
  const { locals } = record;
  const { keyPrefix } = listedOf(record);
  // Those that are not UTF-8 come without a name, and were left out of the list.
  const named = keys.filter((key) => key !== '');
  const strange = named.find((key) => !key.startsWith(keyPrefix));
  if (strange !== undefined) {
    throw new IntegrityError(record, `the page that begins here has ${shown(strange)}, which has another prefix`);
  }
  const shownKeys = Math.min(named.length, locals.length);
  for (let place = 0; place < shownKeys; place++) {
    if (named[place] !== keyOf(record, place)) {
      throw changedError(`the page has ${shown(named[place])} in the place of another key`);
    }
  }
  // On a full page, keys without a name take the place of others.
  const isFull = keys.length >= locals.length;
  if (shownKeys < locals.length && !(continues && isFull)) {
    throw continues ? shortPage(record, shownKeys, 0) : changedError('keys of the page are gone');
  }
}

/**
 * Goes through the keys that came and those that were expected, both in their order.
 *
 * @param {OperationRecord} record whose answer has come
 * @param {readonly string[]} keys
 * @param {boolean} continues whether the store says that there are more
 */
function checkPage(record, keys, continues) {
  const { locals, isLastOfBucket } = record;
  checkOrder(record, keys);
  let place = 0;
  let others = 0;
  for (const key of keys) {
    while (place < locals.length && keyOf(record, place) < key) {
      refuseMissing(record, place);
      place += 1;
    }
    if (place < locals.length && keyOf(record, place) === key) {
      place += 1;
    } else if (record.workload.keyspace.recogniseName(key) === null) {
      throw new IntegrityError(record, `the page that begins here has ${shown(key)}, which the run did not write`);
    } else if (place < locals.length || isLastOfBucket) {
      others += 1;
    }
  }
  if (others > 0 || (continues && place < locals.length)) {
    throw shortPage(record, place, others);
  }
  for (; place < locals.length; place += 1) {
    refuseMissing(record, place);
  }
  if (continues && isLastOfBucket) {
    throw new IntegrityError(record, 'the list goes on after the last key of the run');
  }
  if (!continues && exists(record, record.nextLocal)) {
    throw new IntegrityError(record, 'the list ends here, before the last key of the run');
  }
}

/**
 * @param {OperationRecord} record
 * @param {readonly string[]} keys
 * @throws {IntegrityError} where a key comes twice, or before its turn
 */
function checkOrder(record, keys) {
  const place = keys.findIndex((key, each) => each > 0 && key <= keys[each - 1]);
  if (place > 0) {
    const how = keys[place] === keys[place - 1] ? 'twice' : `after ${shown(keys[place - 1])}`;
    throw new IntegrityError(record, `the page that begins here has ${shown(keys[place])} ${how}`);
  }
}

/**
 * @param {OperationRecord} record
 * @param {number} place among the objects of the page
 */
function keyOf({ locals, workload: { keyspace, shard } }, place) {
  return keyspace.keyOf(globalIndex(shard, locals[place]));
}

/**
 * An object whose write has failed may be there or not.
 *
 * @param {OperationRecord} record
 * @param {number} place of an object that is not on its page
 * @throws {IntegrityError} where it has to be
 */
function refuseMissing(record, place) {
  if (exists(record, record.locals[place])) {
    const hint = record.workload.wroteObjects ? '' : '; was the run written with as many <objects>?';
    throw new IntegrityError(record, `the page that begins here lacks ${keyOf(record, place)}${hint}`);
  }
}

/**
 * @param {OperationRecord} record
 * @param {number} local index of an object; -1 for none
 */
function exists({ workload: { written, wroteObjects } }, local) {
  return local !== -1 && (!wroteObjects || written.has(local));
}

/**
 * A store may put fewer keys on a page than it was asked for, and other objects of the run may stand among those of its
 * stages: neither is a wrong answer, but the page does not show all of its keys.
 *
 * @param {OperationRecord} record
 * @param {number} place of the first object that was not reached
 * @param {number} others further keys of the run
 */
function shortPage({ locals, workload }, place, others) {
  const hint = workload.wroteObjects ? '' : ': was the run written with more <objects>, or with copies?';
  const among = others === 0 ? '' : `, with ${others} others of the run among them${hint}`;
  const message = `the page that begins here shows ${place} of its ${locals.length} keys${among}`;
  return new AttemptError({ kind: 'short-page', handling: 'fail', message });
}

/** @param {string} key from the store */
function shown(key) {
  return plainText(key, MAX_KEY_LENGTH);
}
