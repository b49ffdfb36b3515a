import type { Workers } from '../engine/workers.js';
import type { Config } from '../model/config.js';
import type { RunObserver } from '../model/run-events.js';
import type { RunResult, UnloadedLatency } from '../model/result.js';
import type { TimeBudget } from '../preflight/time-budget.js';
import type { WriteChecks } from '../preflight/write-checks.js';
import type { OpenRun } from './open-run.js';
import type { Phases } from './phases.js';
import type { RunClock } from './run-clock.js';

/** A run from its start to its end: what its parts share. */
export interface Session {
  config: Config;
  run: OpenRun;
  /** ends the run early */
  signal: AbortSignal;
  observer: RunObserver;
  runClock: RunClock;
  phases: Phases;
  /** of what comes before the stages */
  timeBudget: TimeBudget;
  checks: WriteChecks;
  /** monotonic ms at which the process was started */
  launchedAt: number;
  /** whether other work may run in the same process, so that its CPU time is not that of the run */
  isShared: () => boolean;
  /** which grows */
  result: RunResult;
}

/** A run whose first stage can begin. */
export type BegunSession = Session & Begun;

export interface Begun {
  workers: Workers;
  /** by the stage's name in lower case */
  unloaded: ReadonlyMap<string, UnloadedLatency>;
  /** monotonic ms: the agreed moment, even if it has passed, so that later stages still start together */
  firstStageAt: number;
}
