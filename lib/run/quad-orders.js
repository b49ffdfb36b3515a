/** @import { QuadOrder, Side } from '../model/interleaved.js' */

/** @type {readonly QuadOrder[]} */
const QUAD_ORDERS = ['ABBA', 'BAAB'];

/**
 * As many quads begin with A as with B; if their number is odd, one side gets one more. Their order is random, so that
 * periodic disturbances do not always hit the same side.
 *
 * @param {number} quads
 * @param {() => number} random uniform in [0, 1)
 */
export function quadOrders(quads, random) {
  const first = random() < 0.5 ? 0 : 1;
  const orders = Array.from({ length: quads }, (_, quad) => QUAD_ORDERS[(quad + first) % QUAD_ORDERS.length]);
  // Fisher–Yates shuffle.
  for (let last = orders.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1));
    [orders[last], orders[chosen]] = [orders[chosen], orders[last]];
  }
  return orders;
}

/**
 * @param {QuadOrder} order
 * @returns {Side[]} the side of each turn
 */
export function turnsOf(order) {
  return Array.from(order, (letter) => (letter === 'A' ? 'a' : 'b'));
}
