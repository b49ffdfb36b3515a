import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Workers } from '../../lib/load/workers.js';
import { Clock } from '../../lib/measure/clock/clock.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { workerOutcome } from '../helpers/stage-outcome.js';
import { recordingHooks, stageTask } from '../helpers/worker-spec.js';
import { loopLoad } from '../helpers/host-load.js';

/**
 * @import { Worker, WorkerOutcome } from '../../lib/load/worker.js'
 * @import { StageHooks } from '../../lib/load/run-stage.js'
 * @import { StageEnd } from '../../lib/result/result.js'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;

/**
 * @param {(signal: AbortSignal, hooks: StageHooks) => Promise<WorkerOutcome>} runStage
 * @returns {Worker}
 */
function simulatedWorker(runStage) {
  const core = {
    runStage: (/** @type {unknown} */ _task, /** @type {AbortSignal} */ signal, /** @type {StageHooks} */ hooks) =>
      runStage(signal, hooks),
    openConnections: async () => ({ failed: 0, reason: '' }),
    close: async () => {},
  };
  return /** @type {Worker} */ (/** @type {unknown} */ (core));
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  return new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/**
 * @param {Partial<WorkerOutcome>} [overrides]
 * @returns {WorkerOutcome} of a stage without an operation
 */
function emptyOutcome(overrides = {}) {
  const clock = new ManualClock(0);
  return workerOutcome([new StageMeter(clock, 0)], { startedAt: 100, endedAt: 200, ...overrides });
}

const ENDS = /** @type {const} */ (['complete', 'stopped', 'stalled', 'overloaded', 'fatal']);

test('of all workers’ ends, the worst is reported, with the longest time span', async () => {
  const anyOutcome = fc.record({
    end: fc.constantFrom(...ENDS),
    startedAt: fc.nat(1000),
    length: fc.nat(1000),
    eventLoopUtilization: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyOutcome, { minLength: 1, maxLength: 4 }), async (outcomes) => {
      const cores = new Workers(
        new Clock(),
        outcomes.map(({ end, startedAt, length, eventLoopUtilization }) => {
          const fatal = end === 'fatal' ? { error: new Error('denied'), bucket: 'one', operation: 'write' } : null;
          const times = { startedAt, endedAt: startedAt + length };
          return simulatedWorker(async () =>
            emptyOutcome({ end, fatal, ...times, loops: [loopLoad(eventLoopUtilization)] }),
          );
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

test('a stop reaches all workers that open connections, without a listener-leak warning', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {});
  const controller = new AbortController();
  const cores = new Workers(
    new Clock(),
    Array.from({ length: 12 }, () => ({
      .../** @type {any} */ (simulatedWorker(async () => emptyOutcome())),
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

test(
  'if one worker cannot continue, the others are stopped; if one has just finished, they continue',
  TIME_LIMIT,
  async () => {
    for (const end of /** @type {StageEnd[]} */ (['fatal', 'stalled'])) {
      const cores = new Workers(new Clock(), [
        simulatedWorker(async () => emptyOutcome({ end })),
        simulatedWorker(async (signal) => {
          await aborted(signal);
          return emptyOutcome({ end: 'stopped' });
        }),
      ]);
      const outcome = await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks);
      assert.equal(outcome.end, end);
    }
    const cores = new Workers(new Clock(), [
      simulatedWorker(async () => emptyOutcome()),
      simulatedWorker(async (signal) => {
        await new Promise((resolve) => setImmediate(resolve));
        return emptyOutcome({ end: signal.aborted ? 'stopped' : 'complete' });
      }),
    ]);
    assert.equal((await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks)).end, 'complete');
  },
);

test('the progress of all workers is reported as one number', async () => {
  const { hooks, told } = recordingHooks();
  const steps = [
    [1, 4],
    [10, 20],
  ];
  const cores = new Workers(
    new Clock(),
    steps.map((counts) =>
      simulatedWorker(async (_signal, { progress }) => {
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

test('the name lookup time is reported by whichever worker looked it up', async () => {
  const { connections } = emptyOutcome();
  const cores = new Workers(
    new Clock(),
    [null, 3, 5].map((lookupTime) =>
      simulatedWorker(async () => emptyOutcome({ connections: { ...connections, lookupTime } })),
    ),
  );
  const outcome = await cores.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks);
  assert.equal(outcome.connections.lookupTime, 3);
});
