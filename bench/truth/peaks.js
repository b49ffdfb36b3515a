import { SAVED_MS } from '../../lib/local-s3/fault-delays.js';
import { exponentialIntervals } from './predicted-latencies.js';
import { runTool } from './run-tool.js';
import { withEndpoint } from './scripted-endpoint.js';

/**
 * @import { Finding, Part } from './finding.js'
 *
 * @typedef {{ faults: string, limit: string, perBucket: number | null, needed: number | null }} BucketScript
 * @typedef {{ arrival: 'constant' | 'poisson', slo: number }} RateScript slo in ms
 */

const BUCKETS = Object.freeze(['truth-1', 'truth-2', 'truth-3']);

/** ops/s for which the buckets are counted. */
const TARGET = 1000;

/** Each has a limit of its own, or all of them have one. @type {readonly BucketScript[]} */
const BUCKET_SCRIPTS = [
  { faults: 'queue@EACH=400,latency=20ms', limit: 'per bucket', perBucket: 400, needed: 3 },
  { faults: 'queue=400,latency=20ms', limit: 'whole store', perBucket: null, needed: null },
];

/** A store that takes one request after the other, and answers it later. @type {Readonly<{ rate: number, delay: number }>} ops/s, ms */
const QUEUE = Object.freeze({ rate: 1000, delay: 20 });

/** @type {readonly RateScript[]} */
const RATE_SCRIPTS = [
  { arrival: 'constant', slo: 50 },
  { arrival: 'poisson', slo: 40 },
];

const RUNS = 3;

/** How far a rate may be off. */
const TOLERANCE = 0.05;

/** What the client, the way and a timer that is late take in addition. ms */
const OVERHEAD_MS = 1.5;

/** @type {Part} */
export const peaks = {
  title: 'peaks: --peak-of buckets and --peak-of rate',
  async check({ runs = RUNS, only = '', say }) {
    /** @type {Finding[]} */
    const findings = [];
    for (const script of BUCKET_SCRIPTS.filter(({ faults }) => faults.includes(only))) {
      const found = await repeated(
        runs,
        () => searchBuckets(script),
        (run) => say(`${script.faults}, run ${run} of ${runs}`),
      );
      findings.push(limitFinding(script, found), rateFinding(script, found));
    }
    for (const script of RATE_SCRIPTS.filter(({ arrival }) => arrival.includes(only))) {
      const found = await repeated(
        runs,
        () => searchRate(script),
        (run) => say(`${script.arrival}, run ${run} of ${runs}`),
      );
      findings.push(highestRateFinding(script, found));
    }
    return findings;
  },
};

/**
 * @param {BucketScript} script
 * @returns {Promise<any>} as the JSON of the tool has it
 */
export function searchBuckets({ faults }) {
  return withEndpoint({ buckets: BUCKETS, faults }, async ({ env }) => {
    const options = [
      '--find-peak',
      '--peak-of',
      'buckets',
      '--target',
      String(TARGET),
      '--stages',
      'write',
      '--size',
      '1KiB',
    ];
    const [{ search }] = await runTool({ env, objects: 120_000, threads: 120, options });
    return search.buckets;
  });
}

/**
 * @param {RateScript} script
 * @returns {Promise<any>} as the JSON of the tool has it
 */
export function searchRate({ arrival, slo }) {
  return withEndpoint({ faults: `queue=${QUEUE.rate},latency=${QUEUE.delay}ms` }, async ({ env }) => {
    const load = ['--slo', `${slo}ms`, '--arrival', arrival];
    const options = ['--find-peak', '--peak-of', 'rate', ...load, '--stages', 'write', '--size', '1KiB'];
    const [{ search }] = await runTool({ env, objects: 400_000, threads: 200, options });
    return search.rate;
  });
}

/**
 * The rate at which a queue's 99th percentile reaches the limit. With arrivals at equal intervals nothing waits below the
 * store's own rate; with random ones the waiting times follow from each other (D. V. Lindley, The theory of queues with a
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

/** So many arrivals show a share of a hundredth to a few per cent of itself. */
const ARRIVALS = 2_000_000;

/**
 * @param {Float64Array} intervals between arrivals, with a mean of 1
 * @param {number} rate arrivals a second
 * @param {number} most ms that one may wait
 */
function lateShare(intervals, rate, most) {
  let [wait, late] = [0, 0];
  for (const interval of intervals) {
    // The endpoint saves up what was not asked for.
    wait = Math.max(wait + 1000 / QUEUE.rate - (1000 * interval) / rate, -SAVED_MS);
    late += Number(wait > most);
  }
  return late / intervals.length;
}

/**
 * @template Found
 * @param {number} runs
 * @param {() => Promise<Found>} search
 * @param {(run: number) => void} say
 */
async function repeated(runs, search, say) {
  const found = [];
  for (let run = 1; run <= runs; run++) {
    say(run);
    found.push(await search());
  }
  return found;
}

/**
 * @param {BucketScript} script
 * @param {readonly any[]} found
 * @returns {Finding}
 */
function limitFinding({ faults, limit, needed }, found) {
  return {
    what: `${faults}: whose limit, buckets needed for ${TARGET} ops/s`,
    expected: `${limit}, ${needed ?? 'none'}`,
    found: found.map((each) => `${each.limit}, ${each.bucketsNeeded ?? 'none'}`).join('; '),
    isRight: found.every((each) => each.limit === limit && each.bucketsNeeded === needed),
  };
}

/**
 * @param {BucketScript} script
 * @param {readonly any[]} found
 * @returns {Finding}
 */
function rateFinding({ faults, perBucket }, found) {
  const rates = found.map((each) => (perBucket === null ? null : (each.perBucket?.operationsPerSecond ?? NaN)));
  return {
    what: `${faults}: ceiling per bucket`,
    expected: perBucket === null ? 'none' : `${perBucket} ± ${100 * TOLERANCE}%`,
    found: rates.map((rate) => rate?.toFixed(1) ?? 'none').join(' '),
    isRight: rates.every((rate) => rate === perBucket || Math.abs(Number(rate) / Number(perBucket) - 1) <= TOLERANCE),
  };
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
