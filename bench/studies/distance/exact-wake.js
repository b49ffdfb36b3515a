/** @import { Wake } from './delay-line.js' */

/** How early to set the timer: Node's timers count whole milliseconds, and fire late or slightly early. */
const MARGIN_MS = 2;

/**
 * Waits until a time, accurate to a few hundredths of a millisecond: first with a timer, then turn by turn of the event loop.
 * It keeps a core busy for the last two milliseconds.
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
