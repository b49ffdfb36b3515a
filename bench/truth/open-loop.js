import { closeTo, milliseconds } from './finding.js';
import { percentileOf, predictOpenLoop } from './predicted-latencies.js';
import { runTool } from './run-tool.js';
import { withEndpoint } from './scripted-endpoint.js';

/**
 * @import { Part } from './finding.js'
 *
 * @typedef {object} StalledLoad
 * @property {number} operations
 * @property {{ from: number, to: number }} stall ms from the first operation
 * @property {number} threads
 * @property {number} [rate] arrivals per second; absent in a closed loop
 */

const LOAD = Object.freeze({ operations: 3000, stall: { from: 5000, to: 7000 } });
const OPEN = Object.freeze({ ...LOAD, threads: 50, rate: 200 });

/** Enough threads for about the same rate in a closed loop. */
const CLOSED = Object.freeze({ ...LOAD, threads: 2 });

/**
 * Only percentiles that consist of long waits can be predicted. Others depend on how fast the CPUs, not the store, clear the
 * backlog of the stall.
 */
const PERCENTILES = /** @type {const} */ ([
  { name: 'p99', share: 0.99 },
  { name: 'p999', share: 0.999 },
]);

const SHARE = 0.02;

/** A percentile below this hides a stall of seconds. */
const HIDDEN_MS = 100;

/** @type {Part} */
export const openLoop = {
  title: 'open loop: a stall of 2 s at the endpoint',
  async check({ report }) {
    report('open loop');
    const open = await measureStall(OPEN);
    report('closed loop');
    const { p99, maximum } = (await measureStall(CLOSED)).latency.operations;
    const { latencies, startDelays } = predictOpenLoop({ ...OPEN, serviceTime: open.serviceTime });
    const half = (LOAD.stall.to - LOAD.stall.from) / 2;
    return [
      ...PERCENTILES.flatMap(({ name, share }) => [
        asComputed(`open loop, latency: ${name}`, open.latency.operations[name], percentileOf(latencies, share)),
        asComputed(`open loop, late start: ${name}`, open.latency.startDelay[name], percentileOf(startDelays, share)),
      ]),
      {
        what: 'closed loop, latency: p99 hides the stall',
        expected: `below ${milliseconds(HIDDEN_MS)}`,
        found: milliseconds(p99),
        isRight: p99 < HIDDEN_MS,
      },
      {
        what: 'closed loop, latency: the maximum shows it',
        expected: `above ${milliseconds(half)}`,
        found: milliseconds(maximum),
        isRight: maximum > half,
      },
    ];
  },
};

/**
 * @param {StalledLoad} load
 * @returns {Promise<{ latency: any, serviceTime: number }>} latency from the JSON result; the endpoint's median in ms
 */
export function measureStall({ operations, stall, threads, rate }) {
  const faults = `latency=5ms,PUT.stall=${stall.to - stall.from}ms@${stall.from}ms`;
  return withEndpoint({ faults }, async ({ env, report }) => {
    const pace = rate === undefined ? [] : ['--rate', String(rate)];
    // The stall counts from the endpoint's first PUT: the run's marker, or a probe, which preflight would send long before.
    const options = [...pace, '--stages', 'write', '--size', '1KiB', '--no-preflight'];
    const [{ latency }] = await runTool({ env, objects: operations, threads, options });
    const { PUT } = (await report()).answerTimes;
    return { latency, serviceTime: Number(PUT?.p50) };
  });
}

/**
 * @param {string} what
 * @param {number} found ms
 * @param {number} expected ms
 */
function asComputed(what, found, expected) {
  return closeTo(what, { expected, found, tolerance: SHARE * expected }, milliseconds);
}
