import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { runOfResult } from '../../lib/result/log/result-run.js';
import { mergeRuns } from '../../lib/result/merge/merge.js';
import { resultOf } from '../../lib/result/result-of-run.js';
import { runFacts } from '../../lib/run/benchmark-run.js';
import { chance } from './chance.js';
import { finishedStage } from './finished-stage.js';
import { NO_TARGET, runConfig } from './run-config.js';

/** @import { SecondResult } from '../../lib/result/result.js' */

const STARTED = 1_700_000_000;
const SIZE = 16 * 1024;

/** Number of different seconds, which the hosts share to save time. */
const PATTERNS = 120;

/**
 * A synthetic result of many hosts that read for a long time, at about 200 operations per second each.
 *
 * @param {{ hosts: number, seconds: number }} size
 */
export function longMerge({ hosts, seconds }) {
  const patterns = Array.from({ length: PATTERNS }, (_, place) => secondLike(place));
  const runs = [];
  for (let host = 0; host < hosts; host += 1) {
    const series = Array.from({ length: seconds }, (_, second) => ({
      secondStart: STARTED + second,
      ...patterns[(second * 7 + host * 13) % PATTERNS],
    }));
    const result = hostResult(`host-${host}`, `${host}/${hosts}`, series);
    runs.push(runOfResult(`host-${host}.json`, result, { keepsDetails: true }));
  }
  return mergeRuns(runs);
}

/**
 * @param {number} place
 * @returns {Omit<SecondResult, 'secondStart'>}
 */
function secondLike(place) {
  const { uniform, exponential } = chance(place + 1);
  const latencies = new LatencyHistogram();
  const operations = 180 + Math.floor(uniform() * 40);
  for (let count = 0; count < operations; count += 1) {
    latencies.record(20 + 15 * exponential());
  }
  const { p50 = null, p99 = null, maximum = null } = latencies.summary() ?? {};
  const failures = place % 40 === 0 ? { failedAttempts: 3, throttled: 2 } : {};
  return { operations, bytes: operations * SIZE, ...failures, p50, p99, maximum, histogram: latencies.encode() };
}

/**
 * @param {string} host
 * @param {string} shard
 * @param {SecondResult[]} seconds
 */
function hostResult(host, shard, seconds) {
  const operations = seconds.reduce((sum, second) => sum + second.operations, 0);
  const times = {
    startedAt: STARTED * 1000,
    endedAt: (STARTED + seconds.length) * 1000,
    duration: seconds.length * 1000,
  };
  const average = operations / seconds.length;
  const stage = finishedStage(
    { name: 'Read', operations: [{ after: 20 }] },
    {
      ...times,
      seconds,
      operations,
      bytes: operations * SIZE,
      attempts: operations,
      average,
      averageBytes: average * SIZE,
    },
  );
  const config = runConfig(NO_TARGET);
  const facts = {
    ...runFacts({ config, host, startedAt: STARTED * 1000, clock: null, versions: { node: '20.0.0' } }),
    shard,
  };
  return resultOf({
    facts,
    problems: [],
    stages: [stage],
    cleanup: null,
    requests: NO_REQUESTS,
    crash: null,
  });
}

const NO_REQUESTS = Object.freeze({ preflight: 0, clock: 0, probe: 0, cleanup: 0 });
