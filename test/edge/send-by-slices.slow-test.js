import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSlice } from '../../edge/run-slice.js';
import { Refusal } from '../../edge/signature.js';
import { invocationsFor, sendBySlices } from '../../lib/edge/send-by-slices.js';
import { CLAIM_SLICE, MAX_IN_FLIGHT } from '../../lib/edge/slice.js';
import { Budget, budgetMemory } from '../../lib/engine/budget.js';
import { Clock } from '../../lib/clock/clock.js';
import { kindOrder } from '../../lib/engine/claims.js';
import { runStage } from '../../lib/engine/run-stage.js';
import { operationNamed } from '../../lib/operations/registry.js';
import { rewritingStage, stageOf } from '../../lib/operations/stage.js';
import { AttemptError, classifyAnswer } from '../../lib/s3/s3-error.js';
import { MixedObjects, mixedMemory } from '../../lib/workload/mixed-objects.js';
import { ObjectGroups } from '../../lib/workload/object-groups.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { closedLoop } from '../helpers/load.js';
import { MemoryBucket } from '../helpers/memory-bucket.js';

/**
 * @import { Slice } from '../../lib/edge/slice.js'
 * @import { Stage } from '../../lib/operations/stage.js'
 * @import { ObjectRequest } from '../../lib/s3/object-store.js'
 */

const SIZE = 64;
const STAGES = ['write', 'read', 'range', 'stat', 'remove'];

/** This clock runs faster, so that the second between two writes of an object passes quickly. */
const FASTER = 20;

const SHARES = { read: 45, range: 15, write: 25, stat: 10, remove: 5 };
const MIXED = rewritingStage(
  Object.entries(SHARES).map(([name, weight]) => ({ operation: operationNamed(name), weight })),
);

/**
 * @param {object} [options]
 * @param {(slice: Slice, number: number, run: () => Promise<any>) => Promise<any>} [options.answer] the answer to a
 *   slice
 * @param {() => MemoryBucket} [options.makeBucket]
 */
class FakeEdge {
  /** @type {Readonly<Record<string, MemoryBucket>>} */
  buckets;
  /** @type {Slice[]} */
  slices = [];
  claimedForNobody = 0;

  constructor({
    answer = (/** @type {Slice} */ _slice, /** @type {number} */ _number, /** @type {() => Promise<any>} */ run) =>
      run(),
    makeBucket = () => new MemoryBucket(),
  } = {}) {
    this.answer = answer;
    this.buckets = { one: makeBucket(), two: makeBucket() };
  }

  keys() {
    return Object.values(this.buckets).flatMap(({ objects }) => [...objects.keys()]);
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
          const { bucket, key } = request;
          if ((await this.buckets[bucket].put(key, '', { onlyIf: { etagDoesNotMatch: '*' } })) === null) {
            throw classifyAnswer({ status: 412, code: 'PreconditionFailed', now: 0 });
          }
          return;
        }
        const slice = JSON.parse(call.writeInput(request.input));
        this.slices.push(slice);
        const run = async () => {
          try {
            const bucketNamed = (/** @type {string} */ name) => this.buckets[name];
            return await runSlice(slice, { bucketNamed, bucket: request.bucket, colo: '' });
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
 * @param {number} [options.size] bytes
 * @param {boolean} [options.isMixed] whether objects are rewritten
 * @param {number} [options.maxAttempts] per operation
 */
function harness(edge, { objects = 50, threads = 8, size = SIZE, isMixed = false, maxAttempts = 20 } = {}) {
  const clock = isMixed ? new Clock({ monotonic: () => FASTER * performance.now() }) : new Clock();
  // Random claims keep slices apart.
  const engine = {
    ...fakeEngine({ answer: async () => {}, threads: 1, objects, clock, maxAttempts, stallTimeout: FASTER * 60_000 }),
    random: Math.random,
  };
  const mixed = isMixed ? new MixedObjects(mixedMemory(objects, false)) : null;
  engine.workload = { ...engine.workload, mixed, amounts: { rangeSize: Math.ceil(size / 4), pageSize: 7, batch: 9 } };
  const { keyspace, shard, amounts } = engine.workload;
  const layout = { runId: keyspace.runId, prefix: 'benchmark', buckets: keyspace.buckets };
  let slices = 0;
  const send = sendBySlices({ timeout: 500, layout, claimed: () => (slices += 1) });
  const connections = invocationsFor(threads).map(() => edge.connection());
  return {
    layout,
    engine,
    slices: () => slices,
    run(/** @type {string} */ name, { signal = new AbortController().signal } = {}) {
      return this.runStage(stageOf(operationNamed(name)), { signal });
    },
    async runStage(
      /** @type {Stage} */ stage,
      { signal = new AbortController().signal, operations = objects, cycles = false } = {},
    ) {
      const { grouping } = stage;
      const groups =
        grouping === null
          ? null
          : new ObjectGroups({
              ...{ keyspace, shard, first: 0, objects, size: amounts[grouping.size], isByKey: grouping.isByKey },
            });
      /** @type {any[]} */
      const seconds = [];
      /** @type {string[]} */
      const complaints = [];
      const outcome = await runStage(stage, {
        engine: { ...engine, connections, send },
        load: closedLoop({ threads, size, mixedObjects: objects }),
        budget: new Budget({ memory: budgetMemory(), objects: groups?.count ?? operations, cycles }),
        groups,
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
      return { ...outcome, counts: meter.counts(), meter, seconds, complaints, latencies: meter.latencies() };
    },
  };
}

/** @param {readonly { operations: number }[]} seconds */
function sumOf(seconds) {
  return seconds.reduce((sum, { operations }) => sum + operations, 0);
}

test('threads are spread over enough invocations to carry them', () => {
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

test('each operation of each stage is counted once and verified at the edge', async () => {
  const edge = new FakeEdge();
  const stages = harness(edge, { objects: 300, threads: 20 });
  for (const name of STAGES) {
    const { end, counts, seconds, complaints } = await stages.run(name);
    assert.deepEqual({ name, end, complaints }, { name, end: 'complete', complaints: [] });
    assert.deepEqual([counts.operations, counts.attempts, sumOf(seconds)], [300, 300, 300]);
    assert.equal(stages.engine.workload.written.count, name === 'remove' ? 0 : 300);
  }
  const left = edge.keys();
  assert.equal(left.length, stages.slices(), 'each slice leaves only its claim');
  assert.ok(edge.slices.every(({ threads }) => threads <= MAX_IN_FLIGHT));
});

test('a wrong byte, a missing object and a wrong ETag are found at the edge', async () => {
  const edge = new FakeEdge();
  const stages = harness(edge);
  await stages.run('write');
  const { keyspace } = stages.engine.workload;
  const [wrong, missing] = [keyspace.keyOf(3), keyspace.keyOf(5)];
  const [{ objects }, { objects: others }] = [3, 5].map((index) => edge.buckets[keyspace.bucketOf(index)]);
  const bytes = Buffer.from(objects.get(wrong) ?? '');
  bytes[7] ^= 1;
  objects.set(wrong, bytes);
  others.delete(missing);
  const read = await stages.run('read');
  assert.deepEqual([read.counts.operations, read.counts.integrityErrors, read.counts.failed], [48, 1, 1]);
  assert.ok(read.complaints.some((line) => line.includes(wrong) && line.includes('offset 7')));
  assert.deepEqual(read.counts.errors, { integrity: 1, 'not-found': 1 });
  const stat = await stages.run('stat');
  assert.deepEqual([stat.counts.operations, stat.counts.integrityErrors, stat.counts.failed], [48, 1, 1]);
});

test('an unanswered slice that ran is retried once it is over', async () => {
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

test('a slice that never began costs one failed attempt and can never begin', async () => {
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

test('operations that a slice did not reach are in the next one', async () => {
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

test('an invalid answer leads to a retry, and nothing counts twice', async () => {
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

test('a Worker that answers without an outcome is asked ever more rarely, until its operations are given up', async () => {
  const edge = new FakeEdge({
    answer: async () => ({ startedAt: 1000, endedAt: 1000, colo: '', successes: [], failures: [] }),
  });
  const maxAttempts = 4;
  const startedAt = performance.now();
  const { end, counts, complaints } = await harness(edge, { objects: 2, threads: 2, maxAttempts }).run('write');
  assert.deepEqual([end, counts.operations, counts.failed], ['complete', 0, 2]);
  assert.equal(edge.slices.length, 2 * maxAttempts);
  assert.deepEqual(counts.errors, { protocol: 2 * maxAttempts });
  assert.ok(complaints.every((line) => line.includes('the Worker responded to a slice without any outcomes')));
  assert.ok(performance.now() - startedAt > 20, 'it pauses');
});

test('a Worker that answers some slices without an outcome delays a stage but changes no count', async () => {
  const edge = new FakeEdge({
    answer: async (_slice, number, run) =>
      number % 3 === 1 ? { startedAt: 1000, endedAt: 1000, colo: '', successes: [], failures: [] } : run(),
  });
  const { end, counts } = await harness(edge, { objects: 200, threads: 2 }).run('write');
  assert.deepEqual([end, counts.operations, counts.failed], ['complete', 200, 0]);
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

test('a stopped stage counts what its slices have done', async () => {
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

test('keys are listed and removed in batches, and each page is verified at the edge', async () => {
  const edge = new FakeEdge();
  const stages = harness(edge, { objects: 300, threads: 20 });
  await stages.run('write');
  const { keyspace, written } = stages.engine.workload;
  const listed = await stages.run('list');
  assert.deepEqual([listed.end, listed.complaints, listed.meter.keys], ['complete', [], 300]);
  assert.equal(listed.counts.operations, 2 * Math.ceil(150 / 7));
  // The store has lost one object and has one that the run does not know.
  const [lost, strange] = [7, 8];
  edge.buckets[keyspace.bucketOf(lost)].objects.delete(keyspace.keyOf(lost));
  written.delete(strange);
  const again = await stages.run('list');
  assert.equal(again.counts.integrityErrors, 1);
  assert.ok(again.complaints.some((line) => line.includes(`does not contain ${keyspace.keyOf(lost)}`)));
  const removed = await stages.run('batch-remove');
  assert.deepEqual([removed.end, removed.complaints, removed.meter.keys], ['complete', [], 299]);
  assert.equal(written.count, 0);
  assert.equal(edge.keys().length, stages.slices() + 1, 'the claims and the unknown object');
});

test('a failed batch is retried', async () => {
  let calls = 0;
  class Failing extends MemoryBucket {
    /** @override @param {string | string[]} keys */
    async delete(keys) {
      calls += 1;
      if (calls % 3 === 1) {
        throw new Error('delete: We encountered an internal error. Please try again. (10001)');
      }
      await super.delete(keys);
    }
  }
  const stages = harness(new FakeEdge({ makeBucket: () => new Failing() }), { objects: 90, threads: 4 });
  await stages.run('write');
  const { end, counts } = await stages.run('batch-remove');
  assert.deepEqual([end, counts.operations, stages.engine.workload.written.count], ['complete', 10, 0]);
  assert.equal(counts.errors['server-error'], calls - 10);
});

/** A store whose calls take time before and after they are carried out. */
class SlowBucket extends MemoryBucket {
  /**
   * @template Result
   * @param {() => Promise<Result>} call
   */
  async slowly(call) {
    await pause(3);
    const result = await call();
    await pause(3);
    return result;
  }

  /** @override @param {Parameters<MemoryBucket['head']>} given */
  head(...given) {
    return this.slowly(() => super.head(...given));
  }

  /** @override @param {Parameters<MemoryBucket['get']>} given */
  get(...given) {
    return this.slowly(() => super.get(...given));
  }

  /** @override @param {Parameters<MemoryBucket['put']>} given */
  put(...given) {
    return this.slowly(() => super.put(...given));
  }

  /** @override @param {Parameters<MemoryBucket['delete']>} given */
  delete(...given) {
    return this.slowly(() => super.delete(...given));
  }
}

/** @param {number} most ms, at random */
function pause(most) {
  return new Promise((resolve) => setTimeout(resolve, most * Math.random()));
}

/** @param {Awaited<ReturnType<ReturnType<typeof harness>['runStage']>>} outcome */
function countsByKind({ meters }) {
  return Object.fromEntries(MIXED.kinds.map(({ operation }, kind) => [operation.name, meters.kinds[kind].counts()]));
}

for (const size of [4 * SIZE, 8, 2]) {
  test(`mixed operations never reject a correct answer, whatever the order: ${size} bytes`, async () => {
    const edge = new FakeEdge({
      makeBucket: () => new SlowBucket(),
      async answer(_slice, number, run) {
        const answer = await run();
        await pause(10);
        if (size === 8 && number === 9) {
          throw classifyAnswer({ status: 500, message: 'Worker threw exception', now: 0 });
        }
        return answer;
      },
    });
    const stages = harness(edge, { objects: 60, threads: 18, size, isMixed: true });
    const { mixed, written } = stages.engine.workload;
    const first = await stages.run('write');
    assert.deepEqual([first.end, first.complaints], ['complete', []]);
    mixed?.begin(written, 60);
    const outcome = await stages.runStage(MIXED, { operations: 1500, cycles: false });
    assert.deepEqual([outcome.end, outcome.complaints], ['complete', []]);
    const kindOf = kindOrder(MIXED.kinds, 'kinds of run-1');
    const claimed = Array.from({ length: 1500 }, (_, claim) => MIXED.kinds[kindOf(claim)].operation.name);
    for (const [name, { operations, skipped, failed }] of Object.entries(countsByKind(outcome))) {
      assert.deepEqual([failed, operations + skipped], [0, claimed.filter((each) => each === name).length], name);
    }
    assert.equal(sumOf(outcome.seconds), 1500 - countsByKind(outcome).remove.skipped);
    assert.ok(outcome.waited > 0, 'keys were waited for');
    const removed = await stages.run('remove');
    assert.deepEqual([removed.end, removed.complaints, written.count], ['complete', [], 0]);
    assert.equal(edge.keys().filter((key) => !key.includes('-claim-')).length, 0);
  });
}

test('a store that serves old versions, mixes two, or loses an object is detected', async () => {
  class Wrong extends MemoryBucket {
    /** @type {Map<string, Buffer>} */
    before = new Map();
    gets = 0;

    /** @override @param {Parameters<MemoryBucket['put']>} given */
    async put(...given) {
      const [key] = given;
      const old = this.objects.get(key);
      if (old !== undefined && !key.includes('-claim-')) {
        this.before.set(key, old);
      }
      return super.put(...given);
    }

    /** @override @param {Parameters<MemoryBucket['get']>} given */
    async get(...given) {
      const [key] = given;
      const [old, current] = [this.before.get(key), this.objects.get(key)];
      this.gets += 1;
      if (old === undefined || current === undefined || this.gets % 4 > 2) {
        return super.get(...given);
      }
      if (this.gets % 4 === 1) {
        return null;
      }
      const torn = Buffer.concat([current.subarray(0, 40), old.subarray(40)]);
      this.objects.set(key, this.gets % 4 === 2 ? torn : old);
      const answer = await super.get(...given);
      this.objects.set(key, current);
      return answer;
    }

    /** @override @param {string} key */
    async head(key) {
      const [old, current] = [this.before.get(key), this.objects.get(key)];
      if (old === undefined || current === undefined) {
        return super.head(key);
      }
      this.objects.set(key, old);
      const answer = await super.head(key);
      this.objects.set(key, current);
      return answer;
    }
  }
  const stages = harness(new FakeEdge({ makeBucket: () => new Wrong() }), { objects: 100, isMixed: true });
  await stages.run('write');
  const outcome = await stages.runStage(MIXED, { operations: 1000 });
  assert.equal(outcome.end, 'complete');
  for (const shown of [
    'what was read is stale',
    'the body is torn',
    'does not find the object',
    'the ETag of the object is stale',
  ]) {
    assert.ok(
      outcome.complaints.some((line) => line.includes(shown)),
      shown,
    );
  }
  const { read, stat } = countsByKind(outcome);
  assert.ok(read.staleReads > 0 && read.tornReads > 0 && stat.staleReads > 0);
});

test('a mixed stage that ends by time releases all objects', async () => {
  const edge = new FakeEdge({ makeBucket: () => new SlowBucket() });
  const stages = harness(edge, { objects: 40, threads: 12, isMixed: true });
  const { mixed, written } = stages.engine.workload;
  await stages.run('write');
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300);
  const { end, complaints } = await stages.runStage(MIXED, { cycles: true, signal: stop.signal });
  assert.deepEqual([end, complaints], ['stopped', []]);
  for (let object = 0; object < 40; object++) {
    assert.ok(mixed?.pauses.take(object, stages.engine.clock.now() + 2000), 'it may be written');
  }
  assert.ok(written.count > 20);
});
