import type { RunObserver } from '../model/run-events.js';

/** What a run gets besides its options. */
export interface RunContext {
  /** ends the run early: it removes its objects, and returns what it measured so far */
  signal?: AbortSignal;
  /** listeners by event; an error in one ends the run */
  on?: Partial<RunObserver>;
  /** replaces `process.env` */
  env?: Record<string, string | undefined>;
  /** whether the process does nothing else: only then is its CPU time that of the run */
  ownsProcess?: boolean;
}
