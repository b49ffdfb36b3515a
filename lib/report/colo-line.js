import { counted, rounded } from '../text/figures.js';
import { sumsByName } from '../model/counters.js';

/** @import { StageSum } from '../model/result.js' */

/**
 * Which of Cloudflare's data centers («colos») answered, and over how many connections.
 *
 * @param {readonly Pick<StageSum, 'connections'>[]} stages
 * @returns {string | null} one line; null where the store is not behind Cloudflare, or nobody looked
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
        'several data centers answered, by ways of different length';
}
