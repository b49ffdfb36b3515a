import { SAVED_MS } from '../../lib/local-s3/faults.js';
import { exponentialIntervals } from './predicted-latencies.js';
import { runTool } from './run-tool.js';
import { withEndpoint } from './scripted-endpoint.js';

/**
 * @import { Finding, Part } from './finding.js'
 *
 * @typedef {{ arrival: 'constant' | 'poisson', slo: number }} RateScript slo in ms
 */

/**
 * A store that starts requests one by one and responds after a delay.
 *
 * @type {Readonly<{ rate: number, delay: number }>}
 */
const QUEUE = Object.freeze({ rate: 1000, delay: 20 });

/** @type {readonly RateScript[]} */
const RATE_SCRIPTS = [
  { arrival: 'constant', slo: 50 },
  { arrival: 'poisson', slo: 40 },
];

const RUNS = 3;

const TOLERANCE = 0.05;

/** Added by the client, the transfer and late timers. ms */
const OVERHEAD_MS = 1.5;

/** @type {Part} */
export const peaks = {
  title: 'peaks: --peak-of rate',
  async check({ runs = RUNS, only = '', report }) {
    /** @type {Finding[]} */
    const findings = [];
    for (const script of RATE_SCRIPTS.filter(({ arrival }) => arrival.includes(only))) {
      const found = [];
      for (let run = 1; run <= runs; run++) {
        report(`${script.arrival}, run ${run} of ${runs}`);
        found.push(await searchRate(script));
      }
      findings.push(highestRateFinding(script, found));
    }
    return findings;
  },
};

/**
 * @param {RateScript} script
 * @returns {Promise<any>} in the tool's JSON
 */
function searchRate({ arrival, slo }) {
  return withEndpoint({ faults: `queue=${QUEUE.rate},latency=${QUEUE.delay}ms` }, async ({ env }) => {
    const load = ['--slo', `${slo}ms`, '--arrival', arrival];
    const options = ['--find-peak', '--peak-of', 'rate', ...load, '--stages', 'write', '--size', '1KiB'];
    const [{ search }] = await runTool({ env, objects: 400_000, threads: 200, options });
    return search.rate;
  });
}

/**
 * The rate at which a queue's 99th percentile reaches the limit. With evenly spaced arrivals, no request waits below the
 * store's own rate. With random arrivals, the waiting times follow a recursion (D. V. Lindley, The theory of queues with a
 * single server, 1952).
 *
 * @param {RateScript} script
 * @returns {number} ops/s
 */
export function kneeOf({ arrival, slo }) {
  if (arrival === 'constant') {
    return QUEUE.rate;
  }
  const intervals = exponentialIntervals(ARRIVALS);
  const most = slo - QUEUE.delay - OVERHEAD_MS;
  let [low, high] = [QUEUE.rate / 2, QUEUE.rate];
  while (high / low > 1.001) {
    const rate = (low + high) / 2;
    [low, high] = lateShare(intervals, rate, most) <= 0.01 ? [rate, high] : [low, rate];
  }
  return low;
}

/** Enough arrivals to know a share of 1% to within a few per cent of itself. */
const ARRIVALS = 2_000_000;

/**
 * @param {Float64Array} intervals with a mean of 1
 * @param {number} rate per second
 * @param {number} most allowed wait in ms
 */
function lateShare(intervals, rate, most) {
  let [wait, late] = [0, 0];
  for (const interval of intervals) {
    // The endpoint carries over unused capacity.
    wait = Math.max(wait + 1000 / QUEUE.rate - (1000 * interval) / rate, -SAVED_MS);
    late += Number(wait > most);
  }
  return late / intervals.length;
}

/**
 * @param {RateScript} script
 * @param {readonly any[]} found
 * @returns {Finding}
 */
function highestRateFinding(script, found) {
  const knee = kneeOf(script);
  return {
    what: `highest rate, ${script.arrival} arrivals, p99 up to ${script.slo} ms`,
    expected: `${knee.toFixed(1)} ± ${100 * TOLERANCE}%`,
    found: found
      .map(({ bound, operationsPerSecond, interval }) => {
        const ends = interval === null ? '' : ` (${interval.low.toFixed(1)} to ${interval.high.toFixed(1)})`;
        return `${bound === 'exact' ? '' : `${bound} `}${operationsPerSecond?.toFixed(1)}${ends}`;
      })
      .join('; '),
    isRight: found.every(
      ({ bound, operationsPerSecond }) => bound === 'exact' && Math.abs(operationsPerSecond / knee - 1) <= TOLERANCE,
    ),
  };
}
