import type { Workers } from '../load/workers.js';
import type { Config } from '../result/config.js';
import type { RunObserver } from '../result/run-events.js';
import type { Result, RunResult, UnloadedLatency } from '../result/result.js';
import type { TimeBudget } from './preflight/unloaded-latency.js';
import type { WriteChecks } from './preflight/write-checks.js';
import type { OpenRun } from './open-run.js';
import type { RunClock, phasesOf } from './begin-run.js';

/** Shared by all parts of a run, from start to end. Workers and the first stage's time are known once it begins. */
export interface Session {
  config: Config;
  run: OpenRun;
  /** ends the run early */
  signal: AbortSignal;
  observer: RunObserver;
  runClock: RunClock;
  phases: ReturnType<typeof phasesOf>;
  /** limits the time before the stages */
  timeBudget: TimeBudget;
  checks: WriteChecks;
  /** an earlier turn of the same setting, whose latencies and clock still hold; null if there is none */
  earlier: Result | null;
  /** monotonic ms at which the process was started */
  launchedAt: number;
  /** whether other work might run in this process, so that its CPU time is not the run's alone */
  isShared: boolean;
  /** what could not be compared with the store's lists; grows during the run, like the result */
  unproven: string[];
  result: RunResult;
  workers: Workers;
  /** by the stage's name in lower case */
  unloaded: ReadonlyMap<string, UnloadedLatency>;
  /** monotonic ms: the agreed moment even if it has passed, so later stages still start together */
  firstStageAt: number;
}
