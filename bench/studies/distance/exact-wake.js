/** @import { Wake } from './delay-line.js' */

/** How early the timer is set: Node's timers have whole milliseconds, and fire late or slightly early. */
const MARGIN_MS = 2;

/**
 * Waits for a time to within a few hundredths of a millisecond: first by a timer, then turn by turn of the event loop.
 * A processor is busy for the last two milliseconds.
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
