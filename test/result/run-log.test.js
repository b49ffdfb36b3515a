import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '../../lib/result/histogram.js';
import { parseLine } from '../../lib/result/log/lines.js';
import { RunLog } from '../../lib/result/log/run-log.js';
import { runFacts } from '../../lib/run/benchmark-run.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** Two seconds before midnight. */
const STARTED = Date.parse('2026-01-31T23:59:58.400Z');

const FACTS = runFacts({ config: runConfig(NO_TARGET), host: 'fra-1', startedAt: STARTED, clock: null, versions: {} });

const END = { problems: [], crash: null, cleanup: null, requests: { preflight: 0, clock: 0, probe: 0, cleanup: 0 } };

/**
 * The log of a run of one stage that passes midnight and has many retries in its second second.
 *
 * @param {boolean} withMachineLines
 */
function logOfRun(withMachineLines) {
  /** @type {string[]} */
  const lines = [];
  const write = (/** @type {string} */ line) => lines.push(line);
  const log = new RunLog({ writeLine: write, writeMachineLine: withMachineLines ? write : null });
  const operations = Array.from({ length: 25 }, () => ({ after: 100, latency: 40 }));
  const result = finishedStage({ startedAt: STARTED, operations, threads: 4 }, { retries: 9 });
  log.runStarts(FACTS);
  log.stageStarts({ stage: 'Write', objects: 25, threads: 4, buckets: 2 });
  result.seconds.forEach((second, index) => {
    for (let count = 0; index === 1 && count < 8; count++) {
      log.retrying();
    }
    log.second({ stage: 'Write', ...second });
  });
  log.retrying();
  log.stage(result);
  log.runEnds({ stages: [result], ...END });
  return lines;
}

const GOLDEN = `\
Write: scheduling for 25 objects in 4 threads and 2 buckets
23:59:59: Write: Ops 5.0/s Throughput 0.1MB/s
Retrying on TRANSIENT error
Retrying on TRANSIENT error
Retrying on TRANSIENT error
Retrying on TRANSIENT error (4 more)
00:00:00: Write: Ops 10.0/s Throughput 0.2MB/s
00:00:01: Write: Ops 10.0/s Throughput 0.2MB/s
Retrying on TRANSIENT error
Write took 2500ms. Peak ops 10.0/s Avg ops 10.0/s  Total size 0.4MB  Recoverable errors 9
Write latency (closed loop): min 40.0ms mean 40.0ms p50 40.0ms p90 40.0ms p95 40.0ms p99 40.0ms p99.9 40.0ms max 40.0ms
Write connections: opened 2 reused 98
Write limited by: inconclusive (only 25 operations, too few to show a limit; try more <objects>)
Stage  Ops/s  Threads  Peak/s  MiB/s     p50     p90     p95     p99   p99.9     max  Ops  Errors  Time  Limited by
Write   10.0        4    10.0    0.2  40.0ms  40.0ms  40.0ms  40.0ms  40.0ms  40.0ms   25       0   2.5  inconclusive
`;

test('on a terminal, the log has always had the same lines', () => {
  assert.equal(
    logOfRun(false)
      .map((line) => `${line}\n`)
      .join(''),
    GOLDEN,
  );
});

test('elsewhere, machine lines are added between the same lines', () => {
  const lines = logOfRun(true);
  const human = lines.filter((line) => !line.startsWith('# r2-benchmark {'));
  assert.deepEqual(human.map((line) => `${line}\n`).join(''), GOLDEN);
  const kinds = lines.filter((line) => !human.includes(line)).map((line) => /"kind":"(\w+)"/.exec(line)?.[1]);
  assert.deepEqual(
    kinds.filter((kind, index) => kind !== kinds[index - 1]),
    ['run', 'part', 'stage', 'end'],
  );
  assert.ok(lines[0].startsWith('# r2-benchmark '));
});

test('a second prints few retry lines, which still add up to all retries', () => {
  for (const retries of [0, 1, 3, 4, 41, 500]) {
    /** @type {string[]} */
    const lines = [];
    const log = new RunLog({ writeLine: (line) => lines.push(line), writeMachineLine: null });
    Array.from({ length: retries }).forEach(() => log.retrying());
    assert.equal(lines.length, Math.min(retries, 3), 'they are shown as they happen');
    log.second({ stage: 'Write', secondStart: 1_700_000_000, operations: 0, bytes: 0 });
    const shown = lines.slice(0, -1).map(parseLine);
    const sum = shown.reduce((total, line) => total + (line?.kind === 'retrying' ? line.retries : NaN), 0);
    assert.equal(sum, retries);
    assert.ok(shown.length <= 4);
  }
});

test('a capacity search prints a table of its steps instead of seconds, with its retries as errors', () => {
  /** @type {string[]} */
  const lines = [];
  const write = (/** @type {string} */ line) => lines.push(line);
  const log = new RunLog({ writeLine: write, writeMachineLine: write });
  log.stageStarts({ stage: 'Write', objects: 1000, threads: 16, buckets: 1, search: 'threads' });
  log.retrying();
  const times = { startedAt: 1_700_000_000_000, endedAt: 1_700_000_001_250, seconds: 1, p50: 20, p99: 25 };
  const counts = { operations: 210, operationsPerSecond: 200, errors: 1, throttled: 1, failed: 0 };
  const step = { threads: 4, objectSize: 1000, ...times, ...counts, eventLoopUtilization: 0.1 };
  log.stepEnds('Write', { phase: 'ramp', ...step });
  assert.deepEqual(lines.slice(0, 3), [
    'Write: searching for its capacity with 1,000 objects and up to 16 threads and 1 bucket',
    'Stage   Threads     Ops/s       p50        p99 Errors Client  Step',
    'Write         4     200.0   20.00ms    25.00ms      1    10%  ramp',
  ]);
  assert.match(lines[3], /^# r2-benchmark \{"kind":"part","stage":"Write","at":"search.steps.0"/);
  assert.equal(lines.length, 4);
});

test('the line of a ramp step is read again, however many latencies it has', () => {
  const histogram = new Histogram();
  for (let microseconds = 100; microseconds < 3e9; microseconds *= 1.002) {
    histogram.record(microseconds / 1000);
  }
  /** @type {string[]} */
  const lines = [];
  const log = new RunLog({ writeLine: () => {}, writeMachineLine: (line) => lines.push(line) });
  const step = { slotStart: 0, operations: [1], histogram: histogram.encode(), latency: histogram.summary() };
  log.stepEnds('Write', /** @type {any} */ (step));
  assert.equal(parseLine(lines[0])?.kind, 'machine');
});

test('the lines of a run stay readable with the names of a thousand files, and with long problems', () => {
  /** @type {string[]} */
  const lines = [];
  const log = new RunLog({ writeLine: () => {}, writeMachineLine: (line) => lines.push(line) });
  const texts = Array.from({ length: 1000 }, (_, index) => `2026-02-06-00-00-00-${index}`);
  log.runStarts({ ...FACTS, options: { ...FACTS.options, replay: texts.join() } });
  log.runEnds({ stages: [], ...END, problems: texts });
  assert.deepEqual(
    lines.map((line) => parseLine(line)?.kind),
    ['machine', 'machine'],
  );
});
