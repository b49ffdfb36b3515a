import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregateOf, machineLine, scheduleLine, secondLine, stageLine, stageOf, summaryLine } from './logs-of.js';

const NOON = Date.parse('2026-01-31T12:00:00Z');

/**
 * A log of a Write that starts 100 ms after noon, without its summary.
 *
 * @param {object} stage
 * @param {readonly number[]} stage.rates one per second
 * @param {number} stage.stop ms after noon
 * @param {object} [stage.totals] further totals
 */
function logOf({ rates, stop, totals }) {
  const operations = rates.reduce((sum, rate) => sum + rate, 0);
  const facts = { startedAt: NOON + 100, endedAt: NOON + stop, operations };
  return [
    machineLine({ kind: 'run', format: 1, run: 'a', shard: '0/1', start: new Date(NOON).toISOString(), options: {} }),
    scheduleLine(),
    ...rates.map((rate, index) => secondLine(`12:00:0${index + 1}`, rate)),
    stageLine('Write', { ...facts, bytes: operations * 1000, ...totals }),
  ];
}

test('the overlap is unknown if a log lacks the times of the stage', () => {
  const logs = { a: logOf({ rates: [300], stop: 600 }), b: [summaryLine(5)] };
  assert.equal(stageOf(aggregateOf(logs)).overlap, null);
  assert.deepEqual(stageOf(aggregateOf({ a: logs.a, c: logs.a.with(0, logs.a[0].replace('"a"', '"c"')) })).overlap, {
    together: 500,
    any: 500,
    from: NOON + 100,
    to: NOON + 600,
  });
});

test('each share has the bottleneck of its host, and their stage that of the hosts that know it', () => {
  const bottleneck = { cause: 'store throttling', evidence: '43% of the attempts were throttled', advice: null };
  const old = [scheduleLine(), secondLine('12:00:01', 5), summaryLine(5)];
  const known = logOf({ rates: [300], stop: 600, totals: { bottleneck } });
  const { shares, bottleneck: ofAll } = stageOf(aggregateOf({ known, old }));
  assert.equal(ofAll?.cause, 'store throttling');
  assert.deepEqual(
    shares.map(({ limitedBy, evidence }) => [limitedBy, evidence]),
    [
      ['store throttling', '43% of the attempts were throttled'],
      [null, null],
    ],
  );
});
