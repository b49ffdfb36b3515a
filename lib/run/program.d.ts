import type { Clock } from '../clock/clock.js';
import type { Config } from '../model/config.js';
import type { Invocation } from '../store/hint.js';
import type { Target } from '../store/target.js';
import type { RunContext } from './run-context.js';

/** For the programs of this package: their outputs have problems, too, and are opened before the first request. */
export interface ProgramContext extends RunContext {
  program?: {
    /** how the user calls it */
    invocation: Invocation;
    /** found before the run, and reported together with those of its options */
    problems: readonly string[];
    /** called when everything is in order but for the store, to which no request has gone */
    prepared: (run: PreparedRun) => Promise<void>;
  };
}

/** A run that can begin. */
export interface PreparedRun {
  config: Config;
  target: Target;
  clock: Clock;
  /** of this host */
  identity: { host: string; versions: Record<string, string> };
}
