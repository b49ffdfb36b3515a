import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stageOfWay, wayId, wayOf, wayOfTurns, waysOf } from '../../lib/model/ways.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { resultOf } from './results.js';

const SLICES = /** @type {const} */ ({ client: 'edge', keepAlive: true, clockResolution: 1 });

test('a way is the client, and the connections if operations have any', () => {
  assert.deepEqual(wayOf({ client: 'direct', keepAlive: false, objects: 5 }), {
    ...{ client: 'direct', through: false, keepAlive: false, clockResolution: null },
  });
  assert.deepEqual(wayOf(SLICES), { client: 'edge', through: false, keepAlive: null, clockResolution: 1 });
  const unknown = { client: null, through: false, keepAlive: null, clockResolution: null };
  [null, undefined, {}].forEach((options) => assert.deepEqual(wayOf(options), unknown));
});

test('runs use the same way if these are equal, whatever their other options', () => {
  const id = (/** @type {Parameters<typeof wayOf>[0]} */ options) => wayId(wayOf(options));
  assert.equal(id({ client: 'direct', keepAlive: true }), id({ client: 'direct', keepAlive: true, threads: 9 }));
  assert.equal(id(SLICES), id({ ...SLICES, keepAlive: false }));
  const ids = [
    { client: 'direct', keepAlive: true },
    { client: 'direct', keepAlive: false },
    { client: 'sdk', keepAlive: true },
    SLICES,
    { client: 'edge', keepAlive: true, through: true },
    { client: 'edge', keepAlive: false, through: true },
    null,
  ].map((options) => id(/** @type {Parameters<typeof wayOf>[0]} */ (options)));
  assert.equal(new Set(ids).size, ids.length);
});

test('the result of a run is one way, with the figures of its stages', () => {
  const result = resultOf({ operations: 7 });
  const [{ average, operations, latency, connections, startedAt, endedAt }] = result.stages;
  const [{ client, hosts, stages }, ...others] = waysOf(result);
  assert.deepEqual([client, hosts, others], ['direct', ['fra-1'], []]);
  assert.deepEqual(stages, [
    {
      ...{ stage: 'Write', startedAt, endedAt, operations, attempts: 7, failedAttempts: 0 },
      ...{ operationsPerSecond: average, latency: latency.operations, histogram: latency.histogram.operations },
      connections: { opened: connections?.opened, reused: connections?.reused },
    },
  ]);
});

test('the rate of several hosts in a way covers the time that they were in the stage together', () => {
  const [stage] = resultOf().stages;
  const together = { operationsPerSecond: 77, bytesPerSecond: null, seconds: 3 };
  const merge = /** @type {any} */ ({ hosts: 2, together });
  assert.equal(stageOfWay({ ...stage, merge }).operationsPerSecond, 77);
  assert.equal(stageOfWay({ ...stage, merge: { ...merge, hosts: 1 } }).operationsPerSecond, stage.average);
  assert.equal(stageOfWay({ ...stage, merge: { ...merge, together: null } }).operationsPerSecond, stage.average);
});

test('turns of a way are combined, without the time between them', () => {
  const turn = (/** @type {number} */ startedAt, /** @type {number} */ after) =>
    finishedStage({ startedAt, operations: Array.from({ length: 10 }, () => ({ after, latency: after })) });
  const stages = [turn(1_700_000_000_000, 100), turn(1_700_000_600_000, 300)];
  const [{ operations, operationsPerSecond, latency, startedAt }, ...others] = wayOfTurns(
    { options: /** @type {any} */ (SLICES), host: 'fra-1' },
    stages,
  ).stages;
  assert.deepEqual(others, []);
  assert.deepEqual([operations, startedAt], [20, null]);
  // Ten in a second, and ten in three.
  assert.ok(Math.abs(Number(operationsPerSecond) - 5) < 1e-9);
  assert.deepEqual([latency?.count, latency?.minimum, latency?.mean, latency?.maximum], [20, 100, 200, 300]);
});
