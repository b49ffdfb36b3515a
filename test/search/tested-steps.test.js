import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestedSteps } from '../../lib/search/tested-steps.js';

/**
 * @param {[threads: number, rate: number][]} ramp
 * @param {number} [maxThreads]
 */
function climbed(ramp, maxThreads = 1000) {
  const tested = new TestedSteps({ maxThreads, unloadedLatency: 20 });
  ramp.forEach(([threads, rate]) => tested.add('ramp', { threads, rate, error: 0, refused: 0 }));
  return tested;
}

test('a plateau that the threads cannot confirm yet is refined, because its knee may be lower', () => {
  const tested = climbed(
    [
      [44, 440],
      [200, 500],
      [256, 500],
    ],
    256,
  );
  assert.equal(tested.hasPlateau, false);
  assert.deepEqual(tested.next(), { phase: 'refine', threads: [94] });
  tested.add('refine', { threads: 94, rate: 500, error: 0, refused: 0 });
  assert.equal(tested.hasPlateau, true);
});

test('a step that falls far below earlier ones is repeated once, and the better result counts', () => {
  /** @type {[threads: number, rate: number][]} */
  const fallen = [
    [16, 800],
    [64, 3200],
    [256, 1300],
  ];
  assert.deepEqual(climbed(fallen).next(), { phase: 'ramp', threads: [256] });
  const hiccup = climbed([...fallen, [256, 12_800]]);
  assert.deepEqual(hiccup.next(), { phase: 'ramp', threads: [1000, 512] });
  assert.deepEqual([hiccup.best, hiccup.hasPlateau], [12_800, false]);
  const collapse = climbed([...fallen, [256, 1200]]);
  assert.deepEqual([collapse.highest?.rate, collapse.hasPlateau], [1300, true]);
  assert.equal(collapse.next()?.phase, 'refine');
});

test('more threads are compared with fewer, not with a lucky step around the knee', () => {
  const tested = climbed([
    [16, 800],
    [64, 1000],
    [256, 1000],
  ]);
  tested.add('refine', { threads: 32, rate: 1150, error: 0, refused: 0 });
  assert.equal(tested.next()?.phase, 'refine');
  assert.equal(tested.hasPlateau, true);
});

test('the expected rate is bounded by the latency and grows no faster than the threads', () => {
  assert.equal(Math.round(climbed([]).expectedRate(4)), 220);
  const tested = climbed([
    [4, 200],
    [16, 600],
  ]);
  assert.equal(Math.round(tested.expectedRate(32)), 1320);
  assert.equal(Math.round(tested.expectedRate(8)), 440);
  assert.equal(tested.expectedLatency(16), 1000 * (16 / 600));
});
