import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTimeOfDay } from '../../lib/text/units.js';
import { cases } from '../helpers/cases.js';
import { aggregateOf, machineLine, scheduleLine, secondLine, stageOf, summaryLine, warningsOf } from './logs-of.js';

// Logs without machine lines, as the original tool wrote them.

/**
 * @param {number} epochSecond
 * @param {number} rate
 * @param {string} [stage]
 */
function second(epochSecond, rate, stage) {
  return secondLine(formatTimeOfDay(epochSecond), rate, stage);
}

const countLists = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 20 });
const syntheticHosts = fc.record({
  start: fc.nat(2 * 86_400),
  hosts: fc.array(fc.record({ delay: fc.nat(30), counts: countLists }), { minLength: 2, maxLength: 8 }),
});

test('the sum over a second is exact, whatever the counts, even across midnight', () => {
  fc.assert(
    fc.property(syntheticHosts, ({ start, hosts }) => {
      const sums = Array.from({ length: 50 }, (_, index) =>
        hosts.reduce((sum, host) => sum + (host.counts[index - host.delay] ?? 0), 0),
      );
      const logs = hosts.map((host, number) => {
        const seconds = host.counts.map((count, index) => second(start + host.delay + index, count));
        return [`log-${number}.txt`, [...seconds, summaryLine(1e9)]];
      });
      assert.deepEqual(aggregateOf(Object.fromEntries(logs)).peaks, { Write: Math.max(...sums) });
    }),
    { numRuns: cases(300) },
  );
});

test('stages keep their order, whatever the order in the logs', () => {
  const log = ['Remove', 'Stat', 'Write', 'Read'].map((stage, index) => second(index, 1, stage));
  assert.deepEqual(Object.keys(aggregateOf({ log }).peaks), ['Write', 'Read', 'Stat', 'Remove']);
});

test('two lines of a log in the same second are averaged, as rates over drifting intervals', () => {
  const drifting = [second(100, 1000), second(100, 1200), second(101, 900)];
  assert.deepEqual(aggregateOf({ drifting }).peaks, { Write: 1100 });
  assert.deepEqual(aggregateOf({ drifting, b: [second(100, 50)] }).peaks, { Write: 1150 });
});

test('if only one log has a stage, its summary counts if it is higher', () => {
  const short = [second(100, 500), second(101, 500), summaryLine(4000)];
  const otherStage = [second(100, 7, 'Read'), summaryLine(9000, 'Read')];
  assert.deepEqual(aggregateOf({ short, otherStage }).peaks, { Write: 4000, Read: 9000 });
});

test("if several logs have a stage, the sum of the summaries' peaks is not the peak", () => {
  const short = [second(100, 500), second(101, 300), summaryLine(4000)];
  const aggregate = aggregateOf({ a: short, b: short });
  assert.deepEqual(aggregate.peaks, { Write: 1000 });
});

test('the best ten seconds are consecutive, and a gap interrupts them', () => {
  const rates = [1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1];
  const row = rates.map((rate, index) => second(100 + index, rate));
  const { sustained } = stageOf(aggregateOf({ row }));
  assert.deepEqual([sustained?.operationsPerSecond, sustained?.secondStart], [9, 100]);
  assert.equal(stageOf(aggregateOf({ holed: row.toSpliced(5, 1) })).sustained, null);
});

test('ten consecutive seconds that include an edge do not count if a stage has no ten whole seconds', () => {
  const bestOf = (/** @type {number} */ seconds) => {
    const lines = Array.from({ length: seconds + 1 }, (_, index) => {
      const isEdge = index === 0 || index === seconds;
      return secondLine(`12:00:${String(index + 1).padStart(2, '0')}`, isEdge ? 40 : 100);
    });
    const times = { start: Date.UTC(2026, 0, 31, 12, 0, 0, 600), stop: Date.UTC(2026, 0, 31, 12, 0, seconds, 400) };
    const counts = { operations: 100 * (seconds - 1) + 80, attempts: 100 * (seconds - 1) + 80, errors: {} };
    const log = [
      machineLine({ kind: 'run', format: 1, run: 'run-1', host: 'one', start: '2026-01-31T12:00:00.000Z' }),
      scheduleLine(),
      ...lines,
      machineLine({ kind: 'stage', stage: 'Write', end: 'complete', ...times, ...counts }),
    ];
    const { sustained, together } = stageOf(aggregateOf({ log }));
    assert.equal(together?.operationsPerSecond, 100);
    return sustained?.operationsPerSecond ?? null;
  };
  assert.deepEqual([bestOf(12), bestOf(11), bestOf(10)], [100, 100, null]);
});

test('a rounded number of operations in a summary becomes the scheduled number, over the time of the summary', () => {
  const log = [
    'Write: scheduling for 10000 objects in 1000 threads and 1 buckets',
    second(100, 1284.2),
    'Write took 13477ms. Peak ops 1284.2/s Avg ops 742.0/s  Total size 156.3MB  Recoverable errors 9',
  ];
  const { counts, errors, duration, average } = stageOf(aggregateOf({ log }));
  assert.deepEqual([duration, Number(average).toFixed(1)], [13_477, '742.0']);
  assert.deepEqual([counts.operations, counts.attempts, counts.retries], [10_000, 10_009, 9]);
  assert.deepEqual(errors, { 'unknown kind': 9 });
});

test('a log of the original tool without errors has no kinds of errors', () => {
  assert.deepEqual(stageOf(aggregateOf({ log: [scheduleLine(), summaryLine(10)] })).errors, {});
});

const SECOND = secondLine('03:10:05', 10);

/** @type {[string, string[], number | null][]} */
const CUTS = [
  ['a whole stage', [scheduleLine(), SECOND, summaryLine(10)], null],
  ['two runs in one log', [scheduleLine(), SECOND, summaryLine(10), scheduleLine(), SECOND, summaryLine(10)], null],
  ['a stage without its summary', [scheduleLine(), SECOND], 1],
  ['a stage that is only scheduled', ['Retrying on TRANSIENT error', scheduleLine()], 2],
  ['a log that has lost its head and its tail', [SECOND, SECOND], 1],
  ['a log that has lost its head', [SECOND, summaryLine(10)], null],
  ['a second after the summary', [scheduleLine(), summaryLine(10), SECOND], null],
  [
    'a truncated first run and a second one after it',
    [scheduleLine(), SECOND, scheduleLine(), SECOND, summaryLine(1)],
    1,
  ],
  ['a second run cut short', [scheduleLine(), SECOND, summaryLine(10), scheduleLine(), SECOND], 4],
];

for (const [name, lines, line] of CUTS) {
  test(`${name} is ${line === null ? 'complete' : `reported as cut short at line ${line}`}`, () => {
    const expected = `!log.txt:${line}: Write begins here and has no summary: the log is cut short`;
    assert.deepEqual(warningsOf(aggregateOf({ 'log.txt': lines })), line === null ? [] : [expected]);
  });
}

test('an impossible rate does not count', () => {
  const log = [scheduleLine(), second(100, 1e11), second(101, 7), summaryLine(7)];
  const aggregate = aggregateOf({ log });
  assert.deepEqual(aggregate.peaks, { Write: 7 });
  assert.deepEqual(warningsOf(aggregate), ['!log:2: Write has an impossible rate here: this line is not counted']);
});

test('in a log of the original tool, Stat and Remove have no bytes, but unknown stages keep theirs', () => {
  const lines = ['Write', 'Stat', 'Remove', 'Rename'].flatMap((stage) => [
    `12:00:01: ${stage}: Ops 100.0/s Throughput 1.6MB/s`,
    `${stage} took 1000ms. Peak ops 100.0/s Avg ops 100.0/s  Total size 1.6MB  Recoverable errors 0`,
  ]);
  const aggregate = aggregateOf({ log: lines });
  assert.deepEqual(
    ['Write', 'Stat', 'Remove', 'Rename'].map((name) => {
      const { counts, peak } = stageOf(aggregate, name);
      return [name, counts.operations, counts.bytes, Math.round(Number(peak.bytesPerSecond))];
    }),
    [
      ['Write', 100, 1_677_722, 1_677_722],
      ['Stat', 100, 0, 0],
      ['Remove', 100, 0, 0],
      ['Rename', 100, 1_677_722, 1_677_722],
    ],
  );
});

test('the bytes of a second come from its line for several sizes or a mix, and otherwise from its operations', () => {
  const lines = [
    '12:00:01: Write: Ops 10.0/s Throughput 1.0MB/s',
    '12:00:02: Write: Ops 20.0/s Throughput 30.0MB/s',
    '12:00:03: Write: Ops 10.0/s Throughput 1.0MB/s',
    'Write took 3000ms. Peak ops 20.0/s Avg ops 13.3/s  Total size 32.0MB  Recoverable errors 0',
  ];
  const head = (/** @type {object} */ options) =>
    machineLine({
      kind: 'run',
      format: 1,
      run: 'run-1',
      host: 'one',
      shard: '0/1',
      start: '2026-01-31T12:00:00.000Z',
      options,
    });
  const peakOf = (/** @type {object} */ options) => {
    const { peak, sustained } = stageOf(aggregateOf({ log: [head({ stages: ['write'], ...options }), ...lines] }));
    assert.equal(sustained, null);
    return Number(peak.bytesPerSecond) / 2 ** 20;
  };
  assert.equal(peakOf({ size: 2 ** 23, sizes: '4KiB=60,8MiB=40' }), 30);
  assert.equal(peakOf({ size: 2 ** 20, mix: 'read=50,stat=50' }), 30);
  assert.equal(peakOf({ size: 2 ** 20 }), 20);
});

test('in a Range without totals, an operation moves a part of its object, unless it existed before', () => {
  const bytesWith = (/** @type {object} */ options) => {
    const log = [machineLine({ kind: 'run', format: 1, options }), '12:00:01: Range: Ops 10.0/s Throughput 1.0MB/s'];
    return stageOf(aggregateOf({ log }), 'Range').counts.bytes;
  };
  assert.equal(bytesWith({ size: 16_384, rangeSize: 4096 }), 40_960);
  assert.equal(bytesWith({ size: 16_384, rangeSize: 4096, existing: '*' }), 2 ** 20);
});
