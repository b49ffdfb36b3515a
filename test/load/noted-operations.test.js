import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../lib/index.js';
import { NotedOperations } from '../../lib/load/recorder.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { sumOfStages } from '../../lib/result/records.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { workerOutcome } from '../helpers/stage-outcome.js';

/** @import { OperationRecord } from '../../lib/load/operations/operation-record.js' */

const CLOCK = { toEpoch: (/** @type {number} */ moment) => 1000 + moment };
const IDS = { requestId: 'id-1', ray: 'abc-FRA' };

/**
 * @param {number} startedAt
 * @param {number} duration
 */
function record(startedAt, duration) {
  const reply = { status: 200, identify: () => IDS };
  const times = { startedAt, finishedAt: startedAt + duration };
  const operation = { name: 'read' };
  return /** @type {OperationRecord} */ (
    /** @type {unknown} */ ({ ...times, operation, attempts: 2, bucket: 'one', key: 'k', connection: { reply } })
  );
}

/** @param {readonly NotedOperations[]} workers */
function sumOf(workers) {
  const clock = new ManualClock(0);
  const times = { startedAt: 0, endedAt: 1 };
  return sumOfStages(
    workers.map((noted) => workerOutcome([new StageMeter(clock, 0)], { ...times, ...noted.toRecord() })),
    clock,
  );
}

test('the twenty slowest operations of all workers are kept, slowest first, with what identifies them', () => {
  const workers = [0, 1].map((worker) => {
    const noted = new NotedOperations(CLOCK);
    for (let index = 0; index < 50; index += 1) {
      const next = record(index, 2 * ((index * 7) % 50) + worker);
      if (next.finishedAt - next.startedAt > noted.threshold) {
        noted.slow(next);
      }
    }
    return noted;
  });
  const { slowest, failures } = sumOf(workers);
  assert.deepEqual(
    slowest.map(({ duration }) => duration),
    Array.from({ length: 20 }, (_, index) => 99 - index),
  );
  const identified = { operation: 'read', attempts: 2, bucket: 'one', key: 'k', status: 200, ...IDS, error: null };
  assert.deepEqual(slowest[0], { time: 1000 + slowest[0].time - 1000, duration: 99, ...identified });
  assert.deepEqual(failures, []);
});

test('the last twenty failures of all workers are kept, in order of time', () => {
  const workers = [0, 1].map((worker) => {
    const noted = new NotedOperations(CLOCK);
    Array.from({ length: 30 }, (_, index) => noted.failed(record(2 * index + worker, 1), { kind: 'timeout' }));
    return noted;
  });
  const { failures } = sumOf(workers);
  assert.deepEqual(
    failures.map(({ time, error }) => [time, error]),
    Array.from({ length: 20 }, (_, index) => [1040 + index, 'timeout']),
  );
});

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  test(`${client}: the status of a failure is that of its own response, not of the requests before and after`, async () => {
    const parts = { size: '6MiB', multipart: true, partSize: '5MiB', partThreads: 1 };
    const load = { client, objects: 1, threads: 1, ...parts, stages: 'write', retries: 0, preflight: false };
    const statuses = [];
    for (const faults of ['PART.status=500:100%', 'PART.hang=100%']) {
      const { stages } = await run({ store: 'local', ...load, faults, timeout: '1s' });
      statuses.push(stages[0].failures?.map(({ status }) => status));
    }
    assert.deepEqual(statuses, [[500], [null]]);
  });
}
