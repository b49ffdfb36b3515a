import type { LatencySummary, SecondCount, StageCounts, StageLatency } from './result.js';
import type { RampKind, RampStep, RunFacts, RunResult, SearchDimension, SearchStep, StageResult } from './result.js';

/** The events of a run. */
export interface RunObserver {
  /** an object is about to be written; from now on, the user needs the run's name and location to clean it up */
  runIsNamed: () => void;
  /** work outside the stages starts */
  phaseStarts: (phase: Phase) => void;
  phaseEnds: (phase: Phase) => void;
  /** all checks passed, and the stages start */
  runStarts: (facts: RunFacts) => void;
  stageStarts: (plan: StageStart) => void;
  second: (second: ReportedSecond) => void;
  /** an operation is retried after an error of that kind; `refused` is whether the store asked for fewer requests */
  retrying: (kind: string, advice: string, refused?: boolean) => void;
  integrityError: (stage: string, message: string) => void;
  failed: (stage: string, operation: FailedOperation, message: string) => void;
  /** number of finished operations of the stage */
  progress: (done: number, flow: DataFlow) => void;
  /** capacity search only */
  stepEnds: (stage: string, step: SearchStep) => void;
  /** ramp only */
  slotEnds: (stage: string, of: RampKind, step: RampStep) => void;
  /** a stage has ended */
  stage: (result: StageResult) => void;
  /** figures so far, every second and at the end of each step, if an observer requested them */
  snapshot: (stage: string, snapshot: StageSnapshot) => void;
  /** reported periodically */
  cleanupProgress: (progress: CleanupProgress) => void;
  /** information */
  notice: (message: string) => void;
  /** something that may affect the figures */
  warning: (message: string) => void;
  /** all stages and clean-up have ended */
  runEnds: (run: RunResult) => void;
}

/** A completed second. Between two steps of a ramp, nothing is in flight and there are no latencies. */
export type ReportedSecond = SecondCount & {
  stage: string;
  latencies?: SecondLatencies;
  kinds?: readonly KindSecond[];
};

/** Operations of one kind in a second of a mixed stage. */
export type KindSecond = { operation: string; operations: number; bytes: number };

/** Latencies of the operations that completed in a second; they can be added to others. */
export interface SecondLatencies {
  plus(others: readonly SecondLatencies[]): SecondLatencies;
  /** null without latencies */
  summary(): LatencySummary | null;
}

export type FailedOperation = { bucket: string; key: string; attempts: number };

export interface StageStart {
  stage: string;
  objects: number;
  /** operations needed to process each object once; absent if there is one per object */
  operations?: number;
  threads: number;
  buckets: number;
  /** bytes that an operation transfers */
  bytesPerOperation: number;
  /** bytes per operation that the log shows although they are not transferred; absent if it shows none */
  nominalBytes?: number;
  /** ms, if time ends the stage; for a search the maximum */
  duration: number | null;
  /** whether it is a capacity search */
  isSearch?: boolean;
  /** what the search varies; absent for threads */
  dimension?: SearchDimension;
}

/** Work before the first stage and between stages. */
export interface Phase {
  /** description */
  text: string;
  /** monotonic ms until which it waits; null if the duration is unknown */
  endsAt: number | null;
}

/** Bytes of objects that a stage has moved, without headers. */
export interface DataFlow {
  /** sent or received since the stage started, including failed attempts */
  moved: number;
  /** the part of it that belongs to attempts in flight */
  underWay: number;
}

/** Progress of a clean-up. */
export interface CleanupProgress {
  /** objects */
  removed: number;
  /** objects; null if unknown */
  expected: number | null;
  /** ms since a request succeeded */
  silence: number;
}

/** Figures of a stage, or of its current step, since it started: plain values. */
export interface StageSnapshot {
  /** whether the stage or step has ended; the next snapshot starts from zero */
  isFinal: boolean;
  /** in the order of the stage's kinds */
  kinds: readonly KindSnapshot[];
  /** in the order of the run's list */
  buckets: readonly BucketSnapshot[];
  connections: ConnectionSnapshot;
  /** requests in flight */
  inFlight: number;
  /** utilization of each event loop with threads since the previous snapshot; empty at the end */
  loops: readonly number[];
}

export interface KindSnapshot {
  operation: string;
  counts: StageCounts;
  latencies: Record<LatencyName, ValueCounts>;
  /** of operations, by cache status; absent without a cache */
  cache?: Record<string, ValueCounts>;
}

/** The latencies of a stage. */
export type LatencyName = Exclude<keyof StageLatency, 'unit' | 'histogram'>;

/** See BucketResult. */
export interface BucketSnapshot {
  bucket: string;
  operations: number;
  failed: number;
  failedAttempts: number;
  throttled: number;
  /** of operations; null before the end */
  latencies: ValueCounts | null;
}

export interface ConnectionSnapshot {
  /** since the previous stage */
  opened: number;
  /** requests since then over a connection that had already carried a request */
  reused: number;
  /** currently open; null at the end */
  open: number | null;
}

/** Values of a histogram in any order, possibly repeated. */
export interface ValueCounts {
  /** µs: each the largest of its equivalent values, at most 0.1% above the others */
  values: readonly number[];
  /** number of occurrences */
  counts: readonly number[];
  /** of all values; exact, like sum and extremes */
  count: number;
  /** ms */
  sum: number;
  /** ms; Infinity without values */
  minimum: number;
  /** ms; 0 without values */
  maximum: number;
}
