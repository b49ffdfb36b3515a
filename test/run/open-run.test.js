import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/measure/clock/clock.js';
import { openRun } from '../../lib/run/open-run.js';
import { recordingHooks, stageTask } from '../helpers/worker-spec.js';
import { head, put } from '../helpers/store.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

const WORLD = { clock: new Clock(), random: Math.random };
const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;

test('a run’s resources follow from its configuration, and nothing is connected yet', async () => {
  const run = await openRun(runConfig(NO_TARGET, { threads: 7, objects: 5 }), WORLD);
  assert.deepEqual([run.controlConnections.length, run.clockConnections.length], [4, 4]);
  assert.equal(
    new Set([...run.controlConnections, ...run.clockConnections]).size,
    8,
    'no connection serves two purposes',
  );
  assert.equal(run.keyspace.keyPrefix, 'benchmark/run-1/');
  assert.deepEqual([run.ledger.count, run.wroteObjects], [0, true]);
  assert.deepEqual(run.requests, { preflight: 0, clock: 0, probe: 0, cleanup: 0 });
  await run.close();
});

test('with more buckets, more are checked at a time', async () => {
  for (const [count, expected] of [
    [7, 7],
    [40, 16],
  ]) {
    const buckets = Array.from({ length: count }, (_, place) => `bucket-${place}`);
    const run = await openRun(runConfig({ ...NO_TARGET, buckets }), WORLD);
    assert.equal(run.controlConnections.length, expected);
    await run.close();
  }
});

test('a run without Write does not track objects', async () => {
  const run = await openRun(runConfig(NO_TARGET, { stages: ['read', 'stat'] }), WORLD);
  assert.equal(run.wroteObjects, false);
  await run.close();
});

test(
  'workers have a connection per thread, meter its cost, and share the record of written objects',
  TIME_LIMIT,
  async (t) => {
    const endpoint = await startTestEndpoint(t);
    for (const cores of [1, 2]) {
      const run = await openRun(runConfig(endpoint, { cores, threads: 5, runId: `run-${cores}` }), WORLD);
      const opened = await run.openWorkers();
      assert.deepEqual(await opened.openConnections(NEVER), { failed: 0, reason: '' });
      const outcome = await opened.runStage(stageTask('Write', 20), NEVER, recordingHooks().hooks);
      assert.equal(outcome.connections.opened, 5);
      assert.equal(outcome.connections.tcp.latency?.count, 5);
      assert.equal(run.ledger.count, 20);
      await run.close();
    }
  },
);

test('the run’s end closes its connections', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const run = await openRun(runConfig(endpoint), WORLD);
  const [attendant] = run.controlConnections;
  await put(attendant, 'bucket-a', 'x', Buffer.from('x'), 1);
  await run.close();
  await assert.rejects(head(attendant, 'bucket-a', 'x'));
});

test('a control attempt that takes too long is ended', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'PUT.hang=100%' });
  const run = await openRun(runConfig(endpoint, { timeout: 100 }), WORLD);
  t.after(() => run.close());
  const [connection] = run.controlConnections;
  connection.startedAt = WORLD.clock.now();
  await assert.rejects(put(connection, 'bucket-a', 'x', Buffer.from('x'), 1), { kind: 'timeout' });
});

test('a store counts as lost only after two attempts could have ended', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'PUT.hang=100%' });
  const clock = new ManualClock(Date.now());
  const run = await openRun(runConfig(endpoint, { threads: 1, timeout: 45_000 }), { ...WORLD, clock });
  t.after(() => run.close());
  const cores = await run.openWorkers();
  let retries = 0;
  let isOver = false;
  /** @type {() => void} */
  let retried = () => {};
  const secondAttempt = new Promise((resolve) => (retried = () => resolve(undefined)));
  const { hooks } = recordingHooks();
  const retrying = () => {
    retries += 1;
    retried();
  };
  const running = cores.runStage(stageTask('Write', 1), NEVER, { ...hooks, retrying }).finally(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(61_000);
  await secondAttempt;
  assert.deepEqual([retries, isOver], [1, false]);
  clock.advance(30_000);
  const { end, whole } = await running;
  assert.deepEqual([end, whole.operations], ['stalled', 0]);
});
