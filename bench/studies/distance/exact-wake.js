/** @import { Wake } from './delay-line.js' */

/** How long before its time a timer is set: Node's timers know whole milliseconds and come late, or a little early. */
const MARGIN_MS = 2;

/**
 * Waits for a time to a few hundredths of a millisecond: by a timer while it is far off, then turn by turn of the event
 * loop. A processor is busy for the last two milliseconds.
 *
 * @type {Wake} on the clock of `performance.now()`
 */
export function exactWake(time, callback) {
  const left = time - performance.now();
  if (left <= 0) {
    callback();
  } else if (left > MARGIN_MS) {
    setTimeout(exactWake, left - MARGIN_MS, time, callback);
  } else {
    setImmediate(exactWake, time, callback);
  }
}
