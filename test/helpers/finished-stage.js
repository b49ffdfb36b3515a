import { BucketMeter } from '../../lib/measure/part-meter.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { stageResult } from '../../lib/run/stage-result.js';
import { closedLoop } from './load.js';
import { ALL_TIME, ManualClock } from './manual-clock.js';
import { stageNamed } from './worker-spec.js';
import { NO_CONNECTIONS, stageOutcome } from './stage-outcome.js';

/**
 * @import { StageResult } from '../../lib/result/result.js'
 */

/**
 * @typedef {object} FinishedOperation
 * @property {number} after ms after the previous one
 * @property {number} [latency] ms; by default, all the time since the previous one
 * @property {readonly string[]} [failures] kinds of its failed attempts, which take 1 ms each
 */

const SIZE = 16 * 1024;

/** Used alternately. */
const BUCKETS = ['bucket-a', 'bucket-b'];

const CONNECTIONS = { ...NO_CONNECTIONS, opened: 2, reused: 98 };
const CLIENT_LOAD = { cpuUser: 12, cpuSystem: 3, loops: 1, eventLoopUtilization: 0.25, busyLoops: 0.25 };

/**
 * A finished stage with its own clock.
 *
 * @param {object} course
 * @param {'Write' | 'Read' | 'Stat' | 'Remove'} [course.name]
 * @param {number} [course.startedAt] epoch ms
 * @param {readonly FinishedOperation[]} course.operations
 * @param {number} [course.rest] ms after the last operation
 * @param {number} [course.objects]
 * @param {number} [course.threads]
 * @param {Partial<StageResult>} [overrides] of the result
 * @returns {StageResult}
 */
export function finishedStage(course, overrides = {}) {
  const { name = 'Write', startedAt = 1_700_000_000_250, operations, rest = 0 } = course;
  const { objects = operations.length, threads = 4 } = course;
  const stage = stageNamed(name);
  const clock = new ManualClock(startedAt);
  const begun = clock.now();
  const meter = new StageMeter(clock, begun);
  const buckets = BUCKETS.map((bucket) => ({ bucket, meter: new BucketMeter(ALL_TIME) }));
  for (const [place, { after, latency = after, failures = [] }] of operations.entries()) {
    const bucket = buckets[place % BUCKETS.length].meter;
    clock.advance(after);
    for (const kind of failures) {
      meter.attemptFailed(kind, 1, clock.now());
      meter.retries += 1;
      bucket.failedAttempts += 1;
    }
    const times = { startedAt: clock.now() - latency, attemptStartedAt: clock.now() - latency / (failures.length + 1) };
    meter.succeeded({ ...times, finishedAt: clock.now() }, stage.movesBytes ? SIZE : 0);
    bucket.succeeded({ ...times, finishedAt: clock.now() }, stage.movesBytes ? SIZE : 0);
  }
  clock.advance(rest);
  const outcome = stageOutcome([meter], clock, {
    startedAt: begun,
    endedAt: clock.now(),
    buckets: buckets.map(({ bucket, meter: each }) => ({ bucket, ...each.toRecord() })),
    clientLoad: CLIENT_LOAD,
    connections: CONNECTIONS,
  });
  const load = closedLoop({ threads, size: SIZE });
  const known = { unloaded: null, availableCores: 2 };
  const result = stageResult({ stage, outcome, clock, objects, load, ...known });
  return { ...result, ...overrides };
}
