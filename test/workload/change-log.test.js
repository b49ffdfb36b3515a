import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeLog, changeMemory } from '../../lib/workload/change-log.js';
import { stateOf } from '../../lib/workload/object-versions.js';

const [REMOVED, WRITTEN] = [true, false];

/** @param {number} [changes] */
function makeLog(changes) {
  return new ChangeLog(changeMemory(3, changes), 3);
}

test('the moment at which a version was replaced is that of the change after it', () => {
  const log = makeLog();
  assert.equal(log.has(1), false);
  [0, 1, 2, 4].forEach((version) => log.add(1, stateOf(version, WRITTEN), 1000 * version, 70 + version));
  log.add(2, stateOf(9, WRITTEN), 9, 99);
  assert.equal(log.has(1), true);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((version) => log.replacedAt(1, version)),
    [1000, 2000, 4000, 4000, null],
  );
  assert.equal(log.replacedAt(0, 0), null);
});

test('a version is found by its ETag, the last one that had it, and never a removal', () => {
  const log = makeLog();
  [0, 1, 2].forEach((version) => log.add(0, stateOf(version, WRITTEN), version, [70, 71, 70][version]));
  log.add(0, stateOf(3, REMOVED), 3, 0);
  assert.deepEqual(
    [70, 71, 72, 0].map((digest) => log.versionWith(0, digest)),
    [2, 1, -1, -1],
  );
});

test('a removal is found from the version that came after it', () => {
  const log = makeLog();
  log.add(0, stateOf(0, WRITTEN), 0, 1);
  log.add(0, stateOf(1, REMOVED), 10, 0);
  log.add(0, stateOf(2, WRITTEN), 20, 2);
  assert.deepEqual([log.removalBefore(0, 2), log.removalBefore(0, 1)], [1, -1]);
  assert.equal(log.replacedAt(0, 1), 20);
});

test('the oldest changes are forgotten, and nothing else is taken for them', () => {
  const log = makeLog(4);
  log.add(0, stateOf(1, WRITTEN), 10, 71);
  log.add(0, stateOf(2, WRITTEN), 20, 72);
  for (let version = 1; version <= 3; version++) {
    log.add(1, stateOf(version, WRITTEN), 100 * version, 80 + version);
  }
  assert.equal(log.versionWith(0, 71), -1);
  assert.equal(log.versionWith(0, 72), 2);
  // The change to version 1 is forgotten: version 0 was replaced at that of version 2 at the latest.
  assert.equal(log.replacedAt(0, 0), 20);
  log.add(1, stateOf(4, WRITTEN), 400, 84);
  assert.equal(log.replacedAt(0, 0), null);
});
