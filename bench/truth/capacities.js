import { runTool } from './run-tool.js';
import { withEndpoint } from './scripted-endpoint.js';
import { totalFinding, verdictOf } from './verdict.js';

/**
 * @import { Bottleneck, HostLoad } from '../../lib/result/result.js'
 * @import { Finding, Part } from './finding.js'
 * @import { Truth } from './scenarios.js'
 *
 * @typedef {{ rate: number, delay: number }} QueueingBucket ops/s, ms
 * @typedef {{ search: any, bottleneck: Bottleneck, hostLoad: HostLoad | null }} SearchResult in the tool's JSON
 */

/** @type {readonly QueueingBucket[]} */
const BUCKETS = [500, 1000, 2000].flatMap((rate) => [
  { rate, delay: 20 },
  { rate, delay: 5 },
]);

const RUNS = 20;
const MAX_THREADS = 200;

/** Objects for this many seconds at the full rate: more than a search takes. */
const SECONDS_OF_OBJECTS = 40;

const TOLERANCE = 0.03;

const MAX_OVERHEAD_MS = 2;

/** What limits a queueing bucket. @type {Truth} */
const TRUTH = { right: 'store', supersets: ['beyond this host'] };

/** Required share of intervals that contain the truth: 17 of 20. */
const COVERAGE = 0.85;

/** @type {Part} */
export const capacities = {
  title: 'capacities: --find-peak at a queueing bucket',
  async check({ runs = RUNS, report }) {
    /** @type {(SearchResult & { bucket: QueueingBucket })[]} */
    const searches = [];
    for (let run = 0; run < runs; run++) {
      const bucket = BUCKETS[run % BUCKETS.length];
      report(`${nameOf(bucket)}, run ${run + 1} of ${runs}`);
      const found = await searchCeiling(bucket);
      report(`${found.bottleneck.cause}: ${found.bottleneck.evidence}`);
      searches.push({ bucket, ...found });
    }
    const byBucket = BUCKETS.flatMap((bucket) => {
      const found = searches.filter((each) => each.bucket === bucket);
      return found.length === 0 ? [] : [capacityFinding(bucket, found), kneeFinding(bucket, found)];
    });
    return [
      ...byBucket,
      coverageFinding(searches),
      totalFinding(
        'cause',
        searches.map(({ bottleneck, hostLoad }) => verdictOf([{ ...bottleneck, hostLoad }], TRUTH)),
      ),
    ];
  },
};

/**
 * @param {QueueingBucket} bucket
 * @returns {Promise<SearchResult>}
 */
export function searchCeiling({ rate, delay }) {
  return withEndpoint({ faults: `queue=${rate},latency=${delay}ms` }, async ({ env }) => {
    const [{ search: found, bottleneck, hostLoad }] = await runTool({
      env,
      objects: rate * SECONDS_OF_OBJECTS,
      threads: MAX_THREADS,
      options: ['--find-peak', '--stages', 'write', '--size', '1KiB'],
    });
    return { search: found, bottleneck, hostLoad };
  });
}

/**
 * @param {QueueingBucket} bucket
 * @param {{ search: any }[]} searches
 * @returns {Finding}
 */
function capacityFinding(bucket, searches) {
  const found = searches.map(({ search: { capacity } }) => capacity?.operationsPerSecond ?? NaN);
  return {
    what: `${nameOf(bucket)}: capacity`,
    expected: `${bucket.rate} ± ${100 * TOLERANCE}%`,
    found: found.map((rate) => rate.toFixed(1)).join(' '),
    isRight: found.every((rate) => Math.abs(rate / bucket.rate - 1) <= TOLERANCE),
  };
}

/**
 * @param {QueueingBucket} bucket
 * @param {{ search: any }[]} searches
 * @returns {Finding}
 */
function kneeFinding(bucket, searches) {
  const [fewest, most] = kneeOf(bucket);
  return {
    what: `${nameOf(bucket)}: knee`,
    expected: `${fewest} to ${most} threads ± one step`,
    found: searches.map(({ search: { knee } }) => knee).join(' '),
    isRight: searches.every(({ search: { knee, steps } }) => isWithinOneStep([fewest, most], knee, steps)),
  };
}

/**
 * Little's law: the bucket is just busy with as many requests as it serves during one delay. Late timers and the transfer add
 * to the delay.
 *
 * @param {QueueingBucket} bucket
 * @returns {[number, number]} threads
 */
function kneeOf({ rate, delay }) {
  return [(rate * delay) / 1000, (rate * (delay + MAX_OVERHEAD_MS)) / 1000];
}

/**
 * Whether the knee is between the ramp steps around the truth. A ramp that ended below the truth does not count.
 *
 * @param {[number, number]} truth from and to, in threads
 * @param {number | null} knee as found
 * @param {{ phase: string, threads: number }[]} steps
 */
export function isWithinOneStep([fewest, most], knee, steps) {
  const climb = steps.filter(({ phase }) => phase === 'ramp').map(({ threads }) => threads);
  const below = Math.max(0, ...climb.filter((threads) => threads <= fewest));
  const above = Math.min(...climb.filter((threads) => threads >= most));
  return knee !== null && Number.isFinite(above) && knee >= below && knee <= above;
}

/**
 * @param {{ bucket: QueueingBucket, search: any }[]} searches
 * @returns {Finding}
 */
function coverageFinding(searches) {
  const holding = searches.filter(
    ({ bucket: { rate }, search: { capacity } }) => capacity?.low <= rate && rate <= capacity?.high,
  );
  const least = Math.ceil(COVERAGE * searches.length);
  return {
    what: '95% intervals that hold the truth',
    expected: `at least ${least} of ${searches.length}`,
    found: String(holding.length),
    isRight: holding.length >= least,
  };
}

/** @param {QueueingBucket} bucket */
function nameOf({ rate, delay }) {
  return `${rate} ops/s, ${delay} ms`;
}
