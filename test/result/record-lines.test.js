import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LINE_LENGTH, parseLine } from '../../lib/result/log/lines.js';
import { addParts, isPath, recordLines, withHistograms } from '../../lib/result/log/record-lines.js';
import { Histogram } from '../../lib/result/histogram.js';
import { mixIndex } from '../../lib/load/workload/mix.js';
import { cases } from '../helpers/cases.js';

/** @param {readonly number[]} latencies in ms */
function histogramOf(latencies) {
  const histogram = new Histogram();
  latencies.forEach((latency) => histogram.record(latency));
  return histogram.encode();
}

/**
 * @param {readonly string[]} lines of one stage
 * @returns {any} the stage, read back
 */
function readBack(lines) {
  const records = lines.map((line) => /** @type {any} */ (parseLine(line)).data);
  const parts = records.slice(0, -1).map(({ kind, stage, at, ...part }) => {
    assert.deepEqual([kind, stage, isPath(at)], ['part', 'Read', true]);
    return /** @type {[string, any]} */ ([at, withHistograms(part)]);
  });
  const { kind, stage, lines: count, ...record } = withHistograms(/** @type {any} */ (records.at(-1)));
  assert.deepEqual([kind, stage, count], ['stage', 'Read', parts.length]);
  addParts(record, new Map(parts));
  return record;
}

// As coarse as a part's histogram is written.
const [SHORT, LONG] = [
  [1, 2, 3],
  [40, 50],
].map((latencies) => String(Histogram.decode(histogramOf(latencies)).encodeWithin(Infinity, 3)));

test('a record is the same when its lines are read back, with all its parts', () => {
  const latency = { unit: 'ms', histogram: { operations: SHORT, attempts: SHORT, firstByte: null } };
  const part = fc.record({ operations: fc.nat(), histogram: fc.constantFrom(null, SHORT, LONG) });
  const kind = fc.record({
    operation: fc.constantFrom('read', 'write'),
    latency: fc.constant({ histogram: { operations: LONG, attempts: SHORT } }),
    reads: fc.record({ first: part, repeated: part }),
    sizeClasses: fc.array(part, { minLength: 1, maxLength: 3 }),
  });
  const stage = fc.record({
    latency: fc.constant(latency),
    buckets: fc.array(part, { minLength: 1, maxLength: 3 }),
    kinds: fc.array(kind, { minLength: 1, maxLength: 4 }),
    parts: fc.nat(),
  });
  fc.assert(
    fc.property(stage, (record) =>
      assert.deepEqual(readBack(recordLines('Read', record, { lines: 0 })), structuredClone(record)),
    ),
    { numRuns: cases(50) },
  );
});

test('a histogram of any size fits into its line, as fine as there is room, and keeps its count', () => {
  const spread = Array.from({ length: 60_000 }, (_, index) => Math.exp((10 * mixIndex(index, 1)) / 2 ** 32));
  const operations = histogramOf(spread);
  assert.ok(operations.length > MAX_LINE_LENGTH);
  const latency = { histogram: { operations, attempts: histogramOf(spread.slice(1)), firstByte: histogramOf([1]) } };
  const lines = recordLines('Read', { latency, evidence: 'x'.repeat(4000) }, { lines: 0 });
  assert.ok(lines.every((line) => line.length <= MAX_LINE_LENGTH));
  const read = Histogram.decode(readBack(lines).latency.histogram.operations);
  assert.equal(read.count, spread.length);
  const whole = Histogram.decode(operations);
  for (const percentile of [1, 50, 99, 99.9]) {
    const difference = read.at(percentile) / whole.at(percentile) - 1;
    assert.ok(Math.abs(difference) < 0.05, `p${percentile}: ${difference}`);
  }
});

test('coarse histograms keep every percentile within 1%, and the count', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50_000_000 }), { minLength: 1, maxLength: 200 }), (micros) => {
      const whole = Histogram.decode(histogramOf(micros.map((value) => value / 1000)));
      const coarse = Histogram.decode(String(whole.encodeWithin(Infinity, 3)));
      assert.equal(coarse.count, whole.count);
      for (const percentile of [0, 50, 90, 99.9, 100]) {
        const [one, other] = [coarse.at(percentile), whole.at(percentile)];
        assert.ok(Math.abs(one - other) <= Math.max(0.01 * other, 0.001), `p${percentile}: ${one}, not ${other}`);
      }
    }),
    { numRuns: cases(100) },
  );
});

test('a place that no record has is no path', () => {
  for (const at of ['', 'kinds', 'kinds.0.', '__proto__.x', 'kinds.12345', 'a.b.c.d.e.f', 7, null]) {
    assert.equal(isPath(at), false, String(at));
  }
});
