import type { SearchPhase, StageName } from '../log/log-line.js';

export interface RunResult {
  facts: RunFacts;
  /** why the run could not begin, or had to end: a line each */
  problems: string[];
  /** whether none of the problems is one of usage, configuration or credentials */
  mayPass: boolean;
  /** objects for which the run was refused */
  existing: { readable: { objects: number; size: number } | null } | null;
  /** the first so many objects of the shard, which a later run can read; 0 where none are kept */
  kept: number;
  /** those that ran, the last one maybe in part */
  stages: StageResult[];
  /** null where nothing had to be cleaned up */
  cleanup: CleanupResult | null;
  /** that are no stage's */
  requests: RequestCounts;
  /** an error that nobody expected, or null */
  crash: unknown;
}

/** What identifies a run and says how it was made; nothing in it is secret. */
export interface RunFacts {
  /** the run id */
  run: string;
  /** the name of the host that ran it */
  host: string;
  /** such as `0/1` */
  shard: string;
  /** ISO time */
  start: string;
  /**
   * of the store, by which all times of the run are given; null where it could not be measured, and the host's own
   * clock is used
   */
  clock: ClockFacts | null;
  /** of the tool and what it stands on */
  versions: Record<string, string>;
  options: RunOptions;
}

export interface RunOptions {
  objects: number;
  threads: number;
  /** bytes of an object */
  size: number;
  stages: readonly string[];
  client: 'direct' | 'sdk';
  endpoint: string;
  /** how many */
  buckets: number;
  prefix: string;
  /** ms of an attempt */
  timeout: number;
  /** of an operation */
  retries: number;
  keepAlive: boolean;
  cores: number;
  /** ms of each stage, null where it is all objects that end it */
  duration: number | null;
  /** ms between the stages, where there is a duration */
  gap?: number;
  /** ops/s of an open loop */
  rate?: number;
  /** of an open loop's operations */
  arrival?: 'constant' | 'poisson';
  /** ms of each stage, where there is one */
  warmup?: number;
  /** where the objects were left */
  keep?: true;
  /** where its stages are searches for the peak, and not one measurement each */
  findPeak?: true;
}

/** ms: the store's clock is so far ahead of this host's */
export type ClockFacts = { offset: number; uncertainty: number };

/** Latencies in ms, as they were recorded. */
export interface Latencies {
  /** of all values together */
  readonly sum: number;
  readonly count: number;
  /** null where there is no value */
  summary(): LatencySummary | null;
  /** the compressed HdrHistogram V2 encoding of the values in µs, in base64 */
  encode(): string;
}

export interface StageLatencies {
  /** from the first attempt to success, pauses included; in an open loop from the moment at which the operation was to start */
  operations: Latencies;
  /** each by itself, failed ones included */
  attempts: Latencies;
  /** of reads: from an attempt's start to the first byte of its answer */
  firstByte: Latencies;
  /** in an open loop: how late the operations started */
  startDelay: Latencies;
}

/** A finished stage, as the reports take it. Times are epoch ms, latencies ms, rates ops/s. */
export interface StageResultFields {
  stage: StageName;
  end: StageEnd;
  /** that the stage was given */
  objects: number;
  threads: number;
  /** bytes */
  objectSize: number;
  startedAt: number;
  endedAt: number;
  /** ms */
  duration: number;
  /** ms at the beginning that are in no rate and no percentile */
  warmup: number;
  /** ms behind the time of a stage that time ends, in which the last operations came to their ends */
  drain: number;
  /** operations that succeeded ÷ duration, both without warm-up and drain */
  average: number;
  /** see peakOf */
  peak: number;
  /** bytes/s: as the average, of the objects' bytes */
  averageBytes: number;
  /** see peakBytesOf */
  peakBytes: number;
  /** those that the end of the stage cut off are not among them */
  failedAttempts: number;
  seconds: readonly SecondResult[];
  latencies: StageLatencies;
  connections: ConnectionResult;
  clientLoad: ClientLoad;
  load: LoadResult;
  /** null where it was not measured */
  unloaded: UnloadedLatency | null;
  /** of a Write that had no objects left before its time was over: so many would have lasted */
  objectsNeeded: number | null;
  /** what the stage was limited by */
  verdict: Bottleneck;
  /** as it was known at the stage's end */
  storeClock: ClockFacts | null;
  /** where the peak was searched for */
  search?: SearchResult;
}

export type StageResult = StageResultFields & StageCounts;

export type SecondResult = SecondCount & SecondLatency;

/** What became of a stage's connections. */
export interface ConnectionCounts {
  /** since the stage before, those opened ahead of the first stage included */
  opened: number;
  /** requests that went over a connection that had carried one before */
  reused: number;
  /** of the host's name in ms, where a connection was opened and the name looked up */
  lookupTime: number | null;
}

export type ConnectionResult = ConnectionCounts & OpeningCosts;

/** How the operations were started: each when the one before had ended, or at times of their own. */
export interface LoadResult {
  mode: 'closed loop' | 'open loop';
  /** ops/s that were asked for; null for a closed loop */
  rate: number | null;
  arrival: 'constant' | 'poisson' | null;
}

/** What is counted of a stage. */
export interface StageCounts {
  /** that succeeded, verification included */
  operations: number;
  /** of those operations' objects */
  bytes: number;
  /** those of them that completed while the stage warmed up */
  warmupOperations: number;
  /** of those operations' objects */
  warmupBytes: number;
  /** those that were under way when the time of the stage was over, and completed then */
  drainOperations: number;
  /** of those operations' objects */
  drainBytes: number;
  /** all, successful or not */
  attempts: number;
  /** attempts that failed and were tried again */
  retries: number;
  /** attempts by whose answer the store asked for fewer requests */
  throttled: number;
  /** attempts that failed before they had a connection: the store cannot have seen them */
  unsent: number;
  /** operations that the retry policy gave up */
  failed: number;
  /** operations whose answer was not what had been written */
  integrityErrors: number;
  /** operations that had no object, because Write had not written it */
  skipped: number;
  /** operations that were under way when the stage was stopped, and came to no end */
  abandoned: number;
  /** writes that may have been carried out, or may still be, although no answer said so */
  unknownOutcomes: number;
  /**
   * ms that threads spent before the successful attempts of operations: on failed attempts and the pauses behind them,
   * and in an open loop on late starts
   */
  timeLost: number;
  /**
   * ms that threads spent on operations that were given up, or cut off behind a failed attempt; late starts included
   */
  timeGivenUp: number;
  /** failed attempts by kind */
  errors: Record<string, number>;
}

/**
 * How a stage ended: all its work done, on request, because nothing succeeded any more, because the operations of an
 * open loop could no longer be started near their times, or by an error after which no operation of the run can
 * succeed.
 */
export type StageEnd = 'complete' | 'stopped' | 'stalled' | 'overloaded' | 'fatal';

export interface SecondCount {
  /** the epoch second, named by its start */
  second: number;
  /** that completed in it */
  operations: number;
  /** of those operations */
  bytes: number;
}

/** The latencies of the operations that completed in one second, in ms; null where there were none. */
export type SecondLatency = { p50: number | null; p99: number | null; maximum: number | null };

/** all in ms; the percentiles are within 0.1% of the true ones */
export interface LatencySummary {
  /** values */
  count: number;
  minimum: number;
  mean: number;
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  maximum: number;
}

/** What connections cost to open, in ms. */
export interface OpeningCosts {
  tcp: LatencySummary | null;
  /** null over plain HTTP */
  tls: LatencySummary | null;
}

/** What a stage cost the client itself. */
export interface ClientLoad {
  /** ms of CPU time in the process's own code, on all cores */
  cpuUser: number;
  /** ms of CPU time in the kernel on its behalf */
  cpuSystem: number;
  /** event loops that carried threads */
  loops: number;
  /** the share of the time that the busiest event loop was busy, 0 to 1 */
  eventLoopUtilization: number;
  /** event loops that were busy on average: the sum of their shares */
  busyLoops: number;
}

/** What an operation takes when there is no other. */
export interface UnloadedLatency {
  /** operations that it was taken from */
  count: number;
  /** ms */
  p50: number;
  /** bytes of the objects, fewer than those of the stages where these would have taken too long */
  size: number;
}

/**
 * What limited a stage, as far as its own figures can show it. A cause is named only where the figures prove it and
 * none contradicts it: the wrong cause is worse than none.
 */
export type BottleneckCause = 'client CPU' | 'store throttling' | 'concurrency' | 'store' | 'bandwidth' | 'not shown';

export interface Bottleneck {
  cause: BottleneckCause;
  /** in figures, one line */
  evidence: string;
  /** what would tell more: an option, or a change of the arguments */
  advice: string | null;
}

/** What a search for the peak found, as the reports take it. */
export interface SearchResult {
  steps: SearchStep[];
  /** the fewest threads that did as much as any others */
  knee: number | null;
  /** whether more threads brought no more; otherwise the ceiling is higher than what was found */
  hasPlateau: boolean;
  /** null where the peak could not be held */
  ceiling: Ceiling | null;
  /** ops/s of the best step that tried a number of threads */
  best: number;
  /** where there were too few: so many, or more, would have done */
  operationsNeeded: number | null;
  /** where --max-cost left too few: what it would have to be, at least */
  dollarsNeeded: number | null;
}

/** times are epoch ms, latencies ms */
export interface SearchStep {
  phase: SearchPhase;
  threads: number;
  /** bytes */
  objectSize: number;
  startedAt: number;
  endedAt: number;
  /** that succeeded, those while the step settled included */
  operations: number;
  /** of the time that was measured; see decisiveRate */
  operationsPerSecond: number;
  /** that were measured */
  seconds: number;
  p50: number | null;
  p99: number | null;
  /** attempts that failed; not those that the end of the step cut off */
  errors: number;
  /** those of them by whose answer the store asked for fewer requests */
  throttled: number;
  /** operations that did not succeed in the end */
  failed: number;
  eventLoopUtilization: number;
}

/** What a stage does at most, found by holding it. */
export interface Ceiling {
  operationsPerSecond: number;
  /** end of the interval that holds the true rate with this confidence */
  low: number;
  high: number;
  confidence: number;
  threads: number;
  /** for which it was held */
  seconds: number;
}

export interface CleanupResult {
  /** objects */
  removed: number;
  /** older versions and delete markers that were removed, where a bucket keeps them */
  versions: number;
  /**
   * objects of the run that the store still has, and their versions, by its own count; -1 where it could not be
   * counted
   */
  left: number;
  /** those of them that are in another bucket than the list of buckets gives them */
  misplaced: number;
  /** objects under the run's prefix that the run did not write, and that stay */
  foreign: number;
  /** objects that were there though no list showed them: what else is left is not known */
  unlisted: number;
  /**
   * those of the run in their order, as the objects show them, where they are not those that were given; see
   * BucketList
   */
  otherBuckets: readonly (string | null)[] | null;
  /** what the store said about objects that it did not delete, and requests that failed */
  problems: string[];
  /** that are only counted */
  furtherProblems: number;
}

/** Requests that are no stage's. */
export interface RequestCounts {
  preflight: number;
  clock: number;
  /** of the unloaded latency */
  probe: number;
  cleanup: number;
}
