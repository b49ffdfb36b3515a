import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SliceVersions } from '../../lib/edge/slice-versions.js';
import { NO_ETAG } from '../../lib/operations/no-etag.js';
import { operationNamed } from '../../lib/operations/registry.js';
import { MixedObjects, mixedMemory } from '../../lib/workload/mixed-objects.js';
import { stateOf } from '../../lib/workload/object-versions.js';
import { prepareOperation } from '../helpers/stage-operation.js';

const OBJECT = 3;

/** A change of an object, and reads of it, in one slice. */
function prepare({ change = 'write', size = 16 } = {}) {
  const mixed = new MixedObjects(mixedMemory(OBJECT + 1, false));
  const recordOf = (/** @type {string} */ name) => {
    const { operation } = prepareOperation(operationNamed(name), { index: OBJECT, size, answer() {} });
    operation.workload = { ...operation.workload, mixed };
    return operation;
  };
  const [changed, read, stat, range] = [change, 'read', 'stat', 'range'].map(recordOf);
  changed.state = mixed.versions.start(OBJECT, change === 'remove');
  return { mixed, changed, read, stat, range, slice: new SliceVersions([changed, read, stat, range]) };
}

/**
 * @param {number} index
 * @param {number} begunAt ms
 * @param {number[] | null} fitting
 * @param {number} [digest]
 * @returns {import('../../lib/edge/slice.js').SlicedSuccess}
 */
function successOf(index, begunAt, fitting, digest = 0) {
  return [index, begunAt, begunAt + 10, begunAt + 10, digest, fitting];
}

/** @param {'stale' | 'foreign'} versionError */
function wrong(versionError) {
  return (/** @type {any} */ error) => error.versionError === versionError;
}

test('an object written by a slice must exist for the slice’s later reads', () => {
  const { changed, read, slice } = prepare();
  slice.changed(changed, 5);
  assert.throws(() => slice.check(read, successOf(1, 6, [0])), wrong('stale'));
  assert.throws(() => slice.check(read, successOf(1, 6, [])), wrong('stale'));
  slice.check(read, successOf(1, 6, [1]));
  slice.check(read, successOf(1, 5, [0]));
});

test('an object removed by a slice must be absent for the slice’s later reads', () => {
  const { changed, read, stat, slice } = prepare({ change: 'remove' });
  slice.changed(changed, 5);
  assert.throws(() => slice.check(read, successOf(1, 6, [0])), wrong('stale'));
  assert.throws(() => slice.check(stat, successOf(2, 6, null, 7)), wrong('stale'));
  slice.check(stat, successOf(2, 6, []));
  assert.equal(stat.size, 0);
});

test('a change with an unknown outcome proves nothing', () => {
  const { mixed, changed, read, slice } = prepare();
  mixed.versions.doubt(OBJECT, changed.state);
  slice.changed(changed, 5);
  slice.check(read, successOf(1, 6, [0]));
  slice.check(read, successOf(1, 6, [1]));
});

test('changes by others since the slice was sent may be visible or not', () => {
  const { mixed, changed, read, slice } = prepare();
  mixed.versions.acknowledge(OBJECT, changed.state);
  slice.check(read, successOf(1, 6, [0]));
  assert.throws(() => slice.check(read, successOf(1, 6, [2])), wrong('foreign'));
  const later = mixed.versions.start(OBJECT, false);
  slice.check(read, successOf(1, 6, [2]));
  mixed.versions.refuse(OBJECT, later);
  assert.throws(() => slice.check(read, successOf(1, 6, [2])), wrong('foreign'));
});

test('an ETag is compared if only one version is possible', () => {
  const { mixed, changed, stat } = prepare();
  mixed.etags.set(OBJECT, changed.state, 77);
  mixed.versions.acknowledge(OBJECT, changed.state);
  const slice = new SliceVersions([stat]);
  slice.check(stat, successOf(0, 0, null, 77));
  assert.throws(() => slice.check(stat, successOf(0, 0, null, 78)), wrong('foreign'));
  assert.throws(() => slice.check(stat, successOf(0, 0, null, 0)), wrong('foreign'), `${NO_ETAG}: none came`);
  mixed.versions.start(OBJECT, false);
  slice.check(stat, successOf(0, 0, null, 78));
});

test('the Worker gets the states to make and the versions possible for a part that does not show its own', () => {
  const { changed, slice } = prepare();
  assert.deepEqual(slice.toRequest(), {
    states: [stateOf(1, false), 0, 0, 0],
    candidates: [[], [], [], [1, 0]],
  });
  assert.equal(changed.state, stateOf(1, false));
  const tiny = prepare({ size: 3 }).slice.toRequest();
  assert.deepEqual(tiny.candidates, [[], [1, 0], [], [1, 0]]);
});
