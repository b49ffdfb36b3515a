/**
 * @import { StageMeter } from '../meter/stage-meter.js'
 * @import { Stage, Workload } from '../operations/operation.js'
 * @import { Budget } from './budget.js'
 */

/**
 * An object that Write did not write is passed over without an attempt. Where the objects go round, it would be passed
 * over in each round: there it is no work that was skipped.
 *
 * @param {Stage} stage
 * @param {Workload} workload
 * @param {Budget} budget
 * @param {StageMeter} meter
 * @returns {() => number} the place of the next object to work on, or -1
 */
export function claimObjects({ needsObject }, { written, wroteObjects }, budget, meter) {
  if (!needsObject || !wroteObjects) {
    return () => budget.claim();
  }
  if (budget.goesRound && written.count === 0) {
    return () => -1;
  }
  return () => {
    let place = budget.claim();
    while (place >= 0 && !written.has(place)) {
      meter.skipped += Number(!budget.goesRound);
      place = budget.claim();
    }
    return place;
  };
}
