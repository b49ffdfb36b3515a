import type { Config } from './config.js';
import type { LatencyRecord, StageSnapshot } from './records.js';
import type { SecondCount, StageLatency } from './result.js';
import type { RampStep, RunFacts, RunResult, SearchDimension, SearchStep, StageResult } from './result.js';

export interface RunObserver {
  /** the options are valid, and no request has been sent; an error thrown here ends the run before it begins */
  runIsReady: (run: ReadyRun) => void;
  /** an object is about to be written: from now on, the user needs the run's name and location to clean it up */
  runIsNamed: () => void;
  /** work outside the stages starts */
  phaseStarts: (phase: Phase) => void;
  phaseEnds: (phase: Phase) => void;
  /** all checks passed, and the stages start */
  runStarts: (facts: RunFacts) => void;
  stageStarts: (plan: StageStart) => void;
  second: (second: ReportedSecond) => void;
  /** an operation is retried after an error of this kind; `refused` is whether the store asked for fewer requests */
  retrying: (kind: string, advice: string, refused?: boolean) => void;
  integrityError: (stage: string, message: string) => void;
  failed: (stage: string, operation: FailedOperation, message: string) => void;
  /** number of finished operations of the stage */
  progress: (done: number, flow: DataFlow) => void;
  /** of a ramp or a search */
  stepEnds: (stage: string, step: RampStep | SearchStep) => void;
  stage: (result: StageResult) => void;
  /** figures so far, every second and at the end of each step, if an observer requested them */
  snapshot: (stage: string, ofWorkers: readonly StageSnapshot[]) => void;
  cleanupProgress: (progress: CleanupProgress) => void;
  notice: (message: string) => void;
  /** the figures may be affected */
  warning: (message: string) => void;
  /** all stages and clean-up have ended */
  runEnds: (run: RunResult) => void;
}

export interface ReadyRun {
  /** with the store's secrets */
  config: Config;
  /** variables that a later command needs to find the same store */
  variables: Readonly<Record<string, string>>;
  /** of this host */
  identity: { host: string; versions: Record<string, string> };
  /** `now` in monotonic ms, `epochNow` in epoch ms */
  clock: { now: () => number; epochNow: () => number };
}

/** A completed second. Between two steps of a ramp, nothing is in flight, so there are no latencies. */
export type ReportedSecond = SecondCount & {
  stage: string;
  /** bytes of the objects concerned; absent if all of them moved, and for several kinds */
  objectBytes?: number;
  latencies?: LatencyRecord;
  kinds?: readonly KindSecond[];
};

/** Operations of one kind in a second of a mixed stage. */
export type KindSecond = { operation: string; operations: number; bytes: number };

export type FailedOperation = { bucket: string; key: string; attempts: number };

export interface StageStart {
  stage: string;
  objects: number;
  /** operations needed to process each object once; absent if there is one per object */
  operations?: number;
  threads: number;
  buckets: number;
  bytesPerOperation: number;
  /** ms, for a search the maximum; null if objects end the stage */
  duration: number | null;
  /** what a search varies; absent without a search */
  search?: SearchDimension;
  /** whether the stage runs as a ramp */
  ramp?: boolean;
}

/** Work before the first stage and between stages. */
export interface Phase {
  text: string;
  /** monotonic ms at which the phase ends; null if unknown */
  endsAt: number | null;
}

/** Bytes of objects that a stage has moved, without headers. */
export interface DataFlow {
  /** sent or received since the stage started, including failed attempts */
  moved: number;
  /** the share of `moved` that belongs to attempts in flight */
  underWay: number;
}

export interface CleanupProgress {
  removed: number;
  /** null if unknown */
  expected: number | null;
  /** ms since the last successful request */
  silence: number;
}

export type LatencyName = Exclude<keyof StageLatency, 'unit' | 'histogram'>;

export interface ConnectionSnapshot {
  /** since the previous stage */
  opened: number;
  /** requests since the previous stage over a connection that had already carried a request */
  reused: number;
  /** currently open; null at the end */
  open: number | null;
}
