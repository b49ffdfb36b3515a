import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenObjects, seenMemory } from '../../lib/load/workload/ledger.js';

test('each object is new once, whoever looks', () => {
  const memory = seenMemory(100);
  const workers = [new SeenObjects(memory), new SeenObjects(memory)];
  const places = Array.from({ length: 100 }, (_, place) => place);
  assert.deepEqual(
    places.map((place) => workers[place % 2].see(place)),
    places.map(() => false),
  );
  assert.deepEqual(
    places.map((place) => workers[(place + 1) % 2].see(place)),
    places.map(() => true),
  );
});

test('takes one bit per object', () => {
  assert.equal(seenMemory(32_000_000).byteLength, 4_000_000);
  assert.equal(seenMemory(33).byteLength, 8);
});
