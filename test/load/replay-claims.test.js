import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { ReplayClaims } from '../../lib/load/claims.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { codeOf } from '../../lib/load/replay/recorded-requests.js';
import { MixedObjects, mixedMemory } from '../../lib/load/workload/mixed-objects.js';
import { fakeEngine } from '../helpers/fake-store.js';

const [WRITE, BATCH] = ['write', 'batch-remove'].map(operationNamed);

/** Claims of a batch that removes the objects 0 and 1, and of a write of each after it. */
function openClaims() {
  const { workload: fixed, connections } = fakeEngine({ answer: () => {}, objects: 2 });
  const trace = {
    ...{ requests: 3, objects: 2, prepared: 0, unchanged: 0, length: 0 },
    times: new Float64Array(3),
    codes: Uint8Array.of(codeOf('batch-remove'), codeOf('write'), codeOf('write')),
    targets: Uint32Array.of(0, 0, 1),
    amounts: Uint32Array.of(1, 1, 1),
    members: Uint32Array.of(0, 0, 0, 0, 0, 2, 1, 0, 0),
    sizes: new Float64Array(2),
  };
  const mixed = new MixedObjects(mixedMemory(2, { copies: false, timeout: 1000 }));
  const workload = { ...fixed, mixed, trace, sizeOf: () => 1000 };
  const budget = new Budget({ memory: budgetMemory(), objects: 3, cycles: false });
  const kinds = [WRITE, BATCH].map((operation) => ({ operation, weight: 1 }));
  const claims = new ReplayClaims(kinds, { workload, budget, now: () => 5000 });
  const records = [0, 1, 2].map(() => new OperationRecord(WRITE, workload, connections[0]));
  assert.deepEqual(
    records.map((record) => claims.next(record)),
    [0, 1, 2],
  );
  return { claims, records };
}

test('a change waits until the change before it has ended, and the pause after it', () => {
  const {
    claims,
    records: [batch, ...writes],
  } = openClaims();
  const places = () => writes.map((record) => claims.place(record));
  assert.deepEqual(places(), [1, 1]);
  assert.equal(claims.place(batch), 0);
  assert.deepEqual(
    [[...batch.locals], places()],
    [
      [0, 1],
      [1, 1],
    ],
  );
  claims.done(batch);
  assert.deepEqual(places(), [100, 100]);
});

test('changes do not wait for an earlier one that is left out because its stage ends', () => {
  const {
    claims,
    records: [batch, ...writes],
  } = openClaims();
  assert.deepEqual(
    writes.map((record) => claims.place(record)),
    [1, 1],
  );
  claims.missed(batch);
  assert.deepEqual(
    writes.map((record) => claims.place(record)),
    [0, 0],
  );
});
