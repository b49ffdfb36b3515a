import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTimeOfDay } from '../../lib/text/units.js';
import {
  NOON,
  aggregateOf,
  idleLog,
  machineLine,
  scheduleLine,
  secondLine,
  stageLine,
  stageOf,
  summaryLine,
  warningsOf,
} from './logs-of.js';

// Logs without machine lines, as the original tool wrote them.

/**
 * @param {number} epochSecond
 * @param {number} rate
 * @param {string} [stage]
 */
function second(epochSecond, rate, stage) {
  return secondLine(formatTimeOfDay(epochSecond), rate, stage);
}

test('stages keep their order, whatever the order in the logs', () => {
  const log = ['Remove', 'Stat', 'Write', 'Read'].map((stage, index) => second(index, 1, stage));
  assert.deepEqual(Object.keys(aggregateOf({ log }).peaks), ['Write', 'Read', 'Stat', 'Remove']);
});

test('two lines of a log in the same second are averaged, as rates over drifting intervals', () => {
  const drifting = [second(100, 1000), second(100, 1200), second(101, 900)];
  assert.deepEqual(aggregateOf({ drifting }).peaks, { Write: 1100 });
  assert.deepEqual(aggregateOf({ drifting, b: [second(100, 50)] }).peaks, { Write: 1150 });
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

test('runs that were never in a stage at once have no common rate', () => {
  const times = (/** @type {number} */ from) => ({
    startedAt: from,
    endedAt: from + 2000,
    operations: 10,
    bytes: 1000,
  });
  const logOf = (/** @type {string} */ run, /** @type {number} */ from) =>
    idleLog({ run, host: run, start: from }).with(-2, stageLine('Write', times(from)));
  const { average, averageBytes } = stageOf(aggregateOf({ a: logOf('a', NOON), b: logOf('b', NOON + 60_000) }));
  assert.deepEqual([average, averageBytes], [null, null]);
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
