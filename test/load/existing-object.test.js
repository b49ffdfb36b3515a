import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { IntegrityError } from '../../lib/load/operations/operation.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { etagDigest } from '../../lib/store/object-connection.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { BucketListing, ListedObjects } from '../../lib/load/workload/listed-objects.js';
import { ObjectGroups } from '../../lib/load/workload/object-groups.js';
import { WHOLE } from '../../lib/load/workload/keyspace.js';
import { fakeEngine } from '../helpers/fake-store.js';

const BODIES = ['first', '', 'the third one', 'the fourth one'].map((text) => Buffer.from(text));
const KEYS = ['p/a', 'p/b', 'p/c', 'p/d\u0001'];
const BUCKET = 'one';

/** @param {Buffer} bytes */
function md5Of(bytes) {
  return createHash('md5').update(bytes).digest('hex');
}

/** @param {readonly string[]} etags */
function listedOf(etags) {
  const listing = new BucketListing();
  etags.forEach((etag, place) => {
    const digest = etag === '' ? 0 : etagDigest(Buffer.from(etag));
    listing.add({ key: Buffer.from(KEYS[place]), size: BODIES[place].length, etagDigest: digest });
  });
  return ListedObjects.of({ prefix: 'p/', buckets: [BUCKET], shards: 1, limit: 99, listings: [listing] });
}

/**
 * @typedef {object} Answered
 * @property {Buffer} [body]
 * @property {string} [etag] '' for none
 * @property {number} [status]
 * @property {string} [contentRange]
 * @property {Record<string, unknown>} [output]
 * @property {AttemptError} [error]
 */

/**
 * A store whose responses come from the test.
 *
 * @param {readonly string[]} etags as listed
 */
function storeOf(etags = BODIES.map(md5Of)) {
  const listed = listedOf(etags);
  /** @type {any[]} */
  const inputs = [];
  /** @type {Answered} */
  let next = {};
  const { workload, connections } = fakeEngine({
    threads: 1,
    wroteObjects: false,
    answer: ({ connection, sink, input, key }) => {
      inputs.push({ key, input });
      if (next.error !== undefined) {
        throw next.error;
      }
      const { body = Buffer.alloc(0), etag = '', status = 200 } = next;
      const reply = /** @type {any} */ (connection).reply;
      Object.assign(reply, {
        status,
        etagDigest: etag === '' ? 0 : etagDigest(Buffer.from(etag)),
        contentLength: body.length,
        contentRange: next.contentRange ?? '',
        output: next.output ?? {},
      });
      sink?.accept(body);
    },
  });
  const whole = { ...workload, keyspace: listed, listed, sizeOf: listed.sizeOf, shard: WHOLE };
  whole.amounts = { ...whole.amounts, rangeSize: 4, pageSize: 3 };
  return {
    inputs,
    listed,
    /**
     * @param {string} name
     * @param {number} index
     * @param {Answered} answer
     */
    async attempt(name, index, answer) {
      next = answer;
      const operation = operationNamed(name);
      const record = new OperationRecord(operation, whole, connections[0]);
      if (operation.grouping === undefined) {
        record.take(0, operation, index);
      } else {
        const groups = new ObjectGroups({
          keyspace: listed,
          shard: WHOLE,
          first: 0,
          objects: listed.count,
          size: 3,
          isByKey: true,
        });
        record.takeGroup(0, operation, groups.at(index), index);
      }
      await record.attempt();
    },
  };
}

/** @param {string} kind */
const ofKind = (kind) => (/** @type {unknown} */ error) => error instanceof AttemptError && error.kind === kind;
const wrong = (/** @type {unknown} */ error) => error instanceof IntegrityError;

describe('read', () => {
  test('checks only the size of an object whose ETag is the listed one', async () => {
    const { attempt } = storeOf();
    await attempt('read', 0, { body: BODIES[0], etag: md5Of(BODIES[0]) });
    await attempt('read', 0, { body: Buffer.from('other'), etag: md5Of(BODIES[0]) });
    await assert.rejects(attempt('read', 0, { body: BODIES[2], etag: md5Of(BODIES[0]) }), wrong);
  });

  test('an object with another ETag has changed, and so has one of another size without an ETag', async () => {
    const { attempt } = storeOf();
    await assert.rejects(attempt('read', 0, { body: BODIES[2], etag: md5Of(BODIES[2]) }), ofKind('changed'));
    await assert.rejects(attempt('read', 0, { body: BODIES[2] }), ofKind('changed'));
    const { attempt: withoutEtags } = storeOf(BODIES.map(() => ''));
    await withoutEtags('read', 0, { body: BODIES[0], etag: md5Of(BODIES[0]) });
  });
});

describe('stat', () => {
  test('compares size and ETag with the list', async () => {
    const { attempt } = storeOf();
    const etag = md5Of(BODIES[0]);
    await attempt('stat', 0, { body: BODIES[0], etag });
    await assert.rejects(attempt('stat', 0, { body: BODIES[2], etag }), wrong);
    await assert.rejects(attempt('stat', 0, { body: BODIES[0], etag: md5Of(BODIES[2]) }), ofKind('changed'));
    await assert.rejects(attempt('stat', 0, { body: BODIES[2] }), ofKind('changed'));
  });
});

describe('range', () => {
  const etag = md5Of(BODIES[2]);

  test('reads a part of the requested length and checks only its size', async () => {
    const { attempt, inputs } = storeOf();
    const answerFor = async (/** @type {Answered} */ answer) => attempt('range', 2, { status: 206, etag, ...answer });
    const parts = ['0-3', '4-7', '8-11'];
    /** @type {PromiseSettledResult<void>[]} */
    const results = [];
    for (const part of parts) {
      const [result] = await Promise.allSettled([
        answerFor({ body: Buffer.from('four'), contentRange: `bytes ${part}/13` }),
      ]);
      results.push(result);
    }
    // The run id determines the part, so one of them is right.
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.match(inputs[0].input.Range, /^bytes=(0-3|4-7|8-11)$/);
    const [right] = parts.filter((_, place) => results[place].status === 'fulfilled');
    const contentRange = `bytes ${right}/13`;
    await answerFor({ body: Buffer.from('four'), contentRange });
    await assert.rejects(answerFor({ body: Buffer.from('thr'), contentRange }), wrong);
    await assert.rejects(
      answerFor({ body: Buffer.from('four'), contentRange, etag: md5Of(BODIES[0]) }),
      ofKind('changed'),
    );
  });

  test('reads an empty object as a whole, because it has no parts', async () => {
    const { attempt, inputs } = storeOf();
    await attempt('range', 1, { etag: md5Of(BODIES[1]) });
    assert.equal(inputs[0].input, undefined);
  });
});

describe('list', () => {
  /** @param {readonly string[]} keys */
  const page = (keys, IsTruncated = true) => ({ output: { Contents: keys.map((Key) => ({ Key })), IsTruncated } });

  test('requests encoded keys after the previous one and compares the page with the list', async () => {
    const { attempt, inputs } = storeOf();
    await attempt('list', 0, page(KEYS.slice(0, 3)));
    await attempt('list', 1, page(KEYS.slice(3), false));
    assert.deepEqual(
      inputs.map(({ input }) => input),
      [
        { Prefix: 'p/', MaxKeys: 3, EncodingType: 'url' },
        { Prefix: 'p/', StartAfter: 'p/c', MaxKeys: 3, EncodingType: 'url' },
      ],
    );
  });

  test('added or removed keys change the page; a short page and a foreign prefix are errors of the store', async () => {
    const { attempt } = storeOf();
    await assert.rejects(attempt('list', 0, page(['p/a', 'p/aa', 'p/b'])), ofKind('changed'));
    await assert.rejects(attempt('list', 0, page(['p/a', 'p/c'], false)), ofKind('changed'));
    await assert.rejects(attempt('list', 0, page(['p/a'], false)), ofKind('changed'));
    await assert.rejects(attempt('list', 0, page(['p/a'], true)), ofKind('short-page'));
    await assert.rejects(attempt('list', 0, page(['p/a', 'q/b', 'p/c'])), wrong);
    await assert.rejects(attempt('list', 1, page(KEYS, false)), ofKind('start-after'));
    await assert.rejects(attempt('list', 0, { output: {} }), ofKind('protocol'));
  });

  test('keys that are not UTF-8 have no name, were not listed, and are not an error of the page', async () => {
    const { attempt } = storeOf();
    await attempt('list', 0, page(['p/a', '', 'p/b']));
    await attempt('list', 0, page(['', 'p/a', 'p/b', 'p/c']));
    await attempt('list', 1, page(['', KEYS[3]], false));
    await assert.rejects(attempt('list', 0, page(['p/a', ''], true)), ofKind('short-page'));
    await assert.rejects(attempt('list', 0, page(['p/a', '', 'p/b'], false)), ofKind('changed'));
  });
});
