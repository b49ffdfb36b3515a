/** @import { Overlap } from '../model/result.js' */

/**
 * @param {readonly { host: unknown, start: number, stop: number }[]} intervals in ms; those of one host do not overlap
 */
export function overlapOf(intervals) {
  const hosts = new Set(intervals.map(({ host }) => host)).size;
  const changes = intervals
    .flatMap(({ start, stop }) => [
      { at: start, by: 1 },
      { at: stop, by: -1 },
    ])
    // At equal times, leave before entering: intervals that only touch do not overlap.
    .sort((one, other) => one.at - other.at || one.by - other.by);
  /** @type {Overlap} */
  const overlap = { together: 0, any: 0, from: null, to: null };
  let present = 0;
  let since = changes[0]?.at ?? 0;
  for (const { at, by } of changes) {
    if (present > 0) {
      overlap.any += at - since;
    }
    if (present === hosts && at > since) {
      overlap.together += at - since;
      overlap.from ??= since;
      overlap.to = at;
    }
    present += by;
    since = at;
  }
  return overlap;
}
