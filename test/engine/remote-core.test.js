import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { RemoteCore } from '../../lib/engine/remote-core.js';
import { Clock } from '../../lib/clock/clock.js';
import { AttemptError } from '../../lib/s3/s3-error.js';
import { WrittenObjects } from '../../lib/workload/written-objects.js';
import { keysIn } from '../helpers/command.js';
import { coreSpec, recordingHooks, stageTask } from '../helpers/core-spec.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Worker } from 'node:worker_threads'
 * @import { CoreSpec } from '../../lib/engine/core.js'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;
const NUMBER = 3;

/** Between two threads' readings of the system's clock, on a machine that does other things as well. */
const CLOCKS_AGREE_WITHIN_MS = 100;

/**
 * @param {TestContext} t
 * @param {string} faults
 * @param {Partial<CoreSpec> & { objects?: number }} [overrides]
 */
async function open(t, faults, overrides) {
  const endpoint = await startTestEndpoint(t, { faults });
  const spec = coreSpec(endpoint, overrides);
  const clock = new Clock();
  // Node tells of every thread that is started, one tick later.
  const started = /** @type {Promise<[Worker]>} */ (once(process, 'worker'));
  const core = new RemoteCore(spec, clock, NUMBER);
  t.after(() => core.close());
  const [thread] = await started;
  return { endpoint, spec, clock, core, thread };
}

describe('a core in a thread of its own', { concurrency: 1 }, () => {
  test('does what it is asked, by the clock and in the memory of the main thread', TIME_LIMIT, async (t) => {
    const { endpoint, spec, clock, core } = await open(t, '', { objects: 50 });
    assert.deepEqual(await core.openConnections(NEVER), { failed: 0, reason: '' });
    const before = clock.now();
    const outcome = await core.runStage(stageTask('Write', 50), NEVER, recordingHooks().hooks);
    const after = clock.now();
    assert.deepEqual([outcome.end, outcome.fatal, outcome.meter.counts.operations], ['complete', null, 50]);
    assert.ok(outcome.startedAt > before - CLOCKS_AGREE_WITHIN_MS && outcome.endedAt < after + CLOCKS_AGREE_WITHIN_MS);
    assert.equal(outcome.meter.seconds[0].second, Math.floor(clock.toEpoch(outcome.startedAt) / 1000));
    assert.equal(new WrittenObjects(spec.written).count, 50);
    assert.equal((await keysIn(endpoint)).length, 50);
  });

  test('tells what becomes known while a stage runs', TIME_LIMIT, async (t) => {
    const faults = 'seed=5,latency=10ms,PUT.status=400:20%,GET.corrupt=20%,GET.status=503:20%';
    const { core } = await open(t, faults, { objects: 300, threads: 4 });
    const writing = recordingHooks();
    const written = await core.runStage(stageTask('Write', 300), NEVER, writing.hooks);
    assert.ok(writing.told.failed.length > 0);
    assert.equal(writing.told.failed.length, written.meter.counts.failed);
    for (const { bucket, key, attempts, message } of writing.told.failed) {
      assert.ok(bucket.startsWith('bucket-') && key.startsWith('benchmark/run-1/') && attempts === 1 && message !== '');
    }
    assert.ok(writing.told.progress.length > 0);
    assert.ok(writing.told.progress.every((done, place, all) => done <= 300 && done >= (all[place - 1] ?? 0)));
    const reading = recordingHooks();
    const { meter } = await core.runStage(stageTask('Read', 300), NEVER, reading.hooks);
    assert.ok(meter.counts.integrityErrors > 0 && meter.counts.retries > 0);
    assert.equal(reading.told.integrityErrors.length, meter.counts.integrityErrors);
    assert.equal(reading.told.retries, meter.counts.retries);
    assert.match(reading.told.integrityErrors[0], /^bucket-[ab]\/benchmark\/run-1\/.*offset \d+/);
    assert.deepEqual(reading.told.seconds, meter.seconds);
  });

  test('hands over the error that ended a stage', TIME_LIMIT, async (t) => {
    const { core } = await open(t, 'PUT.status=403/AccessDenied:100%');
    const { end, fatal } = await core.runStage(stageTask('Write', 20), NEVER, recordingHooks().hooks);
    assert.equal(end, 'fatal');
    assert.ok(fatal?.error instanceof AttemptError);
    assert.deepEqual([fatal.error.kind, fatal.error.verdict, fatal.error.status], ['denied', 'stop', 403]);
  });

  test('a stop ends the stage under way, and leaves the next one alone', TIME_LIMIT, async (t) => {
    const { core } = await open(t, 'PUT.latency=5ms', { objects: 20 });
    const controller = new AbortController();
    const { hooks } = recordingHooks();
    // Behind a second round each of them was written once.
    const stopping = { ...hooks, progress: (/** @type {number} */ done) => done >= 40 && controller.abort() };
    const endless = { budget: { ...stageTask('Write', 20).budget, goesRound: true } };
    const stopped = await core.runStage(stageTask('Write', 20, endless), controller.signal, stopping);
    assert.equal(stopped.end, 'stopped');
    const next = await core.runStage(stageTask('Read', 20), NEVER, hooks);
    assert.deepEqual([next.end, next.meter.counts.operations], ['complete', 20]);
  });

  test('a stop gives up connections that do not come', TIME_LIMIT, async (t) => {
    const { core } = await open(t, '');
    const { failed } = await core.openConnections(AbortSignal.abort());
    assert.ok(failed >= 0 && failed <= 4);
  });

  test('what it is asked in vain is an error, and no reason to end', TIME_LIMIT, async (t) => {
    const { core } = await open(t, '');
    const strange = stageTask(/** @type {any} */ ('Copy'), 1);
    await assert.rejects(core.runStage(strange, NEVER, recordingHooks().hooks), /expected a stage, got Copy/);
    const { end } = await core.runStage(stageTask('Write', 5), NEVER, recordingHooks().hooks);
    assert.equal(end, 'complete');
  });

  test('its death in mid-stage is an error that names it, then and later', TIME_LIMIT, async (t) => {
    const { core, thread } = await open(t, 'latency=5ms', { objects: 100_000 });
    const { hooks } = recordingHooks();
    const dying = { ...hooks, progress: () => void thread.terminate() };
    const named = /the thread of core 3 ended unexpectedly/;
    await assert.rejects(core.runStage(stageTask('Write', 100_000), NEVER, dying), named);
    await assert.rejects(core.runStage(stageTask('Read', 1), NEVER, hooks), named);
    await core.close();
  });

  test('its death while nothing was asked of it is told with the next question', TIME_LIMIT, async (t) => {
    const { core, thread } = await open(t, '');
    await core.openConnections(NEVER);
    await thread.terminate();
    await assert.rejects(
      core.runStage(stageTask('Write', 1), NEVER, recordingHooks().hooks),
      /core 3 ended unexpectedly/,
    );
  });

  test('a thread that cannot begin tells why', TIME_LIMIT, async (t) => {
    const { core } = await open(t, '', { written: new SharedArrayBuffer(3) });
    await assert.rejects(core.openConnections(NEVER), /the thread of core 3 died: .*(multiple|length|offset)/);
  });

  test('its end closes its thread, once; it then takes no more calls', TIME_LIMIT, async (t) => {
    const { core, thread } = await open(t, '');
    await core.openConnections(NEVER);
    const ended = once(thread, 'exit');
    await core.close();
    await ended;
    await assert.rejects(core.openConnections(NEVER), /the core is closed/);
    await core.close();
  });
});
