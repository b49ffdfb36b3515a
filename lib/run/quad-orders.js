/** @import { QuadOrder, Side } from '../model/interleaved.js' */

/** @type {readonly QuadOrder[]} */
const QUAD_ORDERS = ['ABBA', 'BAAB'];

/**
 * As many quads begin with A as with B, or one more, in an order that chance decides: nothing that comes and goes at a fixed
 * rhythm meets the same side again and again.
 *
 * @param {number} quads
 * @param {() => number} random uniform in [0, 1)
 * @returns {QuadOrder[]}
 */
export function quadOrders(quads, random) {
  const first = random() < 0.5 ? 0 : 1;
  const orders = Array.from({ length: quads }, (_, quad) => QUAD_ORDERS[(quad + first) % QUAD_ORDERS.length]);
  // Fisher and Yates: each order of them is as likely as any other.
  for (let last = orders.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1));
    [orders[last], orders[chosen]] = [orders[chosen], orders[last]];
  }
  return orders;
}

/**
 * @param {QuadOrder} order
 * @returns {Side[]} the sides in their turns
 */
export function turnsOf(order) {
  return Array.from(order, (letter) => (letter === 'A' ? 'a' : 'b'));
}
