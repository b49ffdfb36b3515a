import { linearRegression, rSquared } from 'simple-statistics';
import { Bench } from 'tinybench';
import { ByteCount } from './byte-count.js';

/** @import { FillPipe, FullPipe, WaysToRead } from './ways-to-read.js' */

export const CHUNK_COUNTS = [1, 2, 4, 8, 16, 32, 64, 128];

/** Bytes per chunk, small so that reading dominates. */
export const CHUNK_SIZE = 1024;

/** All chunks of a pipe are the same, because only their length is used. */
const CHUNK = Buffer.alloc(CHUNK_SIZE, 'x');

/** Time for which a drain can reasonably block everything else, in ms. */
export const MAX_DRAIN_MS = 1;

const TIME_MS = 150;
const WARM_UP_MS = 50;

/**
 * @typedef {object} DrainSpeed how fast one way of reading drains a pipe
 * @property {number} chunks in the pipe
 * @property {number} drains per second: the median
 * @property {number} spread median absolute deviation of the drains per second, as a share of the median
 * @property {number} time ms for a whole drain: the median
 * @property {number} p99 of the time in ms
 *
 * @typedef {object} Growth linear growth of a drain's time with the number of chunks
 * @property {number} fixed ms
 * @property {number} perChunk ms
 * @property {number} fit R²
 * @property {number} limit chunks at which a drain takes MAX_DRAIN_MS
 * @property {boolean} isExtrapolated whether the limit is outside the measured range
 *
 * @typedef {object} WayResult
 * @property {string} way
 * @property {DrainSpeed[]} speeds
 * @property {Growth} growth
 */

/**
 * @param {WaysToRead} ways
 * @param {(way: string) => void} progress
 * @returns {Promise<WayResult[]>}
 */
export async function measureDrains(ways, progress) {
  const results = [];
  for (const [way, fill] of Object.entries(ways)) {
    progress(way);
    // Warm up: otherwise, the first counts would be measured while the code is still being compiled.
    await measureDrain(fill, CHUNK_COUNTS[CHUNK_COUNTS.length - 1]);
    const speeds = [];
    for (const count of CHUNK_COUNTS) {
      speeds.push(await measureDrain(fill, count));
    }
    results.push({ way, speeds, growth: growthOf(speeds) });
  }
  return results;
}

/**
 * @param {FillPipe} fill
 * @param {number} count
 * @returns {Promise<DrainSpeed>}
 */
async function measureDrain(fill, count) {
  const chunks = Array(count).fill(CHUNK);
  /** @type {FullPipe} */
  let pipe;
  let sink = new ByteCount();
  const bench = new Bench({ time: TIME_MS, warmupTime: WARM_UP_MS, throws: true });
  // Filling and checking the pipe are outside the measured time.
  bench.add('drain', () => pipe.drain(sink), {
    async: true,
    async beforeEach() {
      pipe = await fill(chunks);
      sink = new ByteCount();
    },
    afterEach() {
      if (sink.bytes !== count * CHUNK_SIZE) {
        throw new Error(`a drain gave ${sink.bytes} bytes, expected ${count * CHUNK_SIZE}`);
      }
    },
  });
  const [task] = await bench.run();
  if (!('latency' in task.result)) {
    throw new Error(`the benchmark of ${count} chunks did not complete`);
  }
  const { latency, throughput } = task.result;
  return {
    chunks: count,
    drains: throughput.p50,
    spread: throughput.mad / throughput.p50,
    time: latency.p50,
    p99: latency.p99,
  };
}

/**
 * @param {readonly DrainSpeed[]} speeds
 * @returns {Growth}
 */
export function growthOf(speeds) {
  const points = speeds.map(({ chunks, time }) => [chunks, time]);
  const { m: perChunk, b: fixed } = linearRegression(points);
  const passed = speeds.find(({ time }) => time > MAX_DRAIN_MS);
  return {
    fixed,
    perChunk,
    fit: rSquared(points, (chunks) => fixed + perChunk * chunks),
    limit: passed?.chunks ?? Math.ceil((MAX_DRAIN_MS - fixed) / perChunk),
    isExtrapolated: passed === undefined,
  };
}
