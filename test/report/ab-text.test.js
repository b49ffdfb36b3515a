import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareQuads } from '../../lib/compare/compare-quads.js';
import { formatInterleaved } from '../../lib/report/ab-text.js';
import { simulateQuads } from '../helpers/simulated-quads.js';

/** @import { InterleavedComparison, Quad, QuadOrder } from '../../lib/model/interleaved.js' */

const MARGIN = 0.03;

/** @type {readonly QuadOrder[]} */
const ORDERS = ['ABBA', 'BAAB', 'BAAB', 'ABBA', 'ABBA', 'BAAB'];

/**
 * @param {readonly Quad[]} quads
 * @param {Partial<InterleavedComparison>} [overrides]
 */
function textOf(quads, overrides = {}) {
  const side = { hosts: 1, start: null };
  return formatInterleaved(
    /** @type {InterleavedComparison} */ ({
      before: { ...side, name: '--client direct', run: 'pair-a' },
      after: { ...side, name: '', run: 'pair-b' },
      margin: MARGIN,
      quads,
      quadsPlanned: ORDERS.length,
      stages: compareQuads(quads, { margin: MARGIN }),
      ...overrides,
    }),
  );
}

test('each stage has a sentence, then one line per figure', () => {
  const quads = simulateQuads({ orders: ORDERS, ratio: 1.25 });
  for (const [index, { passes }] of quads.entries()) {
    for (const { side, stages } of passes) {
      const [stage] = stages;
      // The same for both.
      stage.metrics.p50 = 4;
      // Too different from quad to quad for a verdict.
      stage.metrics.p99 = side === 'a' ? 8 : 8 * 2 ** (index % 2 === 0 ? 1 : -0.9);
    }
  }
  quads[1].passes[0].stages[0].failedAttempts = 3;
  assert.equal(
    textOf(quads),
    `A  --client direct, run pair-a
B  no options of its own, run pair-b

6 quads: ABBA BAAB BAAB ABBA ABBA BAAB.

Write, B compared with A: 25% more operations per second; p50 the same.
                      A            B    B ÷ A       95% interval
  ops/s         1,000.0      1,250.0    1.250     1.250 to 1.250  faster
  p50            4.00ms       4.00ms    1.000     1.000 to 1.000  the same
  p99            8.00ms       8.28ms    1.035     0.486 to 2.207  cannot tell
  CPU/op      1,000.0µs    1,250.0µs    1.250     1.250 to 1.250  more
  cannot tell for p99: it may not have changed, or may have changed by more than
    3%; more quads are unlikely to help: use more objects or a longer --duration
  failed attempts: 0 with A, 3 with B

The same: the whole interval is within 3% of no change. Faster, slower, fewer,
more: proven with 95% confidence for all figures together (Holm), and by the
exact sign-flip test.
`,
  );
});

test('a terminal obeys nothing in the options', () => {
  const text = textOf([], { before: { name: '--env-file \u001b[31mred', run: null, hosts: 1, start: null } });
  assert.ok(!text.includes('\u001b'));
});
