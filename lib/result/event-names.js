/** @import { RunObserver } from './run-events.js' */

/** All events of a run. The type check finds missing names. @type {Record<keyof RunObserver, true>} */
const EVENTS = {
  runIsReady: true,
  runIsNamed: true,
  phaseStarts: true,
  phaseEnds: true,
  runStarts: true,
  stageStarts: true,
  second: true,
  retrying: true,
  integrityError: true,
  failed: true,
  progress: true,
  stepEnds: true,
  stage: true,
  snapshot: true,
  cleanupProgress: true,
  notice: true,
  warning: true,
  runEnds: true,
};

export const EVENT_NAMES = /** @type {readonly (keyof RunObserver)[]} */ (Object.keys(EVENTS));
