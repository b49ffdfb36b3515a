import { constants } from 'node:os';

/** What the programs' exit status means. */
export const EXIT = Object.freeze({
  complete: 0,
  /** The run or the aggregation is incomplete, or a verification failed. */
  incomplete: 1,
  /** Usage, configuration or credentials. */
  usage: 2,
  /** All went well, but for a figure that is not as --assert wants it. */
  thresholdMissed: 3,
  /** The output was closed: what a shell shows for SIGPIPE. */
  outputClosed: 128 + constants.signals.SIGPIPE,
});

/**
 * @param {'SIGHUP' | 'SIGINT' | 'SIGTERM'} signal
 * @returns {number} what a shell shows for a process that the signal ended
 */
export function exitStatusOf(signal) {
  return 128 + constants.signals[signal];
}
