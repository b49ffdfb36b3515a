import { parentPort, workerData } from 'node:worker_threads';
import { Clock } from '../clock/clock.js';

/**
 * @import { AlarmMemory } from './alarm.js'
 * @import { MessagePort } from 'node:worker_threads'
 */

/**
 * The thread that sleeps for an alarm: it sends a message at the moment that the alarm is set to, once for each setting.
 */

/** Many operations a second are started several at a time, so that waking up for them costs a bounded share of a CPU. ms. */
const MIN_SLEEP_MS = 0.5;

const port = /** @type {MessagePort} */ (parentPort);
const { moment, turn, isOver } = /** @type {AlarmMemory} */ (workerData.memory);
const { now } = Clock.fromState(workerData.clock);

let rungAt = -Infinity;
let rungFor = 0;
while (Atomics.load(isOver, 0) === 0) {
  const current = Atomics.load(turn, 0);
  const left = current === rungFor ? Infinity : Math.max(moment[0], rungAt + MIN_SLEEP_MS) - now();
  if (left <= 0) {
    rungAt = now();
    rungFor = current;
    port.postMessage(null);
  } else {
    // Ends early where the alarm is set anew.
    Atomics.wait(turn, 0, current, left);
  }
}
