import { closeTo, milliseconds } from './finding.js';
import { runTool } from './run-tool.js';
import { withEndpoint } from './scripted-endpoint.js';

/**
 * @import { Finding, Part } from './finding.js'
 * @import { Report, TimeSummary } from '../../lib/local-s3/answer.js'
 */

const PERCENTILES = /** @type {const} */ (['p50', 'p90', 'p99', 'p999']);

/** Tolerance of a percentile: 2% or a millisecond, whichever is more. */
const SHARE = 0.02;
const MIN_MS = 1;

export const OPERATIONS = /** @type {Record<string, 'PUT' | 'GET' | 'HEAD' | 'DELETE'>} */ (
  Object.freeze({ Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' })
);

/** @type {Part} */
export const percentiles = {
  title: "percentiles: the client's report against the endpoint's record",
  async check({ report }) {
    const load = { objects: 3000, threads: 20, latency: 'latency=lognormal:60ms:0.5' };
    report('percentiles, without errors');
    const plain = await measureBothSides({ ...load, faults: load.latency, stages: 'write,read,stat,remove' });
    report('percentiles, one in ten refused');
    // The endpoint sees only the attempts of an operation, not the pauses between them.
    const faults = `${load.latency},PUT.status=503:10%`;
    const refusing = await measureBothSides({ ...load, faults, stages: 'write' });
    return [...findingsOf(plain, 'operations'), ...findingsOf(plain, 'firstByte'), ...findingsOf(refusing, 'attempts')];
  },
};

/**
 * @typedef {object} BothSides
 * @property {any[]} stages of the JSON result
 * @property {Report['answerTimes']} answerTimes of the stages only
 */

/**
 * Requests before the first stage are not part of it, so the endpoint resets its counts at Write.
 *
 * @param {{ faults: string, objects: number, threads: number, stages: string }} load
 * @returns {Promise<BothSides>}
 */
export function measureBothSides({ faults, objects, threads, stages }) {
  return withEndpoint({ faults }, async ({ env, report }) => {
    let reset;
    const onLine = (/** @type {string} */ line) => {
      if (line.startsWith('Write: scheduling')) {
        reset = report();
      }
    };
    const options = ['--stages', stages, '--size', '1KiB'];
    const results = await runTool({ env, objects, threads, options, onLine });
    await reset;
    const { answerTimes } = await report();
    return { stages: results, answerTimes };
  });
}

/**
 * @param {BothSides} sides
 * @param {'operations' | 'attempts' | 'firstByte'} kind of latency
 * @returns {Finding[]}
 */
function findingsOf({ stages, answerTimes }, kind) {
  return stages.flatMap(({ stage, latency: { [kind]: reported } }) => {
    const recorded = /** @type {TimeSummary} */ (answerTimes[OPERATIONS[stage]]);
    return reported
      ? PERCENTILES.map((name) => percentileFinding(`${stage}, ${kind}: ${name}`, reported[name], recorded[name]))
      : [];
  });
}

/**
 * @param {string} what
 * @param {number} found ms
 * @param {number} expected ms
 */
function percentileFinding(what, found, expected) {
  return closeTo(what, { expected, found, tolerance: Math.max(MIN_MS, SHARE * expected) }, milliseconds);
}
