import { compareQuads } from '../../lib/result/compare/compare-quads.js';
import { quadOrders } from '../../lib/series/series.js';
import { chance } from '../../test/helpers/chance.js';
import { simulateQuads } from '../../test/helpers/simulated-quads.js';
import { repeat } from './run-scenario.js';
import { callTool } from './run-tool.js';

/**
 * @import { InterleavedStage } from '../../lib/result/interleaved.js'
 * @import { Finding, Part } from './finding.js'
 */

const MARGIN = 0.03;
const QUADS = 6;

const COMPARISONS = 40;

/** Allowed number of comparisons with a difference: two are expected, and six or more have a chance of one in 70. */
const MAX_FALSE = 5;

/** A store with realistic latencies, in which requests do not wait for each other. */
const LOAD = [
  ...['200', '16', '--local', '--faults', 'latency=lognormal:10ms:0.5'],
  ...['--size', '1KiB', '--stages', 'write,read', '--no-preflight'],
];

const SIMULATIONS = 1000;

/** One in twenty, plus a margin that chance exceeds in one series of a hundred. */
const MAX_FALSE_SIMULATED = 66;

/** Standard deviation of a pass's logarithm. */
const NOISE = 0.02;

/** @type {Part} */
export const interleaved = {
  title: 'ab: a set-up against itself, and a drift',
  async check({ runs = COMPARISONS, report }) {
    const drifting = [driftAlone(), driftWithNoise()];
    let falseAlarms = 0;
    await repeat(runs, async (run) => {
      const { stages } = await callTool({
        parameters: ['ab', ...LOAD, '--a', '', '--b', '', '--quads', String(QUADS)],
      });
      const found = differencesIn(stages);
      falseAlarms += Number(found.length > 0);
      report(`A/A ${run + 1} of ${runs}: ${found.length === 0 ? 'no difference' : found.join(', ')}`);
    });
    return [
      ...drifting,
      {
        what: `comparisons of a set-up with itself that find a difference, of ${runs}`,
        expected: `at most ${MAX_FALSE}`,
        found: String(falseAlarms),
        isRight: falseAlarms <= MAX_FALSE,
      },
    ];
  },
};

/**
 * @param {readonly InterleavedStage[]} stages
 * @returns {string[]} figures reported as different
 */
function differencesIn(stages) {
  return stages.flatMap(({ stage, metrics }) =>
    metrics
      .filter(({ verdict }) => verdict !== 'the same' && verdict !== 'cannot tell')
      .map(({ metric, ratio }) => `${stage} ${metric} ${Number(ratio).toFixed(3)}`),
  );
}

/** 10% over all quads. @param {number} time from 0 to 1 */
const drift = (time) => 1 + 0.1 * time;

/** @returns {Finding} */
function driftAlone() {
  const ratios = Array.from({ length: SIMULATIONS }, (_, seed) => {
    const orders = quadOrders(QUADS, chance(seed).uniform);
    const [{ metrics }] = compareQuads(simulateQuads({ orders, drift }), { margin: MARGIN });
    return Math.abs(Number(metrics[0].ratio) - 1);
  });
  const worst = Math.max(...ratios);
  return {
    what: 'worst error in a ratio of 1 under a linear drift of 10%',
    expected: 'below 0.0001',
    found: worst.toExponential(1),
    isRight: worst < 1e-4,
  };
}

/** @returns {Finding} */
function driftWithNoise() {
  const falseAlarms = Array.from({ length: SIMULATIONS }, (_, seed) => {
    const random = chance(SIMULATIONS + seed);
    const orders = quadOrders(QUADS, random.uniform);
    const stages = compareQuads(simulateQuads({ orders, drift, noise: NOISE, random }), { margin: MARGIN / 30 });
    return differencesIn(stages).length > 0;
  }).filter(Boolean).length;
  return {
    what: `simulated comparisons under a drift of 10% that find a difference, of ${SIMULATIONS}`,
    expected: `at most ${MAX_FALSE_SIMULATED}`,
    found: String(falseAlarms),
    isRight: falseAlarms <= MAX_FALSE_SIMULATED,
  };
}
