import { OPERATIONS } from '../operations/registry.js';

/** @import { Trace } from '../../result/config.js' */

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/**
 * @param {Trace} trace
 * @param {number} speed
 * @returns {number} requests per second in the busiest minute of a replay; of the whole replay if it is shorter
 */
export function busiestMinute({ times, requests, length }, speed) {
  let most = 0;
  for (let first = 0, request = 0; request < requests; request++) {
    while (times[request] - times[first] >= MINUTE_MS * speed) {
      first += 1;
    }
    most = Math.max(most, request - first + 1);
  }
  return (SECOND_MS * most) / Math.min(MINUTE_MS, Math.max(length / speed, SECOND_MS));
}

/**
 * @param {Trace} trace
 * @param {number} speed
 * @returns {number} changes of single objects that follow another one within a second
 */
export function closeChanges({ times, codes, targets, requests, objects }, speed) {
  const changedAt = new Float64Array(objects).fill(-Infinity);
  let close = 0;
  for (let request = 0; request < requests; request++) {
    const { creates, removes, grouping } = OPERATIONS[codes[request]];
    if ((creates || removes) && grouping === undefined) {
      close += Number(times[request] - changedAt[targets[request]] < SECOND_MS * speed);
      changedAt[targets[request]] = times[request];
    }
  }
  return close;
}

/**
 * @param {Trace} trace
 * @param {number} speed
 * @param {number} startedAt epoch ms of the replay's start
 * @returns {Map<number, number>} requests that are due, by epoch second
 */
export function requestsDue({ times, requests }, speed, startedAt) {
  const due = new Map();
  for (let request = 0; request < requests; request++) {
    const second = Math.floor((startedAt + times[request] / speed) / SECOND_MS);
    due.set(second, (due.get(second) ?? 0) + 1);
  }
  return due;
}
