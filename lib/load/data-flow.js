/**
 * @import { DataFlow } from '../result/run-events.js'
 * @import { ObjectConnection } from '../store/object-store.js'
 */

/** @type {DataFlow} */
export const NO_FLOW = Object.freeze({ moved: 0, underWay: 0 });

/**
 * Reads the counters of a stage's connections on demand, which adds no cost to operations.
 *
 * @param {readonly ObjectConnection[]} connections
 * @returns {() => DataFlow} data moved since this call
 */
export function watchFlow(connections) {
  const before = movedOver(connections);
  return () => ({
    moved: movedOver(connections) - before,
    underWay: connections.reduce(
      (sum, { startedAt, moved, movedBefore }) => (startedAt === 0 ? sum : sum + moved - movedBefore),
      0,
    ),
  });
}

/** @param {readonly DataFlow[]} flows */
export function sumOfFlows(flows) {
  return flows.reduce((sum, { moved, underWay }) => ({
    moved: sum.moved + moved,
    underWay: sum.underWay + underWay,
  }));
}

/** @param {readonly ObjectConnection[]} connections */
function movedOver(connections) {
  return connections.reduce((sum, { moved }) => sum + moved, 0);
}
