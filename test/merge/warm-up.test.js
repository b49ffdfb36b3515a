import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionMeter } from '../../lib/meter/connection-meter.js';
import { StageMeter } from '../../lib/meter/stage-meter.js';
import { RunLog } from '../../lib/log/run-log.js';
import { runFacts } from '../../lib/run/run-facts.js';
import { stageResult } from '../../lib/run/stage-result.js';
import { STAGES } from '../../lib/operations/registry.js';
import { closedLoop } from '../helpers/load.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { aggregateOf, stageOf, warningsOf } from './logs-of.js';
import { NO_HOST_LOAD } from '../helpers/host-load.js';

/** @import { StageResult } from '../../lib/model/result.js' */

const START = Date.parse('2026-01-31T12:00:00Z');
const SIZE = 1024 ** 2;

/** Operations per second. The first two seconds are warm-up, and the last two are the drain. */
const OPERATIONS = [50, 40, 10, 20, 10, 10, 10, 10, 10, 10, 10, 10, 25, 1];
const WARMUP = 2000;
const DURATION = 12_000;

/** @returns {StageResult} a Write on a simulated clock */
function warmedStage() {
  const clock = new ManualClock(START);
  const begun = clock.now();
  const meter = new StageMeter(clock, begun, { measuredFrom: begun + WARMUP, measuredUntil: begun + DURATION });
  for (const operations of OPERATIONS) {
    for (let done = 0; done < operations; done += 1) {
      const startedAt = clock.now();
      clock.advance(500 / operations);
      meter.succeeded({ startedAt, attemptStartedAt: startedAt, finishedAt: clock.now() }, SIZE);
      clock.advance(500 / operations);
    }
  }
  return stageResult({
    stage: STAGES[0],
    outcome: {
      end: 'complete',
      fatal: null,
      startedAt: begun,
      endedAt: clock.now(),
      meter,
      kinds: [meter],
      buckets: [],
      clientLoad: { cpuUser: 1, cpuSystem: 1, loops: 1, eventLoopUtilization: 0, busyLoops: 0 },
      hostLoad: NO_HOST_LOAD,
      connections: { opened: 1, reused: 199, lookupTime: null, meter: new ConnectionMeter() },
      secondLatencies: new Map(),
    },
    clock,
    objects: 200,
    load: closedLoop({ size: SIZE, warmup: WARMUP }),
    unloaded: null,
    availableCores: 2,
    storeClock: null,
    stopsAt: begun + DURATION,
  });
}

/** @returns {string[]} the log of the run, as written by the tool */
function warmedLog() {
  /** @type {string[]} */
  const lines = [];
  const write = (/** @type {string} */ line) => lines.push(line);
  const log = new RunLog({ writeLine: write, writeMachineLine: write });
  const config = runConfig(NO_TARGET, { stages: ['write'], size: SIZE, warmup: WARMUP });
  const result = warmedStage();
  log.runStarts(runFacts({ config, host: 'fra-1', startedAt: START, clock: null, versions: {} }));
  log.stageStarts({ stage: 'Write', objects: 200, threads: 1, buckets: 1 });
  result.seconds.forEach((second) => log.second({ stage: 'Write', ...second }));
  log.stage(result);
  log.runEnds({
    stages: [result],
    problems: [],
    crash: null,
    cleanup: null,
    requests: { preflight: 0, clock: 0, probe: 0, cleanup: 0 },
  });
  return lines;
}

const LOG = warmedLog();

test('operations of the warm-up and the drain are in the totals but in no rate', () => {
  const aggregate = aggregateOf({ 'log.txt': LOG });
  const write = stageOf(aggregate);
  assert.deepEqual(warningsOf(aggregate), []);
  assert.deepEqual([write.counts.operations, write.counts.bytes], [226, 226 * SIZE]);
  assert.deepEqual([write.peak.operationsPerSecond, write.peak.secondStart], [20, START / 1000 + 3]);
  assert.deepEqual([write.sumOfPeaks, write.shares[0].peak], [20, 20]);
  assert.deepEqual([write.sustained?.operationsPerSecond, write.sustained?.secondStart], [11, START / 1000 + 2]);
  assert.deepEqual([write.together?.operationsPerSecond, write.together?.seconds], [11, 10]);
  assert.equal(write.latency?.count, 136);
});

test('without its summary, the stage has the same rates', () => {
  const whole = stageOf(aggregateOf({ 'log.txt': LOG }));
  const rest = stageOf(aggregateOf({ 'log.txt': LOG.filter((line) => !line.startsWith('Write took')) }));
  assert.deepEqual(rest, whole);
});

test('the table at the end of a run excludes both from rate and throughput', () => {
  assert.deepEqual(LOG.at(-2)?.split(/ {2,}/).slice(2, 5), ['11.0', '20.0', '11.0']);
});
