import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { OperationParts } from '../../lib/load/recorder.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { mixedStage } from '../../lib/load/operations/stage.js';
import { seenMemory } from '../../lib/load/workload/seen-objects.js';
import { closedLoop } from '../helpers/load.js';
import { ALL_TIME } from '../helpers/manual-clock.js';

/**
 * @import { Load } from '../../lib/load/run-stage.js'
 * @import { OperationRecord } from '../../lib/load/operations/operation-record.js'
 */

const SIZES = { kind: /** @type {const} */ ('weighted'), sizes: [10, 1000].map((bytes) => ({ bytes, weight: 1 })) };

/**
 * @param {readonly string[]} names of operations
 * @param {Partial<Load>} load
 * @param {ConstructorParameters<typeof import('../../lib/measure/part-meter.js').PartMeter>[0]} [measured]
 */
function openParts(names, load, measured = ALL_TIME) {
  const stage = mixedStage(
    'Mixed',
    names.map((name) => ({ operation: operationNamed(name), weight: 1 })),
  );
  const budget = new Budget({ memory: budgetMemory(), first: 100, objects: 4, cycles: true });
  return OperationParts.of(stage, { load: closedLoop(load), budget, measured });
}

/** @param {OperationParts | null} parts @param {Partial<OperationRecord>} given */
function perform(parts, given) {
  const record = /** @type {OperationRecord} */ ({
    kind: 0,
    localIndex: 100,
    size: 10,
    movedBytes: given.size ?? 10,
    startedAt: 0,
    finishedAt: 5,
    ...given,
  });
  parts?.begins(record);
  parts?.succeeded(record);
}

/** @param {OperationParts | null} parts */
function recordOf(parts, kind = 0) {
  assert.ok(parts !== null);
  return parts.recordOf(kind);
}

test('operations are counted by object size, and rates exclude warm-up and drain', () => {
  const parts = openParts(['write'], { sizes: SIZES }, { ...ALL_TIME, measuredFrom: 10, measuredUntil: 20 });
  perform(parts, { finishedAt: 9 });
  perform(parts, { finishedAt: 15 });
  perform(parts, { finishedAt: 25, size: 1000 });
  perform(parts, { finishedAt: 20, size: 1000 });
  const { sizeClasses, reads } = recordOf(parts);
  assert.equal(reads, undefined);
  assert.deepEqual(
    sizeClasses?.map(({ operations, bytes, measured, measuredBytes, latency }) => [
      ...[operations, bytes, measured, measuredBytes],
      latency?.count,
    ]),
    [
      [2, 20, 1, 10, 1],
      [2, 2000, 1, 1000, 2],
    ],
  );
});

test('operations after the end of a stage are in no rate of its parts', () => {
  const parts = openParts(['read'], { sizes: SIZES, seen: seenMemory(4) }, { ...ALL_TIME, measuredUntil: 20 });
  perform(parts, { finishedAt: 20, localIndex: 101 });
  perform(parts, { finishedAt: 21, localIndex: 101 });
  const { sizeClasses, reads } = recordOf(parts);
  const measured = [...(sizeClasses ?? []), ...Object.values(reads ?? {})].map((part) => [
    part.operations,
    part.measured,
  ]);
  assert.deepEqual(measured, [
    [2, 1],
    [0, 0],
    [1, 1],
    [1, 0],
  ]);
});

test('first reads are distinguished from repeated ones across all workers, for each kind', () => {
  const seen = seenMemory(3 * 4);
  const workers = [1, 2].map(() => openParts(['read', 'stat', 'write'], { seen }));
  perform(workers[0], { localIndex: 100 });
  perform(workers[1], { localIndex: 100 });
  perform(workers[1], { localIndex: 103 });
  perform(workers[0], { localIndex: 100, kind: 1 });
  perform(workers[0], { localIndex: 100, kind: 2 });
  const readsOf = (/** @type {number} */ kind) =>
    workers.map((parts) => Object.values(recordOf(parts, kind).reads ?? {}).map(({ operations }) => operations));
  assert.deepEqual([0, 1, 2].map(readsOf), [
    [
      [1, 0],
      [1, 1],
    ],
    [
      [1, 0],
      [0, 0],
    ],
    [[], []],
  ]);
});
