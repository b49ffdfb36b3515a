/**
 * @import { QuadOrder, Side } from '../model/interleaved.js'
 *
 * @typedef {object} SideTurn
 * @property {Side} side
 * @property {number} number of its side's turns, from 1
 * @property {number | null} quad from 0; null for a warm-up turn
 */

/** @type {readonly QuadOrder[]} */
const ORDERS = ['ABBA', 'BAAB'];

/**
 * Random, so that periodic disturbances do not always hit the same side.
 *
 * @param {number} quads
 * @param {() => number} random uniform in [0, 1)
 */
export function quadOrders(quads, random) {
  return Array.from({ length: quads }, () => ORDERS[Number(random() < 0.5)]);
}

/**
 * A warm-up turn for each side, then the quads.
 *
 * @param {number} quads
 * @param {() => number} random uniform in [0, 1)
 * @returns {SideTurn[]}
 */
export function planTurns(quads, random) {
  const orders = quadOrders(quads, random);
  const sides = /** @type {Side[]} */ ([...`ab${orders.join('')}`.toLowerCase()]);
  return sides.map((side, index) => ({
    side,
    number: sides.slice(0, index + 1).filter((each) => each === side).length,
    quad: index < 2 ? null : Math.floor((index - 2) / 4),
  }));
}
