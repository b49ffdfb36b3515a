/** @import { HostLoad, LoopLoad } from '../../lib/result/result.js' */

/** A host about which the system reports nothing. @type {Readonly<HostLoad>} */
export const NO_HOST_LOAD = Object.freeze({
  cpu: null,
  loops: [],
  quota: null,
  network: null,
  tcp: null,
});

/**
 * @param {number} utilization
 * @param {Partial<LoopLoad>} [overrides]
 * @returns {LoopLoad} of a loop whose thread always got a CPU immediately
 */
export function loopLoad(utilization, overrides = {}) {
  return {
    utilization,
    running: utilization,
    waiting: 0,
    delayP50: 0,
    delayP99: 0,
    ...overrides,
  };
}
