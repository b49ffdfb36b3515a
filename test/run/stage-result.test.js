import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionMeter } from '../../lib/meter/connection-meter.js';
import { StageMeter } from '../../lib/meter/stage-meter.js';
import { stageResult } from '../../lib/run/stage-result.js';
import { STAGES } from '../../lib/stages/index.js';
import { ManualClock } from '../helpers/manual-clock.js';

const SIZE = 100;
const STORE_CLOCK = { offset: 12, uncertainty: 3 };
const CLIENT_LOAD = { cpuUser: 1, cpuSystem: 2, eventLoopUtilization: 0.5 };

/**
 * @param {number} offset ms into the second in which the stage starts
 * @param {readonly number[]} gaps ms before each operation completes
 * @param {number} rest ms behind the last one
 */
function resultOf(offset, gaps, rest) {
  const clock = new ManualClock(1_700_000_000_000 + offset);
  const startedAt = clock.now();
  const meter = new StageMeter(clock, startedAt);
  for (const gap of gaps) {
    const begun = clock.now();
    clock.advance(gap);
    meter.succeeded({ attempts: 1, startedAt: begun, attemptStartedAt: begun, finishedAt: clock.now() }, SIZE);
  }
  clock.advance(rest);
  const connections = new ConnectionMeter();
  connections.opened({ tcp: 2, tls: null });
  const outcome = { end: /** @type {const} */ ('complete'), fatal: null, startedAt, endedAt: clock.now(), meter };
  return stageResult({
    stage: STAGES[1],
    outcome: {
      ...outcome,
      clientLoad: CLIENT_LOAD,
      connections: { opened: 1, reused: 10, lookupTime: 0.5, meter: connections },
    },
    clock,
    objects: 50,
    threads: 4,
    storeClock: STORE_CLOCK,
  });
}

test('a result has the stage’s times in epoch milliseconds, and its rates a second', () => {
  const result = resultOf(250, [500, 500, 500, 500], 500);
  assert.deepEqual([result.stage, result.end, result.objects, result.threads], ['Read', 'complete', 50, 4]);
  assert.deepEqual([result.startedAt, result.endedAt, result.duration], [1_700_000_000_250, 1_700_000_002_750, 2500]);
  assert.equal(result.average, 4 / 2.5);
  assert.equal(result.peak, 2);
  assert.deepEqual(
    result.seconds.map(({ operations }) => operations),
    [1, 2, 1],
  );
  assert.equal(result.latencies.operations.count, 4);
  assert.deepEqual([result.clientLoad, result.storeClock], [CLIENT_LOAD, STORE_CLOCK]);
});

test('connections are told with what opening them cost', () => {
  const { opened, reused, lookupTime, tcp, tls } = resultOf(0, [10], 0).connections;
  assert.deepEqual([opened, reused, lookupTime, tcp?.count, tcp?.mean, tls], [1, 10, 0.5, 1, 2, null]);
});

test('its counts are the meter’s', () => {
  const { operations, bytes, attempts, retries, failed, errors } = resultOf(0, [10, 10], 0);
  assert.deepEqual([operations, bytes, attempts, retries, failed, errors], [2, 2 * SIZE, 2, 0, 0, {}]);
});

test('a stage of no length has rates that are numbers', () => {
  for (const gaps of [[], [0, 0, 0]]) {
    const { duration, average, peak } = resultOf(0, gaps, 0);
    assert.ok(duration > 0);
    assert.ok(Number.isFinite(average) && Number.isFinite(peak) && peak >= average);
  }
});

test('a stage without a whole second has its mean for a peak', () => {
  const { average, peak } = resultOf(600, [100, 100, 100], 0);
  assert.ok(Math.abs(average - 10) < 1e-9);
  assert.equal(peak, average);
});
