import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSlice } from '../../edge/run-slice.js';
import { Refusal } from '../../edge/signature.js';
import { invocationsFor, sliceRunner } from '../../lib/edge/run-slices.js';
import { CLAIM_SLICE, MAX_IN_FLIGHT } from '../../lib/edge/slice.js';
import { Budget, budgetMemory } from '../../lib/engine/budget.js';
import { operationNamed } from '../../lib/operations/registry.js';
import { stageOf } from '../../lib/operations/stage.js';
import { AttemptError, classifyAnswer } from '../../lib/s3/s3-error.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { closedLoop } from '../helpers/load.js';
import { MemoryBucket } from '../helpers/memory-bucket.js';

/**
 * @import { Slice } from '../../lib/edge/slice.js'
 * @import { ObjectRequest } from '../../lib/s3/object-store.js'
 */

const SIZE = 64;
const STAGES = ['write', 'read', 'range', 'stat', 'remove'];

/**
 * The Worker without its network.
 *
 * @param {object} [options]
 * @param {(slice: Slice, number: number, run: () => Promise<any>) => Promise<any>} [options.answer] what becomes of a slice
 */
class FakeEdge {
  bucket = new MemoryBucket();
  /** @type {Slice[]} */
  slices = [];
  claimedForNobody = 0;

  constructor({
    answer = (/** @type {Slice} */ _slice, /** @type {number} */ _number, /** @type {() => Promise<any>} */ run) =>
      run(),
  } = {}) {
    this.answer = answer;
  }

  connection() {
    const connection = {
      ...{
        reply: /** @type {any} */ ({ output: {} }),
        startedAt: 0,
        moved: 0,
        movedBefore: 0,
        answeredAt: 0,
        idleSince: 0,
      },
      transfer: () => null,
      abort() {},
      send: async (/** @type {any} */ call, /** @type {ObjectRequest} */ request) => {
        if (call === CLAIM_SLICE) {
          this.claimedForNobody += 1;
          const { key } = request;
          if ((await this.bucket.put(key, '', { onlyIf: { etagDoesNotMatch: '*' } })) === null) {
            throw classifyAnswer({ status: 412, code: 'PreconditionFailed', now: 0 });
          }
          return;
        }
        const slice = JSON.parse(call.writeInput(request.input));
        this.slices.push(slice);
        const run = async () => {
          try {
            return await runSlice(slice, { bucketNamed: () => this.bucket, bucket: 'one', colo: '' });
          } catch (error) {
            throw error instanceof Refusal ? classifyAnswer({ status: 403, code: error.code, now: 0 }) : error;
          }
        };
        connection.reply.output = JSON.parse(JSON.stringify(await this.answer(slice, this.slices.length, run)));
      },
    };
    return connection;
  }
}

/**
 * @param {FakeEdge} edge
 * @param {object} [options]
 * @param {number} [options.objects]
 * @param {number} [options.threads]
 */
function harness(edge, { objects = 50, threads = 8 } = {}) {
  // Claims of slices are told apart by chance.
  const engine = { ...fakeEngine({ answer: async () => {}, threads: 1, objects }), random: Math.random };
  const { keyspace } = /** @type {any} */ (engine.workload);
  const layout = { runId: keyspace.runId, prefix: 'benchmark', buckets: keyspace.buckets };
  let slices = 0;
  const runStage = sliceRunner({ timeout: 500, layout, claimed: () => (slices += 1) });
  const connections = invocationsFor(threads).map(() => edge.connection());
  return {
    layout,
    engine,
    slices: () => slices,
    async run(/** @type {string} */ name, { signal = new AbortController().signal } = {}) {
      /** @type {any[]} */
      const seconds = [];
      /** @type {string[]} */
      const complaints = [];
      const outcome = await runStage(stageOf(operationNamed(name)), {
        engine: { ...engine, connections },
        load: closedLoop({ threads, objectSize: SIZE }),
        budget: new Budget({ memory: budgetMemory(), objects, goesRound: false }),
        signal,
        hooks: {
          second: (second) => seconds.push(second),
          retrying() {},
          integrityError: (message) => complaints.push(message),
          failed: (_operation, message) => complaints.push(message),
          progress() {},
        },
      });
      const [meter] = outcome.meters.kinds;
      return { ...outcome, counts: meter.counts(), seconds, complaints, latencies: meter.latencies() };
    },
  };
}

/** @param {readonly { operations: number }[]} seconds */
function sumOf(seconds) {
  return seconds.reduce((sum, { operations }) => sum + operations, 0);
}

test('threads are spread over as many invocations as may carry them', () => {
  for (let threads = 1; threads < 100; threads++) {
    const shares = invocationsFor(threads);
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      threads,
    );
    assert.ok(Math.max(...shares) <= MAX_IN_FLIGHT);
    assert.ok(Math.min(...shares) > 0);
    assert.equal(shares.length, Math.ceil(threads / MAX_IN_FLIGHT));
  }
});

test('each operation of each stage is counted once, and verified at the edge', async () => {
  const edge = new FakeEdge();
  const stages = harness(edge, { objects: 300, threads: 20 });
  for (const name of STAGES) {
    const { end, counts, seconds, complaints } = await stages.run(name);
    assert.deepEqual({ name, end, complaints }, { name, end: 'complete', complaints: [] });
    assert.deepEqual([counts.operations, counts.attempts, sumOf(seconds)], [300, 300, 300]);
    assert.equal(stages.engine.workload.written.count, name === 'remove' ? 0 : 300);
  }
  const left = [...edge.bucket.objects.keys()];
  assert.equal(left.length, stages.slices(), 'of each slice its claim alone');
  assert.ok(edge.slices.every(({ threads }) => threads <= MAX_IN_FLIGHT));
});

test('a wrong byte, a missing object and another ETag are found at the edge', async () => {
  const edge = new FakeEdge();
  const stages = harness(edge);
  await stages.run('write');
  const { keyspace } = stages.engine.workload;
  const [wrong, missing] = [keyspace.keyOf(3), keyspace.keyOf(5)];
  const bytes = Buffer.from(edge.bucket.objects.get(wrong) ?? '');
  bytes[7] ^= 1;
  edge.bucket.objects.set(wrong, bytes);
  edge.bucket.objects.delete(missing);
  const read = await stages.run('read');
  assert.deepEqual([read.counts.operations, read.counts.integrityErrors, read.counts.failed], [48, 1, 1]);
  assert.ok(read.complaints.some((line) => line.includes(wrong) && line.includes('offset 7')));
  assert.deepEqual(read.counts.errors, { integrity: 1, 'not-found': 1 });
  const stat = await stages.run('stat');
  assert.deepEqual([stat.counts.operations, stat.counts.integrityErrors, stat.counts.failed], [48, 1, 1]);
});

test('a slice that was run and not answered is made again once it is over', async () => {
  const edge = new FakeEdge({
    async answer(_slice, number, run) {
      const answer = await run();
      if (number <= 2) {
        throw classifyAnswer({ status: 500, message: 'Worker threw exception', now: 0 });
      }
      return answer;
    },
  });
  const stages = harness(edge, { objects: 20, threads: 4 });
  const { end, counts } = await stages.run('write');
  assert.equal(end, 'complete');
  assert.equal(counts.operations, 20);
  assert.ok(edge.claimedForNobody > 0);
  assert.equal(counts.attempts, 20 + counts.errors['server-error']);
});

test('a slice that never began costs one failed attempt, and can never begin', async () => {
  /** @type {(() => Promise<any>)[]} */
  const late = [];
  const edge = new FakeEdge({
    async answer(_slice, number, run) {
      if (number === 1) {
        late.push(run);
        throw new AttemptError({ kind: 'connection', handling: 'retry', message: 'reset', outcomeUnknown: true });
      }
      return run();
    },
  });
  const stages = harness(edge, { objects: 20, threads: 4 });
  const { end, counts } = await stages.run('write');
  assert.equal(end, 'complete');
  assert.deepEqual([counts.operations, counts.attempts], [20, 21]);
  await assert.rejects(late[0](), { status: 403 });
});

test('operations that a slice did not come to are in the next one', async () => {
  const edge = new FakeEdge({
    answer: (slice, _number, run) => {
      slice.locals.splice(2);
      slice.turns.splice(2);
      return run();
    },
  });
  const stages = harness(edge, { objects: 20, threads: 4 });
  const { counts } = await stages.run('write');
  assert.deepEqual([counts.operations, counts.attempts, counts.skipped], [20, 20, 0]);
});

test('an answer that cannot be ends in a retry, and counts nothing twice', async () => {
  const edge = new FakeEdge({
    async answer(_slice, number, run) {
      const answer = await run();
      return number === 1 ? { ...answer, successes: [...answer.successes, answer.successes[0]] } : answer;
    },
  });
  const { end, counts } = await harness(edge, { objects: 10, threads: 2 }).run('write');
  assert.equal(end, 'complete');
  assert.equal(counts.operations, 10);
  assert.ok(counts.errors.protocol > 0);
});

test('a Worker that refuses the secret ends the stage', async () => {
  const edge = new FakeEdge({
    answer: async () => {
      throw classifyAnswer({ status: 403, code: 'SignatureDoesNotMatch', now: 0 });
    },
  });
  const { end, fatal, counts } = await harness(edge).run('write');
  assert.equal(end, 'fatal');
  assert.ok(fatal !== null && fatal.error instanceof AttemptError);
  assert.equal(fatal.error.code, 'SignatureDoesNotMatch');
  assert.equal(counts.operations, 0);
});

test('a stage that is stopped counts what its slices have done', async () => {
  const stop = new AbortController();
  const edge = new FakeEdge({
    async answer(_slice, number, run) {
      const answer = await run();
      if (number === 2) {
        stop.abort();
      }
      return answer;
    },
  });
  const stages = harness(edge, { objects: 5000, threads: 4 });
  const { end, counts } = await stages.run('write', { signal: stop.signal });
  assert.equal(end, 'stopped');
  assert.equal(counts.operations, stages.engine.workload.written.count);
  assert.ok(counts.operations < 5000);
});
