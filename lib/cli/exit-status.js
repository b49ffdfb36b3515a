import { constants } from 'node:os';

export const EXIT = Object.freeze({
  complete: 0,
  /** The run or the merge is incomplete, or a verification failed. */
  incomplete: 1,
  /** Invalid usage, configuration or credentials. */
  usage: 2,
  /** The run is complete, but an --assert threshold was missed. */
  thresholdMissed: 3,
  /** The output was closed: the status that a shell reports for SIGPIPE. */
  outputClosed: 128 + constants.signals.SIGPIPE,
});
