import { compareMeans } from '../statistics.js';
import { formatTable } from '../table.js';
import { TIMESTAMPS } from './compare-interfaces.js';
import { CHUNK_COUNTS, CHUNK_SIZE, MAX_DRAIN_MS } from './drain-speed.js';
import { OWN_HANDLER } from './ways-to-read.js';

/**
 * @import { Comparison, Moments } from '../statistics.js'
 * @import { EchoRuns } from './compare-interfaces.js'
 * @import { DrainSpeed, Growth, WayResult } from './drain-speed.js'
 */

const MICROSECONDS = 1000;

const SIGNIFICANCE = 0.05;

/**
 * @param {readonly WayResult[]} fromBuffer
 * @param {readonly WayResult[]} fromSocket
 */
export function describeDrains(fromBuffer, fromSocket) {
  return [
    describeWays(`A pipe full of chunks of ${CHUNK_SIZE} bytes, drained`, fromBuffer),
    describeWays(`The body of a GET in chunks of ${CHUNK_SIZE} bytes, from its arrival at the socket`, fromSocket),
  ].join('');
}

/**
 * @param {string} title
 * @param {readonly WayResult[]} results
 */
function describeWays(title, results) {
  const counts = CHUNK_COUNTS.map(String);
  const cells = (/** @type {(speed: DrainSpeed) => string} */ format) =>
    results.map(({ way, speeds }) => [way, ...speeds.map(format)]);
  return [
    `\n${title}: thousands of drains per second, median ± median absolute deviation, by the number of chunks\n`,
    formatTable(['', ...counts], cells(formatDrains)),
    '\nTime for a whole drain in µs, median (p99)\n',
    formatTable(['', ...counts], cells(formatTime)),
    `\nHow it grows: a straight line through the medians, and the chunks at which a drain passes ${MAX_DRAIN_MS} ms\n`,
    formatTable(
      ['', 'µs fixed', 'µs a chunk', 'R²', 'chunks'],
      results.map(({ way, growth }) => growthRow(way, growth)),
    ),
  ].join('');
}

/** @param {DrainSpeed} speed */
function formatDrains({ drains, spread }) {
  return `${(drains / 1000).toFixed(drains < 100_000 ? 1 : 0)} ± ${(100 * spread).toFixed(0)}%`;
}

/** @param {DrainSpeed} speed */
function formatTime({ time, p99 }) {
  return `${(time * MICROSECONDS).toFixed(1)} (${(p99 * MICROSECONDS).toFixed(1)})`;
}

/**
 * @param {string} way
 * @param {Growth} growth
 */
function growthRow(way, { fixed, perChunk, fit, limit, isExtrapolated }) {
  const numbers = [(fixed * MICROSECONDS).toFixed(2), (perChunk * MICROSECONDS).toFixed(3), fit.toFixed(3)];
  return [way, ...numbers, isExtrapolated ? `about ${limit}, by the line` : String(limit)];
}

/** @param {EchoRuns} runs */
export function describeEcho(runs) {
  const heldUp = [...runs.synchronous, ...runs.asynchronous].map((run) => 100 * run.heldUp);
  const { rate, latency } = compareRuns(runs);
  const { count } = rate.one;
  return [
    `\nRound trips: ${TIMESTAMPS} timestamps per run, ${count} runs of each interface alternately, mean ± standard deviation\n`,
    formatTable(
      ['', 'synchronous', 'asynchronous', 'difference (95%)', 't', 'freedom', 'p', "Hedges' g"],
      [comparisonRow('thousands of timestamps/s', rate, 1 / 1000), comparisonRow('mean latency, ms', latency, 1)],
    ),
    `The server was held up by the client's reading for ${Math.min(...heldUp).toFixed(0)}% to ` +
      `${Math.max(...heldUp).toFixed(0)}% of a run: the client was the bottleneck.\n`,
  ].join('');
}

/** @param {EchoRuns} runs */
function compareRuns({ synchronous, asynchronous }) {
  const compare = (/** @type {'rate' | 'mean'} */ name) =>
    compareMeans(
      synchronous.map((run) => run[name]),
      asynchronous.map((run) => run[name]),
    );
  return { rate: compare('rate'), latency: compare('mean') };
}

/**
 * @param {string} label
 * @param {Comparison} comparison
 * @param {number} scale
 */
function comparisonRow(label, { one, other, difference, interval, t, freedom, p, effect }, scale) {
  const moments = (/** @type {Moments} */ { mean, standardDeviation }) =>
    `${(mean * scale).toFixed(1)} ± ${(standardDeviation * scale).toFixed(1)}`;
  const share = (/** @type {number} */ value) => signed((100 * value) / one.mean, 1);
  return [
    label,
    moments(one),
    moments(other),
    `${share(difference)}% (${share(interval[0])} to ${share(interval[1])})`,
    t.toFixed(2),
    freedom.toFixed(1),
    p < 0.0001 ? '< 0.0001' : p.toFixed(4),
    signed(effect, 2),
  ];
}

/**
 * @param {readonly WayResult[]} fromBuffer
 * @param {readonly WayResult[]} fromSocket
 * @param {EchoRuns} runs
 */
export function describeConclusion(fromBuffer, fromSocket, runs) {
  const { rate } = compareRuns(runs);
  const change = Math.abs((100 * rate.difference) / rate.one.mean).toFixed(1);
  const bottleneck =
    rate.p < SIGNIFICANCE
      ? `the asynchronous interface gives ${change}% ${rate.difference < 0 ? 'less' : 'more'} throughput (p = ${rate.p.toFixed(4)})`
      : `there is no significant difference between the interfaces (p = ${rate.p.toFixed(2)})`;
  const times = fromSocket.map(({ way, speeds }) => ({ way, time: speeds[speeds.length - 1].time }));
  const [quickest, ...others] = times.toSorted((one, other) => one.time - other.time);
  const factors = others.map(({ way, time }) => `${way} ${(time / quickest.time).toFixed(1)}`).join('; ');
  const earliest = [...fromBuffer, ...fromSocket].toSorted((one, other) => one.growth.limit - other.growth.limit)[0];
  const most = CHUNK_COUNTS[CHUNK_COUNTS.length - 1];
  return [
    `\nConclusion: the first to pass ${MAX_DRAIN_MS} ms is «${earliest.way}», at about ${earliest.growth.limit} chunks. ` +
      `When each read is followed by real work, ${bottleneck}.\n`,
    `Of a body of ${most} chunks, «${quickest.way}» is the quickest; the others take this many times as long: ${factors}.\n`,
    quickest.way === OWN_HANDLER
      ? 'The read stage uses it.\n'
      : `The read stage uses «${OWN_HANDLER}»: this run does not support that choice.\n`,
  ].join('');
}

/**
 * @param {number} value
 * @param {number} digits
 */
function signed(value, digits) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
}
