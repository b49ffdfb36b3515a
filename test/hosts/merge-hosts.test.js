import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostLog, mergePeaks } from '../../lib/hosts/merge-hosts.js';
import { parseLine } from '../../lib/log/log-line.js';
import { formatTimeOfDay } from '../../lib/log/units.js';

/** @typedef {import('../../lib/log/log-line.js').LogRecord} LogRecord */
/** @typedef {import('../../lib/log/log-line.js').StageName} StageName */

/**
 * @param {string} file
 * @param {readonly LogRecord[]} records
 */
function hostOf(file, records) {
  const host = new HostLog(file);
  records.forEach((record, index) => host.add(index + 1, record));
  return host;
}

/** @param {readonly string[]} lines */
function hostOfLines(...lines) {
  return hostOf(
    'log.txt',
    lines.map((line) => /** @type {LogRecord} */ (parseLine(line))),
  );
}

/**
 * @param {number} epochSecond
 * @param {number} operationsPerSecond
 * @param {StageName} [stage]
 * @returns {LogRecord}
 */
function second(epochSecond, operationsPerSecond, stage = 'Write') {
  return { kind: 'second', time: formatTimeOfDay(epochSecond), stage, operationsPerSecond, megabytesPerSecond: 0 };
}

/**
 * @param {number} peakOperationsPerSecond
 * @param {StageName} [stage]
 * @returns {LogRecord}
 */
function summary(peakOperationsPerSecond, stage = 'Write') {
  return {
    kind: 'summary',
    stage,
    milliseconds: 1000,
    peakOperationsPerSecond,
    averageOperationsPerSecond: 0,
    megabytes: 0,
    recoverableErrors: 0,
  };
}

const counts = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 20 });
const syntheticHosts = fc.record({
  start: fc.nat(2 * 86_400),
  hosts: fc.array(fc.record({ delay: fc.nat(30), counts }), { minLength: 2, maxLength: 8 }),
});

test('whatever the hosts count in each second, and midnight or not, their sum over a second is exact', () => {
  fc.assert(
    fc.property(syntheticHosts, ({ start, hosts }) => {
      const sums = Array.from({ length: 50 }, (_, index) =>
        hosts.reduce((sum, host) => sum + (host.counts[index - host.delay] ?? 0), 0),
      );
      const logs = hosts.map((host, number) => {
        const seconds = host.counts.map((count, index) => second(start + host.delay + index, count));
        return hostOf(`log-${number}.txt`, [...seconds, summary(1e9)]);
      });
      assert.deepEqual(mergePeaks(logs), { Write: Math.max(...sums) });
    }),
    { numRuns: 500 },
  );
});

test('the order of the logs does not matter', () => {
  const logs = [
    hostOf('a', [second(86_399, 5), second(86_400, 7)]),
    hostOf('b', [second(86_400, 11), second(86_401, 13)]),
    hostOf('c', [second(86_399, 17)]),
  ];
  assert.deepEqual(mergePeaks(logs), { Write: 22 });
  assert.deepEqual(mergePeaks(logs.toReversed()), { Write: 22 });
});

test('only seconds of the same stage are added up', () => {
  const logs = [
    hostOf('a', [second(100, 10, 'Write'), second(101, 20, 'Read')]),
    hostOf('b', [second(100, 1, 'Read'), second(101, 2, 'Read')]),
  ];
  assert.deepEqual(mergePeaks(logs), { Write: 10, Read: 22 });
});

test('the stages come in their order, whatever the order in the logs', () => {
  const log = hostOf('a', [second(1, 1, 'Remove'), second(2, 2, 'Stat'), second(3, 3, 'Write'), second(4, 4, 'Read')]);
  assert.deepEqual(Object.keys(mergePeaks([log])), ['Write', 'Read', 'Stat', 'Remove']);
});

test('two lines of one log in one second are averaged, as two rates over drifting intervals', () => {
  const drifting = hostOf('a', [second(100, 1000), second(100, 1200), second(101, 900)]);
  assert.deepEqual(mergePeaks([drifting]), { Write: 1100 });
  assert.deepEqual(mergePeaks([drifting, hostOf('b', [second(100, 50)])]), { Write: 1150 });
});

test('a stage that did nothing has a peak of zero', () => {
  const idle = [second(100, 0), summary(0)];
  assert.deepEqual(mergePeaks([hostOf('a', idle)]), { Write: 0 });
  assert.deepEqual(mergePeaks([hostOf('a', idle), hostOf('b', idle)]), { Write: 0 });
});

test('where one log alone has a stage, its summary counts where it is larger', () => {
  const short = hostOf('a', [second(100, 500), second(101, 500), summary(4000)]);
  const otherStage = hostOf('b', [second(100, 7, 'Read'), summary(9000, 'Read')]);
  assert.deepEqual(mergePeaks([short, otherStage]), { Write: 4000, Read: 9000 });
});

test('where several logs have a stage, the peaks of their summaries are not added up', () => {
  const short = [second(100, 500), second(101, 300), summary(4000)];
  assert.deepEqual(mergePeaks([hostOf('a', short), hostOf('b', short)]), { Write: 1000 });
});

test('where no log has a second of a stage, the best summary is what is known', () => {
  assert.deepEqual(mergePeaks([hostOf('a', [summary(40)]), hostOf('b', [summary(50)])]), { Write: 50 });
});

test('a day later at the same time of day is another second', () => {
  const log = hostOf('a', [second(43_200, 100), second(86_399, 1), second(86_400, 1), second(86_400 + 43_200, 300)]);
  assert.deepEqual(mergePeaks([log]), { Write: 300 });
});

test('a clock that is set back within a day does not begin another one', () => {
  const setBack = hostOf('a', [second(50_000, 10), second(49_000, 10)]);
  const other = hostOf('b', [second(49_000, 1)]);
  assert.deepEqual(mergePeaks([setBack, other]), { Write: 11 });
});

test('without logs, or with logs that measured nothing, there is no peak', () => {
  const begun = hostOfLines(
    'Write: scheduling for 1 objects in 1 threads and 1 buckets',
    'Retrying on TRANSIENT error',
  );
  assert.deepEqual(mergePeaks([]), {});
  assert.deepEqual(mergePeaks([begun]), {});
});

const SCHEDULE = 'Write: scheduling for 10 objects in 1 threads and 1 buckets';
const SECOND = '03:10:05: Write: Ops 10.0/s Throughput 0.2MB/s';
const SUMMARY = 'Write took 1000ms. Peak ops 10.0/s Avg ops 10.0/s  Total size 0.2MB  Recoverable errors 0';

/** @type {[string, string[], number | null][]} */
const CUTS = [
  ['a whole stage', [SCHEDULE, SECOND, SUMMARY], null],
  ['two runs in one log', [SCHEDULE, SECOND, SUMMARY, SCHEDULE, SECOND, SUMMARY], null],
  ['a stage without its summary', [SCHEDULE, SECOND], 1],
  ['a stage that is only scheduled', ['Retrying on TRANSIENT error', SCHEDULE], 2],
  ['a log that has lost its head and its tail', [SECOND, SECOND], 1],
  ['a log that has lost its head', [SECOND, SUMMARY], null],
  ['a second behind the summary', [SCHEDULE, SUMMARY, SECOND], null],
  ['a first run cut short and a second one behind it', [SCHEDULE, SECOND, SCHEDULE, SECOND, SUMMARY], 1],
  ['a second run cut short', [SCHEDULE, SECOND, SUMMARY, SCHEDULE, SECOND], 4],
];

for (const [name, lines, line] of CUTS) {
  test(`${name} is ${line === null ? 'complete' : `reported as cut short at line ${line}`}`, () => {
    const message = 'Write begins here and has no summary: the log is cut short';
    const expected = line === null ? [] : [{ file: 'log.txt', line, message, incomplete: true }];
    assert.deepEqual(hostOfLines(...lines).warnings(), expected);
  });
}
