import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchFlow } from '../../lib/load/run-stage.js';
import { FakeConnection } from '../helpers/fake-store.js';

test('data moved before a stage does not belong to it, and only attempts in flight count as such', () => {
  const connections = [new FakeConnection(() => {}), new FakeConnection(() => {})];
  Object.assign(connections[0], { moved: 700, movedBefore: 500, startedAt: 0 });
  const flow = watchFlow(connections);
  assert.deepEqual(flow(), { moved: 0, underWay: 0 });
  Object.assign(connections[0], { moved: 1000, movedBefore: 700, startedAt: 5 });
  Object.assign(connections[1], { moved: 50, movedBefore: 0, startedAt: 0 });
  assert.deepEqual(flow(), { moved: 350, underWay: 300 });
});
