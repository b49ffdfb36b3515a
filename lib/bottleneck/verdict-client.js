/**
 * @import { Evidence } from './verdict.js'
 * @import { Doubt, ShownCause } from './verdict-words.js'
 */

/** From here on a loop has no time left. */
const BUSY_LOOP = 0.9;

/** Where one loop is full, and all of them on average are less busy than this, the client has room on the others. */
const EVENLY_BUSY = 0.8;

/** The share of a busy loop's time for which it must have had a CPU; without, others on the host had it. */
const CPU_SHARE = 0.85;

/**
 * @param {Evidence} evidence
 * @returns {boolean} whether an event loop had no time left
 */
export function isFull({ eventLoopUtilization }) {
  return eventLoopUtilization >= BUSY_LOOP;
}

/**
 * @param {Evidence} evidence with a full event loop
 * @returns {ShownCause | Doubt}
 */
export function judgeClient({ busyLoops, loops, cpuCores, availableCores }) {
  if (busyLoops < EVENLY_BUSY * loops) {
    return 'loops unevenly busy';
  }
  return cpuCores >= CPU_SHARE * Math.min(busyLoops, availableCores) ? 'client CPU' : 'host busy with others';
}
