import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeFinding } from '../../bench/truth/cause-finding.js';
import { isWithinOneStep } from '../../bench/truth/capacities.js';
import { closeTo, milliseconds } from '../../bench/truth/finding.js';
import { scenariosOf } from '../../bench/truth/scenarios.js';
import { countVerdicts, judgeCounts, truthOn, verdictOf } from '../../bench/truth/verdict.js';

const SILENT = 'inconclusive';
const STORE = { right: 'store', supersets: [] };

/**
 * @param {string} expected
 * @param {Record<string, number>} counts named causes
 */
function isRight(expected, counts) {
  const causes = Object.entries(counts).flatMap(([cause, count]) => Array.from({ length: count }, () => cause));
  return causeFinding('scenario', { right: expected, supersets: [] }, causes.map(stageWith)).isRight;
}

test('a wrong cause is never right, and the true one may be missing only once in ten runs', () => {
  assert.ok(isRight('store', { store: 10 }));
  assert.ok(isRight('store', { store: 9, [SILENT]: 1 }));
  assert.ok(!isRight('store', { store: 8, [SILENT]: 2 }));
  assert.ok(!isRight('store', { store: 9, bandwidth: 1 }));
  assert.ok(isRight(SILENT, { [SILENT]: 10 }));
  assert.ok(!isRight(SILENT, { [SILENT]: 9, store: 1 }));
  assert.ok(!isRight('store', { store: 8, [SILENT]: 1 }), 'one of fewer than ten is too many');
  assert.ok(!isRight('store', {}), 'no run shows nothing');
});

test('the finding reports how often each cause was named', () => {
  const { found } = causeFinding('scenario', STORE, ['store', SILENT, 'store'].map(stageWith));
  assert.equal(found, '2 × store, 1 × inconclusive');
});

test('the knee is within one step if it lies between the ramp steps around the truth', () => {
  const steps = [
    ...[4, 8, 16, 32].map((threads) => ({ phase: 'ramp', threads })),
    ...[10, 12].map((threads) => ({ phase: 'refine', threads })),
  ];
  assert.ok(isWithinOneStep([10, 11], 12, steps));
  assert.ok(isWithinOneStep([10, 11], 8, steps));
  assert.ok(!isWithinOneStep([10, 11], 4, steps));
  assert.ok(!isWithinOneStep([10, 11], 32, steps));
  assert.ok(!isWithinOneStep([10, 11], null, steps));
  assert.ok(isWithinOneStep([2.5, 3.5], 4, steps), 'nothing was tried below');
  assert.ok(!isWithinOneStep([2.5, 3.5], null, steps), 'without a knee nothing is within a step');
  assert.ok(!isWithinOneStep([100, 110], 32, steps), 'a ramp that ended below the truth shows nothing');
  assert.ok(!isWithinOneStep([40, 44], 16, steps.slice(0, 3)), 'not even at its last step');
  assert.ok(isWithinOneStep([15, 17], 24, steps));
});

test('a value is right within its tolerance', () => {
  const finding = (/** @type {number} */ found) => closeTo('p50', { expected: 10, found, tolerance: 1 }, milliseconds);
  assert.deepEqual(finding(10.5), { what: 'p50', expected: '10.00 ms ± 1.00 ms', found: '10.50 ms', isRight: true });
  assert.equal(finding(8.9).isRight, false);
  assert.equal(finding(NaN).isRight, false);
});

test('a run is as good as its worst stage, and a run without stages is wrong', () => {
  const truth = { right: 'concurrency', supersets: ['beyond this host'] };
  const expected = /** @type {const} */ ([
    [['concurrency', 'concurrency'], 'right'],
    [['concurrency', 'beyond this host'], 'superset'],
    [['beyond this host', SILENT], 'not shown'],
    [['concurrency', 'store'], 'wrong'],
    [['store', SILENT], 'wrong'],
    [[], 'wrong'],
  ]);
  for (const [causes, verdict] of expected) {
    assert.equal(verdictOf(causes.map(stageWith), truth), verdict, causes.join());
  }
  const narrow = { ...truth, supersets: [] };
  assert.equal(verdictOf([stageWith('beyond this host')], narrow), 'wrong', 'no cause includes every other');
});

test('if the hypervisor takes CPU time, a client short of CPU may be classified as a busy host', () => {
  const truth = { right: 'client CPU', supersets: [], underSteal: 'host CPU' };
  const robbed = (/** @type {number | null} */ steal) => ({
    cause: 'host CPU',
    hostLoad: { cpu: { cpus: 2, usable: 2, busy: 0.5, iowait: 0, busiest: 1, others: 0, steal } },
  });
  assert.equal(verdictOf([robbed(0.2)], truth), 'superset');
  assert.equal(verdictOf([robbed(0.01)], truth), 'wrong');
  assert.equal(verdictOf([robbed(null)], truth), 'wrong');
  assert.ok(causeFinding('a search', truth, [robbed(0.2)]).isRight);
  assert.ok(!causeFinding('a search', truth, [robbed(0.01)]).isRight);
});

/** @param {string} cause */
function stageWith(cause) {
  return { cause, hostLoad: null };
}

test('up to 10% of runs may leave the cause open, up to 5% may name a wrong likely cause, and none a wrong proven one', () => {
  const counts = { right: 70, superset: 6, likely: 10, 'not shown': 10, mistaken: 4, wrong: 0 };
  assert.deepEqual(judgeCounts(counts), { runs: 100, open: 10, mistaken: 5, isEnough: true });
  assert.equal(judgeCounts({ ...counts, right: 69, 'not shown': 11 }).isEnough, false);
  assert.equal(judgeCounts({ ...counts, right: 68, mistaken: 6 }).isEnough, false);
  assert.equal(judgeCounts({ ...counts, right: 69, wrong: 1 }).isEnough, false);
  assert.equal(judgeCounts(countVerdicts([])).isEnough, false);
});

test('a likely cause is distinguished from a proven one', () => {
  const likely = (/** @type {string} */ cause) => [{ ...stageWith(cause), certainty: 'likely' }];
  assert.equal(verdictOf(likely('store'), STORE), 'likely');
  assert.equal(verdictOf(likely('bandwidth'), STORE), 'mistaken');
  assert.equal(verdictOf(likely('host CPU'), truthOn(STORE, true)), 'likely');
  assert.equal(verdictOf(likely('host CPU'), truthOn(STORE, false)), 'mistaken');
});

test('each verdict is counted', () => {
  assert.deepEqual(countVerdicts(['right', 'wrong', 'right', 'not shown', 'superset']), {
    right: 2,
    superset: 1,
    likely: 0,
    'not shown': 1,
    mistaken: 0,
    wrong: 1,
  });
});

test('a set-up is found by part of its name', () => {
  const { possible, impossible } = scenariosOf('throttling bucket');
  assert.deepEqual(
    possible.map(({ name }) => name),
    ['throttling bucket', 'throttling bucket: 100 per second', 'throttling bucket: 200 threads'],
  );
  assert.deepEqual(impossible, []);
});
