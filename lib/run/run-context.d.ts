import type { RunObserver } from '../model/run-events.js';

/** What a run is given besides its options. */
export interface RunContext {
  /** ends the run early: what it wrote is removed, and what it measured until then is its result */
  signal?: AbortSignal;
  /** listeners, by event; an error that one throws ends the run */
  on?: Partial<RunObserver>;
  /** in place of `process.env` */
  env?: Record<string, string | undefined>;
  /** whether nothing else happens in this process: only then is its CPU time that of the run */
  ownsProcess?: boolean;
}
