import type { RunObserver } from '../result/run-events.js';
import type { Result } from '../result/result.js';
import type { Invocation } from '../options/store/environment.js';
import type { Target } from '../options/store/target.js';

/** What a run gets besides its options. */
export interface RunContext {
  /** ends the run early: the run removes its objects and returns the results so far */
  signal?: AbortSignal;
  /** listeners by event; an error in one, or a rejected promise, ends the run */
  on?: Partial<RunObserver>;
  /** replaces `process.env` */
  env?: Record<string, string | undefined>;
  /** whether the process does nothing else; only then is its CPU time the run's */
  ownsProcess?: boolean;
  /** how the user calls a program: problems then name the options of its command line */
  invocation?: Invocation;
  /** a store that is open already, and stays open */
  target?: Target;
  /**
   * makes the run a turn of a comparison: it warms up, measures each stage for at least a second, and takes over
   * preflight, latencies and clock from an earlier turn of the same setting
   */
  turn?: { earlier: Result | null };
}
