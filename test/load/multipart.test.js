import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_OBJECT_BYTES,
  MAX_PARTS,
  MAX_PART_BYTES,
  MIN_PART_BYTES,
  Uploader,
  partSizeFor,
  partsOf,
} from '../../lib/load/operations/multipart.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { write } from '../../lib/load/operations/write.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { FakeConnection, fakeEngine } from '../helpers/fake-store.js';

/** @import { FakeRequest } from '../helpers/fake-store.js' */

const MIB = 1024 ** 2;
const MULTIPART = { partSize: 5 * MIB, partThreads: 3, minSize: 0 };

/**
 * A store with one object, which keeps only the positions of its parts.
 *
 * @param {object} choice
 * @param {number} choice.size bytes of the object
 * @param {(request: FakeRequest) => void} [choice.before] an error it throws fails the request
 * @param {number} [choice.maxAttempts]
 * @param {typeof MULTIPART} [choice.multipart]
 * @param {number} [choice.sizeThere] bytes of the object that exists afterwards
 * @param {() => void} [choice.throwIfStopped]
 */
function playUpload({
  size,
  sizeThere = size,
  before = () => {},
  maxAttempts = 3,
  multipart = MULTIPART,
  throwIfStopped = () => {},
}) {
  /** @type {string[]} */
  const methods = [];
  /** @type {Map<number, number>} bytes by part */
  const parts = new Map();
  /** @type {any} */
  let completion = null;
  let atOnce = 0;
  let mostAtOnce = 0;
  const answer = async (/** @type {FakeRequest} */ request) => {
    const { method, connection, input = {} } = request;
    methods.push(method);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    before(request);
    connection.reply.etagDigest = 0;
    if (method === 'create') {
      connection.reply.output = { UploadId: 'upload-1' };
    } else if (method === 'part') {
      parts.set(input.PartNumber, sizes.get(input.PartNumber) ?? -1);
      connection.reply.output = { ETag: `"etag ${input.PartNumber}"` };
    } else if (method === 'complete') {
      completion = input;
      connection.reply.etagDigest = 7;
    } else if (method === 'head') {
      connection.reply.etagDigest = 8;
      connection.reply.contentLength = sizeThere;
    }
  };
  /** @type {Map<number, number>} expected bytes of each part */
  const sizes = new Map();
  const { workload } = fakeEngine({ answer: () => {} });
  const connections = Array.from({ length: multipart.partThreads }, () => new FakeConnection(answer));
  const record = new OperationRecord(write, { ...workload, sizeOf: () => size }, connections[0]);
  record.take(0, write, 3);
  let now = 0;
  const uploader = new Uploader(connections, multipart, {
    throwIfStopped,
    async send(step) {
      if (step.isPart) {
        sizes.set(step.input?.PartNumber, step.size);
      }
      step.outcomeUnknown = false;
      step.startedAt = now;
      for (step.attempts = 1; ; step.attempts += 1) {
        step.attemptStartedAt = now++;
        try {
          await step.attempt();
          step.finishedAt = now++;
          return;
        } catch (error) {
          step.finishedAt = now++;
          step.outcomeUnknown ||= error instanceof AttemptError && error.outcomeUnknown;
          if (!(error instanceof AttemptError && error.handling === 'retry' && step.attempts < maxAttempts)) {
            throw error;
          }
        }
      }
    },
  });
  return {
    ...{ methods, parts, record, workload, run: () => uploader.write(record, now) },
    completion: () => completion,
    mostAtOnce: () => mostAtOnce,
  };
}

/** @param {Partial<ConstructorParameters<typeof AttemptError>[0]>} [details] */
function lost(details = {}) {
  return new AttemptError({
    ...{ kind: 'connection', handling: 'retry', message: 'lost', outcomeUnknown: true },
    ...details,
  });
}

const NO_UPLOAD = { kind: 'no-upload', handling: /** @type {const} */ ('fail'), status: 404, code: 'NoSuchUpload' };

test('any object has at most 10,000 parts of 5 MiB to 5 GiB, which add up to its size', () => {
  const anySize = fc.oneof(
    fc.nat(20 * MIB),
    fc.maxSafeNat().map((value) => value % (MAX_OBJECT_BYTES + 1)),
  );
  fc.assert(
    fc.property(anySize, fc.integer({ min: MIN_PART_BYTES, max: 64 * MIB }), (size, wanted) => {
      const partSize = partSizeFor(size, wanted);
      const parts = partsOf(size, partSize);
      assert.ok(partSize >= wanted && partSize <= MAX_PART_BYTES);
      assert.ok(parts >= 1 && parts <= MAX_PARTS);
      assert.ok((parts - 1) * partSize < Math.max(size, 1) && parts * partSize >= size);
      assert.ok(partSize === wanted || partsOf(size, wanted) > MAX_PARTS, 'it grows only if it must');
    }),
  );
  assert.equal(partSizeFor(MAX_OBJECT_BYTES, 8 * MIB), 525 * MIB);
});

test('an upload is created, its parts are sent concurrently, and it is completed with their ETags in order', async () => {
  const { run, methods, parts, completion, mostAtOnce, record, workload } = playUpload({ size: 18 * MIB });
  await run();
  assert.deepEqual(methods, ['create', 'part', 'part', 'part', 'part', 'complete']);
  assert.deepEqual([...parts].sort(), [
    [1, 5 * MIB],
    [2, 5 * MIB],
    [3, 5 * MIB],
    [4, 3 * MIB],
  ]);
  assert.equal(mostAtOnce(), 3);
  const Parts = [1, 2, 3, 4].map((PartNumber) => ({ PartNumber, ETag: `"etag ${PartNumber}"` }));
  assert.deepEqual(completion(), { UploadId: 'upload-1', MultipartUpload: { Parts } });
  assert.ok(workload.ledger.matches(3, 7));
  assert.equal(record.outcomeUnknown, false);
});

test('an empty object has one empty part', async () => {
  const { run, methods, parts } = playUpload({ size: 0 });
  await run();
  assert.deepEqual(methods, ['create', 'part', 'complete']);
  assert.deepEqual([...parts], [[1, 0]]);
});

test('only the part that failed is sent again', async () => {
  let failures = 0;
  const { run, methods, record, workload } = playUpload({
    size: 12 * MIB,
    before({ input }) {
      if (input?.PartNumber === 2 && failures++ === 0) {
        throw lost();
      }
    },
  });
  await run();
  assert.deepEqual(methods.filter((method) => method === 'part').length, 4);
  assert.equal(record.outcomeUnknown, false, 'a part that was sent twice leaves nothing');
  assert.ok(workload.ledger.has(3));
});

test('if a part fails for good, no other part begins, and the upload is aborted once the others have ended', async () => {
  const { run, methods, record, workload } = playUpload({
    size: 100 * MIB,
    before({ input }) {
      if (input?.PartNumber === 2) {
        throw lost({ handling: 'fail', kind: 'client-error' });
      }
    },
  });
  await assert.rejects(run(), { kind: 'client-error' });
  assert.equal(methods.at(-1), 'abort');
  assert.ok(methods.length <= 1 + 2 * 3 + 1, methods.join(' '));
  assert.ok(!methods.includes('complete'));
  assert.ok(!workload.ledger.has(3));
  assert.equal(record.attempts, 1, 'the object reports the outcome of the part, not of the abort');
});

test('if the response to a completion is lost, the object itself shows the outcome', async () => {
  let completions = 0;
  const { run, methods, workload, record } = playUpload({
    size: 6 * MIB,
    before({ method }) {
      if (method === 'complete') {
        completions += 1;
        throw completions === 1 ? lost() : lost(NO_UPLOAD);
      }
    },
  });
  await run();
  assert.deepEqual(methods.slice(-3), ['complete', 'complete', 'head']);
  assert.ok(workload.ledger.matches(3, 8));
  assert.equal(record.outcomeUnknown, true, 'clean-up looks twice');
});

test('if the object does not exist then, the upload has failed', async () => {
  let completions = 0;
  const { run, methods, workload } = playUpload({
    size: 6 * MIB,
    before({ method }) {
      if (method === 'complete') {
        completions += 1;
        throw completions === 1 ? lost() : lost(NO_UPLOAD);
      }
      if (method === 'head') {
        throw lost({ kind: 'not-found', handling: 'fail' });
      }
    },
  });
  await assert.rejects(run(), { kind: 'no-upload' });
  assert.deepEqual(methods.slice(-2), ['head', 'abort']);
  assert.ok(!workload.ledger.has(3));
});

test('clean-up looks for an upload that may have been created without a response', async () => {
  let creations = 0;
  const { run, record, methods } = playUpload({
    size: 6 * MIB,
    before({ method }) {
      if (method === 'create' && creations++ === 0) {
        throw lost();
      }
    },
  });
  await run();
  assert.deepEqual(methods.slice(0, 2), ['create', 'create']);
  assert.equal(record.outcomeUnknown, true);
});

test('requests are repeated if the response lacks data for the next request', async () => {
  for (const incomplete of ['create', 'part', 'complete']) {
    let answers = 0;
    const play = playUpload({ size: 6 * MIB });
    const { connection } = play.record;
    const send = connection.send.bind(connection);
    connection.send = async (call, request) => {
      await send(call, request);
      const method = play.methods.at(-1);
      if (method === incomplete && answers++ === 0) {
        connection.reply.output = {};
        connection.reply.etagDigest = 0;
      }
    };
    await play.run();
    assert.ok(answers >= 2, incomplete);
    assert.ok(play.workload.ledger.has(3));
  }
});
