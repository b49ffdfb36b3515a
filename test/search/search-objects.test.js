import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchObjects } from '../../lib/search/search-objects.js';
import { read } from '../../lib/operations/read.js';
import { remove } from '../../lib/operations/remove.js';
import { stat } from '../../lib/operations/stat.js';
import { write } from '../../lib/operations/write.js';

/** @type {(place: number) => boolean} */
const ALL = () => true;

/** A search of Write that used 700 of 1,000 objects, 100 of them at half size. */
function written(has = ALL) {
  const objects = new SearchObjects(1000);
  objects.use(write, false, 200);
  objects.use(write, false, 400);
  objects.use(write, true, 100);
  objects.stageEnds(write, has);
  return objects;
}

test('Write takes one index after the other, and no more than exist', () => {
  const objects = new SearchObjects(1000);
  assert.deepEqual(objects.rangeFor(write, false, 300), { first: 0, count: 300, cycles: false });
  objects.use(write, false, 200);
  assert.deepEqual(objects.rangeFor(write, false, 300), { first: 200, count: 300, cycles: false });
  assert.deepEqual(objects.rangeFor(write, false, 5000), { first: 200, count: 800, cycles: false });
  assert.equal(objects.countFor(write), 800);
});

test('Read and Stat cycle through what Write left, each size separately', () => {
  const objects = written();
  assert.equal(objects.hasHalves, true);
  assert.deepEqual(objects.rangeFor(read, false, 10), { first: 0, count: 600, cycles: true });
  assert.deepEqual(objects.rangeFor(read, true, 10), { first: 600, count: 100, cycles: true });
  objects.use(read, false, 0);
  objects.stageEnds(read, ALL);
  assert.deepEqual(objects.rangeFor(stat, false, 10), { first: 0, count: 600, cycles: true });
  assert.equal(objects.countFor(stat), Infinity);
});

test('Remove goes once through everything that Write left', () => {
  const objects = written();
  assert.equal(objects.countFor(remove), 700);
  assert.deepEqual(objects.rangeFor(remove, false, 500), { first: 0, count: 500, cycles: false });
  objects.use(remove, false, 500);
  assert.deepEqual(objects.rangeFor(remove, false, 500), { first: 500, count: 200, cycles: false });
});

test('a run that does not write works on existing objects', () => {
  const objects = new SearchObjects(1000);
  assert.deepEqual(objects.rangeFor(read, false, 10), { first: 0, count: 1000, cycles: true });
  assert.equal(objects.hasHalves, false);
  assert.equal(objects.countFor(remove), 1000);
});
