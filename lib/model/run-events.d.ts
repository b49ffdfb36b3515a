import type { LatencySummary, SecondCount, StageCounts, StageLatency } from './result.js';
import type { RampKind, RampStep, RunFacts, RunResult, SearchDimension, SearchStep, StageResult } from './result.js';

/** What a run reports while it runs. */
export interface RunObserver {
  /**
   * an object is going to be written, the first one or a further one: what the run is called and where it writes is to
   * be known, so that it can be cleaned up
   */
  runIsNamed: () => void;
  /** something is under way that is no stage */
  phaseStarts: (phase: Phase) => void;
  phaseEnds: (phase: Phase) => void;
  /** everything is in order, and the stages begin */
  runStarts: (facts: RunFacts) => void;
  stageStarts: (plan: StageStart) => void;
  second: (second: ReportedSecond) => void;
  /**
   * an operation is tried again, after an error of that kind; the advice is empty where there is none; refused is whether the
   * store asked for fewer requests by it
   */
  retrying: (kind: string, advice: string, refused?: boolean) => void;
  integrityError: (stage: string, message: string) => void;
  failed: (stage: string, operation: FailedOperation, message: string) => void;
  /** so many operations of the stage have come to an end */
  progress: (done: number, flow: DataFlow) => void;
  /** of a capacity search */
  stepEnds: (stage: string, step: SearchStep) => void;
  /** of a ramp: a slot is over */
  slotEnds: (stage: string, of: RampKind, step: RampStep) => void;
  /** a stage is over */
  stage: (result: StageResult) => void;
  /** what the stage has come to so far, each second and at the end of each of its steps, where somebody asked for it */
  snapshot: (stage: string, snapshot: StageSnapshot) => void;
  /** reported from time to time */
  cleanupProgress: (progress: CleanupProgress) => void;
  /** something worth knowing */
  notice: (message: string) => void;
  /** something that the figures may suffer from */
  warning: (message: string) => void;
  /** all stages are over, and clean-up with them */
  runEnds: (run: RunResult) => void;
}

/** A second that is over. Between two steps of a ramp nothing is under way, and there are no latencies. */
export type ReportedSecond = SecondCount & {
  stage: string;
  latencies?: SecondLatencies;
  kinds?: readonly KindSecond[];
};

/** What the operations of one kind did in a second of a stage that mixes several. */
export type KindSecond = { operation: string; operations: number; bytes: number };

/** The latencies of the operations that completed in a second, which can be added to those of others. */
export interface SecondLatencies {
  plus(others: readonly SecondLatencies[]): SecondLatencies;
  /** null where there are none */
  summary(): LatencySummary | null;
}

export type FailedOperation = { bucket: string; key: string; attempts: number };

export interface StageStart {
  stage: string;
  objects: number;
  /** that it takes to do each object once; absent where it is one for each */
  operations?: number;
  threads: number;
  buckets: number;
  /** bytes that an operation moves; 0 where it moves none */
  bytesPerOperation: number;
  /** bytes of an operation that the lines of the log show although they do not move; absent if the log shows none */
  nominalBytes?: number;
  /** ms, where it is time that ends the stage; the longest that a search may take */
  duration: number | null;
  /** whether it is a capacity search */
  isSearch?: boolean;
  /** what such a search varies; absent for threads */
  dimension?: SearchDimension;
}

/** What a run does before its first stage, and between two of them. */
export interface Phase {
  /** what is being done */
  text: string;
  /** monotonic ms up to which it waits; null where it takes as long as it takes */
  endsAt: number | null;
}

/** What is known of the data of operations before they complete; bytes of objects, without headers. */
export interface DataFlow {
  /** that have been sent or received since the stage began, those of failed attempts included */
  moved: number;
  /** those of them that belong to attempts under way */
  underWay: number;
}

/** How far a clean-up is. */
export interface CleanupProgress {
  /** objects */
  removed: number;
  /** objects; null where that is not known */
  expected: number | null;
  /** ms since a request succeeded */
  silence: number;
}

/** What a stage has come to so far, or the step of it that is under way: plain values, counted from its beginning. */
export interface StageSnapshot {
  /** whether it is over: what comes next is of another step, or of another stage, and begins at nothing */
  isFinal: boolean;
  /** in the order in which the stage names them */
  kinds: readonly KindSnapshot[];
  /** in the order of the run's list */
  buckets: readonly BucketSnapshot[];
  connections: ConnectionSnapshot;
  /** requests that are under way */
  inFlight: number;
  /** the share of the time since the snapshot before in which each event loop with threads was busy; none at the end */
  loops: readonly number[];
}

export interface KindSnapshot {
  operation: string;
  counts: StageCounts;
  latencies: Record<LatencyName, ValueCounts>;
  /** of the operations that a cache answered, by its status; absent without one */
  cache?: Record<string, ValueCounts>;
}

/** Of what there are latencies. */
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
  /** since the stage before */
  opened: number;
  /** requests since then that went over a connection that had carried one before */
  reused: number;
  /** that are open now; null at the end */
  open: number | null;
}

/** The values of a histogram, in any order; a value may stand there several times. */
export interface ValueCounts {
  /** µs: each the largest of those that the histogram does not tell apart, at most 0.1% above the others */
  values: readonly number[];
  /** how often each occurred */
  counts: readonly number[];
  /** of all values, exact as sum and extremes are */
  count: number;
  /** ms */
  sum: number;
  /** ms; Infinity where there is no value */
  minimum: number;
  /** ms; 0 where there is no value */
  maximum: number;
}
