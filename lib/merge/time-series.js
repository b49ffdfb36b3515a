import { bytesIn } from './peak-finder.js';
import { secondsOf } from './sum-seconds.js';

/**
 * @import { StageView } from './stage-views.js'
 *
 * @typedef {object} TimeSeriesRow what a host did in a second
 * @property {number} second named by its beginning
 * @property {string} stage
 * @property {string} host
 * @property {number} operations that completed in it
 * @property {number} bytes of their objects
 */

/**
 * @param {ReadonlyMap<string, readonly StageView[]>} views
 * @returns {Generator<TimeSeriesRow, void, undefined>} stage by stage, second by second, host by host
 */
export function* timeSeriesOf(views) {
  for (const [stage, ofStage] of views) {
    for (const { second, hosts } of secondsOf(ofStage)) {
      for (const host of hosts) {
        yield { second, stage, host: host.view.host.name, operations: host.tenths / 10, bytes: bytesIn(host) };
      }
    }
  }
}
