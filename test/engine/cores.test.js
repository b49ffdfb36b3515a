import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cores } from '../../lib/engine/cores.js';
import { Clock } from '../../lib/clock/clock.js';
import { AttemptError } from '../../lib/s3/s3-error.js';
import { WrittenObjects } from '../../lib/workload/written-objects.js';
import { keysIn } from '../helpers/command.js';
import { coreSpec, recordingHooks, stageTask } from '../helpers/core-spec.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { Core, CoreOutcome, CoreSpec } from '../../lib/engine/core.js'
 * @import { StageHooks } from '../../lib/engine/run-stage.js'
 * @import { FatalError } from '../../lib/engine/stage-watch.js'
 * @import { SecondCount, StageEnd } from '../../lib/model/result.js'
 * @import { TestContext } from 'node:test'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;
const SIZE = 1000;

/**
 * @param {TestContext} t
 * @param {CoreSpec} spec
 * @param {number} cores
 * @param {number} [threads] of all together
 */
async function openCores(t, spec, cores, threads = 6) {
  const opened = await Cores.open(spec, { cores, threads, clock: new Clock(), random: Math.random });
  t.after(() => opened.close());
  return opened;
}

/**
 * @param {TestContext} t
 * @param {number} cores
 * @param {string} faults
 * @param {Partial<CoreSpec> & { objects?: number }} [overrides]
 */
async function openWith(t, cores, faults, overrides = {}) {
  const endpoint = await startTestEndpoint(t, { faults });
  const spec = coreSpec(endpoint, overrides);
  return { endpoint, spec, cores: await openCores(t, spec, cores) };
}

/** @param {readonly SecondCount[]} seconds */
function totalsOf(seconds) {
  return {
    operations: seconds.reduce((sum, { operations }) => sum + operations, 0),
    bytes: seconds.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

describe('the cores of a run', { concurrency: 3 }, () => {
  for (const count of [1, 3]) {
    test(`${count} of them write, read, check and remove every object once`, TIME_LIMIT, async (t) => {
      const objects = 200;
      // A core must not be through with all objects before another has begun.
      const { endpoint, spec, cores } = await openWith(t, count, 'latency=5ms', { objects });
      assert.deepEqual(await cores.openConnections(NEVER), { failed: 0, reason: '' });
      for (const stage of /** @type {const} */ (['Write', 'Read', 'Stat', 'Remove'])) {
        const { hooks, told } = recordingHooks();
        const outcome = await cores.runStage(stageTask(stage, objects), NEVER, hooks);
        const counts = outcome.meter.counts();
        assert.deepEqual(
          [outcome.end, counts.operations, counts.attempts, counts.bytes, counts.errors],
          ['complete', objects, objects, objects * SIZE, {}],
        );
        assert.deepEqual(totalsOf(told.seconds), { operations: objects, bytes: objects * SIZE });
        assert.deepEqual(told.seconds, outcome.meter.seconds.until(outcome.endedAt));
        assert.equal(outcome.meter.latencies().operations.count, objects);
        assert.equal(outcome.connections.opened, stage === 'Write' ? 6 : 0);
        assert.equal(outcome.connections.meter.costs().tcp?.count ?? 0, outcome.connections.opened);
        assert.equal(outcome.connections.opened + outcome.connections.reused, objects);
        if (stage === 'Write') {
          assert.equal((await keysIn(endpoint)).length, objects);
          assert.equal(new WrittenObjects(spec.written).count, objects);
        }
      }
      assert.deepEqual(await keysIn(endpoint), []);
      assert.equal(new WrittenObjects(spec.written).count, 0);
    });

    test(`with ${count} of them, the sums are exact whatever becomes of the attempts`, TIME_LIMIT, async (t) => {
      const objects = 300;
      const faults = 'seed=3,PUT.status=503:10%,PUT.status=400:5%,GET.reset=5%,GET.corrupt=5%';
      const { endpoint, spec, cores } = await openWith(t, count, faults, { objects, mostAttempts: 2 });
      const written = new WrittenObjects(spec.written);
      for (const stage of /** @type {const} */ (['Write', 'Read'])) {
        const there = written.count;
        const { hooks, told } = recordingHooks();
        const { meter, endedAt, ...outcome } = await cores.runStage(stageTask(stage, objects), NEVER, hooks);
        const counts = meter.counts();
        const failedAttempts = Object.values(counts.errors).reduce((sum, each) => sum + each, 0);
        assert.equal(outcome.end, 'complete');
        assert.equal(counts.operations + counts.failed + counts.integrityErrors + counts.skipped, objects);
        assert.equal(counts.attempts, counts.operations + failedAttempts);
        assert.equal(failedAttempts, counts.retries + counts.failed + counts.integrityErrors);
        assert.deepEqual(
          [told.retries, told.failed.length, told.integrityErrors.length],
          [counts.retries, counts.failed, counts.integrityErrors],
        );
        assert.equal(new Set(told.failed.map(({ key }) => key)).size, counts.failed);
        assert.deepEqual(totalsOf(told.seconds), { operations: counts.operations, bytes: counts.bytes });
        assert.deepEqual(told.seconds, meter.seconds.until(endedAt));
        assert.equal(meter.latencies().operations.count, counts.operations);
        assert.equal(meter.latencies().attempts.count, counts.attempts);
        assert.ok(failedAttempts > 0, 'the faults strike');
        if (stage === 'Write') {
          assert.equal(written.count, counts.operations);
          assert.equal((await keysIn(endpoint)).length, counts.operations);
        } else {
          assert.equal(counts.skipped, objects - there);
          assert.ok(counts.integrityErrors > 0 && counts.integrityErrors === counts.errors.integrity);
        }
      }
    });

    test(`an error after which nothing can succeed ends ${count} of them`, TIME_LIMIT, async (t) => {
      const { endpoint, cores } = await openWith(t, count, 'seed=1,latency=5ms,PUT.status=403:2%', {
        objects: 100_000,
      });
      const outcome = await cores.runStage(stageTask('Write', 100_000), NEVER, recordingHooks().hooks);
      assert.equal(outcome.end, 'fatal');
      const { error, bucket } = /** @type {FatalError} */ (outcome.fatal);
      assert.ok(error instanceof AttemptError);
      assert.equal(error.kind, 'denied');
      assert.ok(endpoint.buckets.includes(bucket));
      const { operations, failed } = outcome.meter.counts();
      assert.ok(failed >= 1 && operations < 10_000, `${operations} operations`);
    });

    test(`a stop ends ${count} of them, and what they had under way settles`, TIME_LIMIT, async (t) => {
      const { endpoint, spec, cores } = await openWith(t, count, 'latency=10ms', { objects: 100_000 });
      const controller = new AbortController();
      const { hooks } = recordingHooks();
      const stopping = { ...hooks, progress: () => controller.abort() };
      const outcome = await cores.runStage(stageTask('Write', 100_000), controller.signal, stopping);
      const counts = outcome.meter.counts();
      assert.deepEqual([outcome.end, outcome.fatal, counts.failed, counts.abandoned], ['stopped', null, 0, 0]);
      assert.ok(counts.operations > 0 && counts.operations < 10_000);
      assert.equal((await keysIn(endpoint)).length, counts.operations);
      assert.equal(new WrittenObjects(spec.written).count, counts.operations);
    });

    test(`a stop that has come before lets none of ${count} begin`, TIME_LIMIT, async (t) => {
      const { endpoint, cores } = await openWith(t, count, '', { objects: 1000 });
      const outcome = await cores.runStage(stageTask('Write', 1000), AbortSignal.abort(), recordingHooks().hooks);
      assert.equal(outcome.end, 'stopped');
      // A thread of its own learns of the stop a moment after it has begun.
      assert.equal((await keysIn(endpoint)).length, outcome.meter.counts().operations);
      assert.ok(outcome.meter.counts().operations < 200);
    });

    test(`what goes round on ${count} of them goes round until its time is up`, TIME_LIMIT, async (t) => {
      const objects = 4;
      const { cores } = await openWith(t, count, 'latency=2ms', { objects });
      const { hooks } = recordingHooks();
      await cores.runStage(stageTask('Write', objects), NEVER, hooks);
      const now = performance.now();
      const { budget } = stageTask('Read', objects);
      const task = stageTask('Read', objects, {
        budget: { ...budget, goesRound: true },
        limit: { stopsAt: now + 400, endsAt: now + 5000 },
      });
      const { end, meter, endedAt } = await cores.runStage(task, NEVER, hooks);
      const counts = meter.counts();
      assert.deepEqual([end, counts.skipped, counts.failed], ['complete', 0, 0]);
      assert.ok(counts.operations > objects, `${counts.operations} operations`);
      assert.ok(endedAt >= now + 400);
    });
  }

  test(
    'a stage in which nothing succeeds ends on all of them, and the next one begins on all',
    TIME_LIMIT,
    async (t) => {
      const overrides = { objects: 60, longestDrought: 300, mostAttempts: 1e6 };
      const { cores } = await openWith(t, 3, 'PUT.status=503:100%', overrides);
      const stalled = await cores.runStage(stageTask('Write', 60), NEVER, recordingHooks().hooks);
      assert.deepEqual([stalled.end, stalled.fatal, stalled.meter.operations], ['stalled', null, 0]);
      const next = await cores.runStage(stageTask('Stat', 60), NEVER, recordingHooks().hooks);
      assert.deepEqual([next.end, next.meter.skipped], ['complete', 60]);
    },
  );

  test('threads are split as evenly as can be', TIME_LIMIT, async (t) => {
    // So slow that a core which begins late finds objects left.
    const endpoint = await startTestEndpoint(t, { faults: 'latency=50ms' });
    for (const [threads, count] of [
      [7, 3],
      [3, 3],
    ]) {
      const before = (await endpoint.report()).connections;
      const cores = await openCores(t, coreSpec(endpoint), count, threads);
      assert.deepEqual(await cores.openConnections(NEVER), { failed: 0, reason: '' });
      const outcome = await cores.runStage(stageTask('Write', 20), NEVER, recordingHooks().hooks);
      assert.deepEqual(
        [outcome.connections.opened, (await endpoint.report()).connections - before],
        [threads, threads],
      );
    }
  });

  test('connections that cannot be opened are counted over all of them, with a reason', TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t, { port: await freePort() });
    await endpoint.close();
    const cores = await openCores(t, coreSpec(endpoint), 2, 5);
    const { failed, reason } = await cores.openConnections(NEVER);
    assert.equal(failed, 5);
    assert.match(reason, /ECONNREFUSED/);
  });
});

/**
 * A core that a test plays.
 *
 * @param {(signal: AbortSignal, hooks: StageHooks) => Promise<CoreOutcome>} runStage
 * @returns {Core}
 */
function playedCore(runStage) {
  const core = {
    runStage: (/** @type {unknown} */ _task, /** @type {AbortSignal} */ signal, /** @type {StageHooks} */ hooks) =>
      runStage(signal, hooks),
    openConnections: async () => ({ failed: 0, reason: '' }),
    close: async () => {},
  };
  return /** @type {Core} */ (/** @type {unknown} */ (core));
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  return new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/**
 * @param {Partial<CoreOutcome>} [overrides]
 * @returns {CoreOutcome} a stage without an operation
 */
function emptyOutcome(overrides = {}) {
  const nothing = { encoded: '', count: 0, sum: 0, minimum: Infinity, maximum: 0 };
  return {
    end: 'complete',
    fatal: null,
    startedAt: 100,
    endedAt: 200,
    meter: {
      counts: {
        ...{
          operations: 0,
          bytes: 0,
          warmupOperations: 0,
          warmupBytes: 0,
          drainOperations: 0,
          drainBytes: 0,
          attempts: 0,
          retries: 0,
          throttled: 0,
        },
        ...{
          unsent: 0,
          failed: 0,
          integrityErrors: 0,
          skipped: 0,
          abandoned: 0,
          unknownOutcomes: 0,
          timeLost: 0,
          timeGivenUp: 0,
        },
        errors: {},
      },
      seconds: [],
      byteShifts: [],
      windows: [],
      histograms: {
        ...{ straight: nothing, operations: nothing, attempts: nothing },
        ...{ firstByte: nothing, startDelay: nothing },
      },
    },
    eventLoopUtilization: 0,
    connections: { opened: 0, reused: 0, lookupTime: null, costs: { tcp: nothing, tls: nothing } },
    ...overrides,
  };
}

const ENDS = /** @type {const} */ (['complete', 'stopped', 'stalled', 'overloaded', 'fatal']);

test('whatever ends they come to, the worst is told, and the longest span of time', async () => {
  const anyOutcome = fc.record({
    end: fc.constantFrom(...ENDS),
    startedAt: fc.nat(1000),
    length: fc.nat(1000),
    eventLoopUtilization: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyOutcome, { minLength: 1, maxLength: 4 }), async (outcomes) => {
      const cores = new Cores(
        new Clock(),
        outcomes.map(({ end, startedAt, length, eventLoopUtilization }) => {
          const fatal = end === 'fatal' ? { error: new Error('denied'), bucket: 'one' } : null;
          const times = { startedAt, endedAt: startedAt + length };
          return playedCore(async () => emptyOutcome({ end, fatal, ...times, eventLoopUtilization }));
        }),
      );
      const outcome = await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks);
      const worst = Math.max(...outcomes.map(({ end }) => ENDS.indexOf(end)));
      assert.equal(outcome.end, ENDS[worst]);
      assert.equal(outcome.fatal !== null, outcome.end === 'fatal');
      assert.equal(outcome.startedAt, Math.min(...outcomes.map(({ startedAt }) => startedAt)));
      assert.equal(outcome.endedAt, Math.max(...outcomes.map(({ startedAt, length }) => startedAt + length)));
      assert.equal(
        outcome.clientLoad.eventLoopUtilization,
        Math.max(...outcomes.map(({ eventLoopUtilization }) => eventLoopUtilization)),
      );
      assert.equal(
        outcome.clientLoad.busyLoops,
        outcomes.reduce((sum, { eventLoopUtilization }) => sum + eventLoopUtilization, 0),
      );
    }),
  );
});

test('a stop of the opening of connections reaches many cores, and nobody takes their listeners for a leak', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {});
  const controller = new AbortController();
  const cores = new Cores(
    new Clock(),
    Array.from({ length: 12 }, () => ({
      .../** @type {any} */ (playedCore(async () => emptyOutcome())),
      /** @param {AbortSignal} signal */
      async openConnections(signal) {
        await aborted(signal);
        return { failed: 1, reason: 'stopped' };
      },
    })),
  );
  const opening = cores.openConnections(controller.signal);
  controller.abort();
  assert.deepEqual(await opening, { failed: 12, reason: 'stopped' });
  assert.equal(warned.mock.callCount(), 0);
});

test('cores without a thread take no part, and count as no loop', async () => {
  const played = [0, 1, 2].map((place) => ({ place, runs: 0 }));
  const cores = new Cores(
    new Clock(),
    played.map((core) =>
      playedCore(async () => {
        core.runs += 1;
        return emptyOutcome({ eventLoopUtilization: 0.4 });
      }),
    ),
  );
  const task = stageTask('Write', 1);
  const { clientLoad } = await cores.runStage(
    { ...task, load: { ...task.load, threads: 2 } },
    NEVER,
    recordingHooks().hooks,
  );
  assert.deepEqual(
    played.map(({ runs }) => runs),
    [0, 1, 1],
  );
  assert.deepEqual([clientLoad.loops, clientLoad.eventLoopUtilization, clientLoad.busyLoops], [2, 0.4, 0.8]);
});

test(
  'where one cannot go on, the others are told to stop; where one has merely done, they go on',
  TIME_LIMIT,
  async () => {
    for (const end of /** @type {StageEnd[]} */ (['fatal', 'stalled'])) {
      const cores = new Cores(new Clock(), [
        playedCore(async () => emptyOutcome({ end })),
        playedCore(async (signal) => {
          await aborted(signal);
          return emptyOutcome({ end: 'stopped' });
        }),
      ]);
      const outcome = await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks);
      assert.equal(outcome.end, end);
    }
    const cores = new Cores(new Clock(), [
      playedCore(async () => emptyOutcome()),
      playedCore(async (signal) => {
        await new Promise((resolve) => setImmediate(resolve));
        return emptyOutcome({ end: signal.aborted ? 'stopped' : 'complete' });
      }),
    ]);
    assert.equal((await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks)).end, 'complete');
  },
);

test('the failure of one is thrown once the others have settled', TIME_LIMIT, async () => {
  const error = new Error('the thread of core 1 died');
  let settled = false;
  const cores = new Cores(new Clock(), [
    playedCore(async () => {
      throw error;
    }),
    playedCore(async (signal) => {
      await aborted(signal);
      await new Promise((resolve) => setImmediate(resolve));
      settled = true;
      return emptyOutcome({ end: 'stopped' });
    }),
  ]);
  await assert.rejects(cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks), error);
  assert.ok(settled);
});

test('the progress of all is told as one number', async () => {
  const { hooks, told } = recordingHooks();
  const steps = [
    [1, 4],
    [10, 20],
  ];
  const cores = new Cores(
    new Clock(),
    steps.map((counts) =>
      playedCore(async (_signal, { progress }) => {
        for (const count of counts) {
          progress(count, { moved: 100 * count, underWay: 1 });
          await null;
        }
        return emptyOutcome();
      }),
    ),
  );
  await cores.runStage(stageTask('Write', 1), NEVER, hooks);
  assert.deepEqual(told.progress, [1, 11, 14, 24]);
});

test('how long the name took to look up is told by whichever of them looked it up', async () => {
  const { connections } = emptyOutcome();
  const cores = new Cores(
    new Clock(),
    [null, 3, 5].map((lookupTime) =>
      playedCore(async () => emptyOutcome({ connections: { ...connections, lookupTime } })),
    ),
  );
  const outcome = await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks);
  assert.equal(outcome.connections.lookupTime, 3);
});
