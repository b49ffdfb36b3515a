import type { Clock } from '../clock/clock.js';
import type { Config } from '../model/config.js';
import type { Invocation } from '../store/hint.js';
import type { Target } from '../store/target.js';
import type { RunContext } from './run-context.js';

/** For this package's own programs: output options can have problems too, and outputs open before any request. */
export interface ProgramContext extends RunContext {
  program?: {
    /** how the user calls it */
    invocation: Invocation;
    /** found before the run, reported together with those of the options */
    problems: readonly string[];
    /** called once everything but the store is ready, before any request is sent */
    prepared: (run: PreparedRun) => Promise<void>;
  };
}

/** A run that can begin. */
export interface PreparedRun {
  config: Config;
  target: Target;
  clock: Clock;
  identity: { host: string; versions: Record<string, string> };
}
