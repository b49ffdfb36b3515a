/**
 * @import { Quad, QuadOrder, Side } from '../../lib/result/interleaved.js'
 * @import { chance } from './chance.js'
 */

const METRICS = ['rate', 'p50', 'p99', 'cpu'];

const LEVEL = 1000;

/**
 * Simulates quads of one stage. All metrics of a pass have the same value, each with its own noise.
 *
 * @param {object} model
 * @param {readonly QuadOrder[]} model.orders
 * @param {number} [model.ratio] of B to A
 * @param {(time: number) => number} [model.drift] factor of a pass, for times from 0 (the first pass) to 1
 * @param {number} [model.noise] standard deviation of the logarithm of a pass
 * @param {ReturnType<typeof chance>} [model.random] source of the noise
 * @param {readonly number[]} [model.logRatios] of the quads, instead of the ratio
 * @returns {Quad[]}
 */
export function simulateQuads({ orders, ratio = 1, drift = () => 1, noise = 0, random, logRatios }) {
  const passes = 4 * orders.length;
  return orders.map((order, quad) => ({
    order,
    passes: [...order].map((letter, turn) => {
      const side = /** @type {Side} */ (letter.toLowerCase());
      const ofSide = side === 'a' ? 1 : logRatios === undefined ? ratio : Math.exp(logRatios[quad]);
      const level = LEVEL * ofSide * drift((4 * quad + turn) / (passes - 1));
      const figure = () => level * Math.exp(noise * (random?.normal() ?? 0));
      const metrics = /** @type {Record<string, number | null>} */ (
        Object.fromEntries(METRICS.map((metric) => [metric, figure()]))
      );
      const times = { startedAt: 1000 * (4 * quad + turn), duration: 1000 };
      return { side, stages: [{ stage: 'Write', ...times, operations: 1000, failedAttempts: 0, metrics }] };
    }),
  }));
}
