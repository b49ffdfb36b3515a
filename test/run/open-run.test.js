import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/meter/clock.js';
import { openRun } from '../../lib/run/open-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

const WORLD = { clock: new Clock(), random: Math.random };
const TIME_LIMIT = { timeout: 20_000 };

test('a run has a connection for each thread, and what it works with is made of what it was told', async () => {
  const run = await openRun(runConfig(NO_TARGET, { threads: 7, objects: 5, retries: 3 }), WORLD);
  const { connections, mostAttempts, workload, longestDrought } = run.engine;
  assert.equal(new Set(connections).size, 7);
  assert.equal(mostAttempts, 4);
  assert.equal(longestDrought, 60_000);
  assert.deepEqual([workload.keyspace.keyPrefix, workload.keyspace.objectSize], ['benchmark/run-1/', 1000]);
  assert.deepEqual([workload.written.count, workload.wroteObjects], [0, true]);
  assert.equal(run.agent.opened, 0);
  await run.close();
});

test('a run without Write does not know the objects', async () => {
  const run = await openRun(runConfig(NO_TARGET, { stages: ['read', 'stat'] }), WORLD);
  assert.equal(run.engine.workload.wroteObjects, false);
  await run.close();
});

test('a store counts as gone only when two attempts could have ended', async () => {
  const run = await openRun(runConfig(NO_TARGET, { timeout: 45_000 }), WORLD);
  assert.equal(run.engine.longestDrought, 90_000);
  await run.close();
});

test('what connections cost is metered, and the run’s end closes them', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const run = await openRun(runConfig(endpoint), WORLD);
  await run.agent.openAhead(4, new AbortController().signal);
  assert.equal(run.connectionMeter.take().tcp?.count, 4);
  await run.engine.connections[0].put('bucket-a', 'x', Buffer.from('x'), 1);
  await run.close();
  await assert.rejects(run.engine.connections[0].head('bucket-a', 'x'));
});

test('an attempt that takes too long is ended', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'PUT.hang=100%' });
  const run = await openRun(runConfig(endpoint, { timeout: 100 }), WORLD);
  t.after(() => run.close());
  const [connection] = run.engine.connections;
  connection.startedAt = WORLD.clock.now();
  await assert.rejects(connection.put('bucket-a', 'x', Buffer.from('x'), 1), { kind: 'timeout' });
});
