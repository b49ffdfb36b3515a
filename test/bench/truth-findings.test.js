import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totalFinding, truthOn, verdictOf } from '../../bench/truth/verdict.js';

/** @import { Verdict } from '../../bench/truth/verdict.js' */

const SILENT = 'inconclusive';
const TRUTH = { right: 'concurrency', supersets: ['beyond this host'], underSteal: 'host CPU' };

/**
 * @param {string} cause
 * @param {object} [facts]
 * @returns {any} a stage
 */
function stageWith(cause, facts = {}) {
  return { cause, hostLoad: null, ...facts };
}

test('a run is as good as its worst stage, a likely cause is no proven one, and a run without stages is wrong', () => {
  const likely = { certainty: 'likely' };
  const robbed = (/** @type {number | null} */ steal) => ({ hostLoad: { cpu: { steal } } });
  for (const [stages, verdict] of /** @type {[any[], string][]} */ ([
    [[stageWith('concurrency'), stageWith('concurrency')], 'right'],
    [[stageWith('concurrency'), stageWith('beyond this host')], 'superset'],
    [[stageWith('beyond this host'), stageWith(SILENT)], 'not shown'],
    [[stageWith('concurrency'), stageWith('store')], 'wrong'],
    [[stageWith('store'), stageWith(SILENT)], 'wrong'],
    [[], 'wrong'],
    [[stageWith('concurrency', likely)], 'likely'],
    [[stageWith('beyond this host', likely)], 'likely'],
    [[stageWith('store', likely)], 'mistaken'],
    // If the hypervisor takes CPU time, a client short of CPU may be classified as a busy host.
    [[stageWith('host CPU', robbed(0.2))], 'superset'],
    [[stageWith('host CPU', robbed(0.01))], 'wrong'],
    [[stageWith('host CPU', robbed(null))], 'wrong'],
  ])) {
    assert.equal(verdictOf(stages, TRUTH), verdict, JSON.stringify(stages));
  }
  assert.equal(verdictOf([stageWith('host CPU')], truthOn(TRUTH, true)), 'superset', 'on a busy host');
});

test('up to 10% of runs may leave the cause open, up to 5% may name a wrong likely cause, and none a wrong proven one', () => {
  const isRight = (/** @type {Record<string, number>} */ counts) =>
    totalFinding(
      'all',
      Object.entries(counts).flatMap(([verdict, count]) =>
        Array.from({ length: count }, () => /** @type {Verdict} */ (verdict)),
      ),
    ).isRight;
  const counts = { right: 70, superset: 6, likely: 10, 'not shown': 10, mistaken: 4, wrong: 0 };
  assert.ok(isRight(counts));
  assert.equal(isRight({ ...counts, right: 69, 'not shown': 11 }), false);
  assert.equal(isRight({ ...counts, right: 68, mistaken: 6 }), false);
  assert.equal(isRight({ ...counts, right: 69, wrong: 1 }), false);
  assert.equal(isRight({}), false);
});
