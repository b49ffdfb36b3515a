import { counted, rounded } from '../text/figures.js';
import { sumsByName } from '../model/counters.js';

/** @import { StageSum } from '../model/result.js' */

/**
 * The Cloudflare data centres ("colos") that responded, and the number of connections to each.
 *
 * @param {readonly Pick<StageSum, 'connections'>[]} stages
 * @returns {string | null} one line; null if the store is not behind Cloudflare or the data centres are unknown
 */
export function coloLine(stages) {
  const [[busiest, connections] = [], ...others] = Object.entries(
    sumsByName(stages.map((stage) => stage.connections?.colos ?? {})),
  );
  if (busiest === undefined) {
    return null;
  }
  const first = `${busiest} (${counted(Number(connections), 'connection')}`;
  return others.length === 0
    ? `${first})`
    : `${first}), ${others.map(([colo, count]) => `${colo} (${rounded(count)})`).join(', ')}: ` +
        'several data centres responded, so routes differ in length';
}
