import { parentPort, workerData } from 'node:worker_threads';
import { systemTime } from '../measure/clock/clock.js';

/**
 * @import { AlarmMemory } from './alarm.js'
 * @import { MessagePort } from 'node:worker_threads'
 */

/** The thread that sleeps for an alarm. Each time the alarm is set, it sends one message, at the requested moment. */

/** Minimum time between messages. At high rates, one message then starts several operations, which saves CPU time. */
const MIN_SLEEP_MS = 0.5;

const port = /** @type {MessagePort} */ (parentPort);
const { moment, turn, isOver } = /** @type {AlarmMemory} */ (workerData);

let rungAt = -Infinity;
let rungFor = 0;
while (Atomics.load(isOver, 0) === 0) {
  const current = Atomics.load(turn, 0);
  const left = current === rungFor ? Infinity : Math.max(moment[0], rungAt + MIN_SLEEP_MS) - systemTime();
  if (left <= 0) {
    rungAt = systemTime();
    rungFor = current;
    port.postMessage(null);
  } else {
    // This wait ends early if the alarm is set again.
    Atomics.wait(turn, 0, current, left);
  }
}
