// Generated from result.schema.json by `npm run generate`. Change the schema, not this file.

/**
 * The measurements of one run, or of several hosts together. Top-level facts are those that all hosts share; a fact
 * that differs between hosts is null, and `hosts` has the facts of each host. Later versions may add fields: readers
 * ignore fields that they do not know.
 */
export interface Result extends CommonFacts {
  /** Version of this format. It increases when a reader of the old format would misread the new one. */
  format: number;
  /** Why the run did not start, or ended early: one line each. */
  problems: readonly string[];
  /** Facts of each host, in the order given. A run has one host. */
  hosts: readonly HostResult[];
  /** The stages that ran, in order. The last stage may be incomplete. */
  stages: readonly StageSum[];
  /** The removal at the end. Null if the run had no objects to remove, or if unknown. */
  cleanup: CleanupResult | null;
  /** Requests that belong to no stage. Null if unknown. */
  requests: RequestCounts | null;
  /** The assertions about the result, in the order given. */
  thresholds?: readonly ThresholdResult[];
  /** What merging adds. Absent from the result of a run. */
  merge?: MergeResult;
}

/** The facts of a run. In the sum of several hosts, a fact that differs between them is null. */
export interface CommonFacts {
  /** Run id. */
  run: string | null;
  /** Name of the host. */
  host: string | null;
  /** The host's share of the run: `i/N`, where i starts at 0. */
  shard: string | null;
  /** Start of the run: ISO 8601 in UTC. */
  start: string | null;
  /**
   * Offset of the store's clock at the start of the run. All times of the run are in store time. Null if it was not
   * measured and the host's own clock is used.
   */
  clock: ClockFacts | null;
  /** Versions of the tool, Node.js and the libraries of the client. */
  versions: Record<string, string | null> | null;
  /** Options of the run, without secrets. */
  options: CommonOptions | null;
}

/** The facts of one host. */
export interface HostResult extends CommonFacts {
  /** The source of the facts. Only in a merged result. */
  merge?: HostOrigin;
}

/** The source of the facts. Only in a merged result. */
export interface HostOrigin {
  /** Name of the host, unique in the result. */
  name: string;
  /** Name of the file, as given on the command line. */
  file: string;
  /** Line of the log on which the run begins. Null for a JSON result. */
  line: number | null;
}

/** How far the store's clock is ahead of the host's. */
export interface ClockFacts {
  /** How far the store's clock is ahead. Unit: ms. */
  offset: number;
  /** Maximum error of the offset, in either direction. Unit: ms. */
  uncertainty: number;
}

/** The options of a run, without secrets. An option that differs between hosts is null. */
export interface CommonOptions {
  /** `<objects>` of each host. Unit: objects. */
  objects?: number | null;
  /** `<threads>`: concurrent requests. */
  threads?: number | null;
  /** `--size`: size of an object; of the largest object if sizes differ. Unit: bytes. */
  size?: number | null;
  /** `--size` if sizes differ, such as `4KiB..1MiB`. */
  sizes?: string | null;
  /** `--access`, unless objects are accessed in order, such as `zipf:0.99`. */
  access?: string | null;
  /** `--stages`. */
  stages?: readonly string[] | null;
  /** `--client`. */
  client?: string | null;
  /** The address that the public client read from. */
  publicUrl?: string | null;
  /** URL of the store. */
  endpoint?: string | null;
  /** Number of buckets. */
  buckets?: number | null;
  /** `--prefix`. */
  prefix?: string | null;
  /** `--timeout` of each attempt. Unit: ms. */
  timeout?: number | null;
  /** `--retries` of each operation. */
  retries?: number | null;
  /** Whether connections are reused. */
  keepAlive?: boolean | null;
  /** Event loops. */
  cores?: number | null;
  /** `--duration` of each stage. Null if a stage ends when all its objects are done. Unit: ms. */
  duration?: number | null;
  /** Log files of the command `replay`. */
  replay?: string | null;
  /** `--speed`: 2 repeats the requests in half their time. */
  speed?: number | null;
  /** `--from`: the time after the first recorded request at which the replay starts. Unit: ms. */
  from?: number | null;
  /** `--for`: the time of the log that is replayed. Unit: ms. */
  for?: number | null;
  /** `--limit`: most requests to replay. */
  limit?: number | null;
  /** `--mix`. */
  mix?: string | null;
  /** Pause between stages of a fixed duration (`--gap`). Absent if they follow at once. Unit: ms. */
  gap?: number | null;
  /** `--rate` of an open loop. Unit: ops/s. */
  rate?: number | null;
  /** `--arrival` of an open loop. */
  arrival?: string | null;
  /** `--warmup` of each stage. Unit: ms. */
  warmup?: number | null;
  /** True if the objects were kept. */
  keep?: boolean | null;
  /** True if each stage is a capacity search instead of a single measurement. */
  findPeak?: boolean | null;
  /** `--ramp`: threads of this host in each step. */
  ramp?: readonly number[] | null;
  /** Bytes that Range reads of each object. Unit: bytes. */
  rangeSize?: number | null;
  /** Keys per page of List. Unit: objects. */
  pageSize?: number | null;
  /** Objects per request of Batch-remove. Unit: objects. */
  batch?: number | null;
  /** Writes per race of Create and Swap. */
  contenders?: number | null;
  /** True if every object is written in parts, not only objects that are too large for one request. */
  multipart?: boolean | null;
  /**
   * Size of a part, if objects are written in parts. Parts are larger if an object would otherwise have more than
   * 10,000 of them. Unit: bytes.
   */
  partSize?: number | null;
  /** Parts that each thread sends concurrently, each over its own connection, if objects are written in parts. */
  partThreads?: number | null;
  /** Length of a step of a ramp. Unit: ms. */
  stepTime?: number | null;
  /** What the searches vary, if not the threads: `rate` or `speed`. */
  peakOf?: string | null;
  /** Limit of the 99th percentile in a search for the highest rate. Unit: ms. */
  slo?: number | null;
  /** True if the store was the endpoint of `--local`. */
  local?: boolean | null;
  /** `--faults` of that endpoint. */
  faults?: string | null;
  /** True if the SDK had its own sockets, retries and checksums. */
  sdkDefaults?: boolean | null;
  /** True if objects were read with presigned URLs. */
  presigned?: boolean | null;
  /** True if List walked through all pages one after the other. */
  listWalk?: boolean | null;
  /** Delimiter of List. */
  delimiter?: string | null;
  /** `--max-operations`: operations after which a timed stage ends early. */
  maxOperations?: number | null;
  /**
   * `--existing`: prefix of the existing objects; `*` for all objects. `objects` is then the number of objects listed,
   * and `size` the size of the largest.
   */
  existing?: string | null;
}

/**
 * The counters of a stage. All of them can be added up over workers, seconds and hosts. A counter is null if a host
 * does not report it.
 */
export interface CommonCounts {
  /** Operations that succeeded, including verification. Unit: operations. */
  operations: number;
  /**
   * Bytes of objects that successful operations sent or received. Stages such as Stat and Remove have none. Unit:
   * bytes.
   */
  bytes: number;
  /**
   * Objects covered by successful operations on several objects, such as the keys of a list page. Other operations have
   * none. Unit: objects.
   */
  keys?: number | null;
  /**
   * Successful requests of operations that take several, except the last request of each operation: uploads created,
   * parts sent and uploads aborted. Attempts are the sum of operations, steps and failed attempts. Unit: attempts.
   */
  steps?: number | null;
  /** Successful requests that sent a part of an object. Unit: attempts. */
  parts?: number | null;
  /** Successful requests that aborted a multipart upload. Unit: attempts. */
  aborts?: number | null;
  /** All attempts, successful or not. Unit: attempts. */
  attempts: number;
  /** Failed attempts that were repeated. Unit: attempts. */
  retries?: number | null;
  /**
   * Attempts that the store refused with a request to slow down: 429, 503 or SlowDown. On R2 also 500 InternalError and
   * 500 without a code, which mean an overwhelmed bucket. Unit: attempts.
   */
  throttled?: number | null;
  /** Attempts that failed before they had a connection, so the store cannot have seen them. Unit: attempts. */
  unsent?: number | null;
  /** Operations that failed after all retries. Unit: operations. */
  failed?: number | null;
  /** Operations whose response did not match the written data. Unit: operations. */
  integrityErrors?: number | null;
  /**
   * Integrity errors whose version had certainly been replaced before the request was sent. Only in a mixed stage.
   * Unit: operations.
   */
  staleReads?: number | null;
  /**
   * Integrity errors whose ETag was not that of the only version that the store could return. Only in a mixed stage.
   * Unit: operations.
   */
  foreignReads?: number | null;
  /**
   * Integrity errors whose bytes do not belong to a single version that was begun. Only in a mixed stage. Unit:
   * operations.
   */
  tornReads?: number | null;
  /**
   * Reads for which a cache served a version that had been replaced before the request was sent. They count as
   * successes. Only in a mixed stage of the public client. Unit: operations.
   */
  staleByCache?: number | null;
  /** Operations on existing objects that got 404 although the list had contained the object. Unit: operations. */
  vanished?: number | null;
  /**
   * Operations on existing objects whose ETag differed from the listed one, and list pages with different keys than
   * before. Unit: operations.
   */
  changed?: number | null;
  /**
   * Operations on existing objects that cannot be read because they are archived (InvalidObjectState). Unit:
   * operations.
   */
  archived?: number | null;
  /** Operations that had no object because Write had not written it. Unit: operations. */
  skipped?: number | null;
  /** Operations cut off by the end of the stage. Unit: operations. */
  abandoned?: number | null;
  /**
   * Operations that completed during the warm-up, or were in flight when the process was suspended: included in totals,
   * excluded from rates and percentiles. Unit: operations.
   */
  warmupOperations?: number | null;
  /**
   * Bytes of objects that operations moved during the warm-up, or that were in flight when the process was suspended.
   * Unit: bytes.
   */
  warmupBytes?: number | null;
  /**
   * Operations that completed after the end of a timed stage: included in totals and percentiles, excluded from rates.
   * Unit: operations.
   */
  drainOperations?: number | null;
  /** Bytes of objects that operations moved after the end of a timed stage. Unit: bytes. */
  drainBytes?: number | null;
  /** Writes that may have taken effect, or still may, although no response confirmed it. Unit: operations. */
  unknownOutcomes?: number | null;
  /**
   * Thread time before the successful attempts of operations: failed attempts, the pauses after them, and late starts
   * in an open loop. Unit: ms.
   */
  timeLost?: number | null;
  /**
   * Thread time of operations that failed after all retries, or were cut off after a failed attempt, including late
   * starts. Unit: ms.
   */
  timeGivenUp?: number | null;
  /**
   * Races of Create and Swap without a successful response: the writes were throttled, or got no response. Reading the
   * object showed whose write was carried out; if none was, the race was repeated. Unit: operations.
   */
  undecidedRaces?: number | null;
}

/** A stage of one host, or of several hosts together. */
export interface StageSum extends CommonCounts {
  /** Name of the stage, such as Write, Read, Stat or Remove. Later versions may add stages. */
  stage: string;
  /**
   * How the stage ended: `complete`, all work done; `stopped`, on request; `unpaid`, at the cost limit; `stalled`, no
   * more successes; `overloaded`, an open loop fell behind its rate; `fatal`, an error after which nothing can succeed.
   * The worst end of several hosts. Null if unknown.
   */
  end: string | null;
  /** Objects assigned to the stage. Unit: objects. */
  objects?: number | null;
  /** Concurrent requests. */
  threads?: number | null;
  /** Size of an object; of the largest object if sizes differ. Null if hosts differ. Unit: bytes. */
  objectSize?: number | null;
  /** Sizes as given with `--size`, if they differ. Null if all are equal, or hosts differ. */
  sizes?: string | null;
  /** Access pattern as given with `--access`. Null if objects are accessed in order, or hosts differ. */
  access?: string | null;
  /**
   * Operations by object size, in ascending order, if sizes differ: one class for each size with a weight, or else for
   * each power of two (or of 4, 8 and so on). A mixed stage has them in its `kinds`.
   */
  sizeClasses?: readonly SizeClassSum[];
  /**
   * First and repeated reads of Read, Range and Stat, with `--access` or with a `--duration` in which objects are read
   * again; null in other stages. A mixed stage has them in its `kinds`.
   */
  reads?: ReadsSum | null;
  /** Start of the stage on the first host. Null if unknown. Unit: epoch ms. */
  startedAt: number | null;
  /** End of the stage on the last host. Null if unknown. Unit: epoch ms. */
  endedAt: number | null;
  /** Time from start to end. For one host, it excludes `paused`. Unit: ms. */
  duration: number | null;
  /**
   * How long the process, or its machine, was suspended: excluded from rates and percentiles. For several hosts, the
   * sum. Unit: ms.
   */
  paused?: number;
  /** Time at the start that is excluded from rates and percentiles. Unit: ms. */
  warmup?: number | null;
  /** Time after the end of a timed stage in which the last operations completed. Excluded from rates. Unit: ms. */
  drain?: number | null;
  /**
   * Successful operations divided by the duration, both without warm-up and drain; of a stage of several hosts, the
   * mean while all were in it, and null if they never were at once. Unit: ops/s.
   */
  average: number | null;
  /**
   * Most operations in one whole second of the stage, or the average if that is higher or no second is whole. Unit:
   * ops/s.
   */
  peak: number | null;
  /** Average throughput: bytes that successful operations moved, over the same time as `average`. Unit: bytes/s. */
  averageBytes?: number | null;
  /** Average rate of objects. Null unless each operation works on several objects. Unit: objects/s. */
  averageKeys?: number | null;
  /** Attempts that failed, repeated or not, except those cut off by the end of the stage. Unit: attempts. */
  failedAttempts?: number | null;
  /** Failed attempts by kind of error. */
  errors: Record<string, number>;
  /**
   * Figures that the other fields give, such as `rate`, `peak` and `p99`, by [name](../use/ci.md#figures). Computed for
   * JSON, and not read back. Null if unknown.
   */
  figures?: Record<string, number | null>;
  /** Every second in which the stage was active, whole or not. */
  seconds: readonly SecondResult[];
  /** Latencies of the stage. */
  latency: StageLatency;
  /** Connections of the stage. Null if unknown. */
  connections?: ConnectionResult | null;
  /** What the stage cost the client. Null if unknown. */
  clientLoad?: ClientLoad | null;
  /** Load of the host during the stage. Null if unknown, and for several hosts. */
  hostLoad?: HostLoad | null;
  /** How operations were started. Null if unknown, or if hosts differ. */
  load?: LoadResult | null;
  /** Latency without concurrent operations. Null if not measured, or if hosts differ. */
  unloaded?: UnloadedLatency | null;
  /**
   * Objects that Write would have needed to last until the end of its duration. Null if it had enough. Unit: objects.
   */
  objectsNeeded?: number | null;
  /** What limited the stage. Null if unknown, or if the hosts that know it differ. */
  bottleneck?: BottleneckSum | null;
  /**
   * The slowest operations that succeeded, slowest first: at most 20. In a search, those of its last step. Only for one
   * host, and not in a log.
   */
  slowest?: readonly NotedOperation[];
  /** The last operations that failed for good, in order: at most 20. Only for one host, and not in a log. */
  failures?: readonly NotedOperation[];
  /**
   * With `--find-peak`: the search. The stage's own figures are those of the hold, or of the best step; its failures
   * are those of all steps.
   */
  search?: SearchResult;
  /** With `--ramp`: the steps. For several hosts, the sums of each slot. */
  ramp?: RampResult;
  /** Each kind of operation of a mixed stage, in the order of the mix. Their counters add up to those of the stage. */
  kinds?: readonly KindSum[];
  /**
   * Read, Range and Stat operations by cache status, most frequent first. Only with `--client public`. A mixed stage
   * also has them in its `kinds`.
   */
  cache?: readonly CacheSum[];
  /**
   * The writes of the races of Create and Swap, by outcome. `winner`: carried out; `loser`: refused, because the
   * condition did not hold; `throttled`: refused with 429, 503 or SlowDown; `lost`: any other, such as a write without
   * a response. An operation of these stages is a whole race.
   */
  contenders?: readonly CacheSum[];
  /** Figures of each bucket, in the order of `S3_BUCKET`; buckets of several hosts are added up by name. */
  buckets?: readonly BucketSum[];
  /** What the hosts did together. Only in a merged result. */
  merge?: StageMerge;
}

/** A part of the operations of one kind. */
export interface PartSum {
  /** Operations that succeeded. Unit: operations. */
  operations: number;
  /** Bytes that those operations moved. Unit: bytes. */
  bytes: number;
  /** Average rate, as for the stage. Unit: ops/s. */
  average: number | null;
  /** Average throughput, as for the stage. Unit: bytes/s. */
  averageBytes: number | null;
  /** Latency of the operations, as for the stage. Null without operations. */
  latency: LatencySummary | null;
  /** Histogram of the operations, encoded like the histograms of the stage. */
  histogram: string | null;
}

/** Operations on objects of similar size. */
export interface SizeClassSum {
  /** Smallest object size of the class. Unit: bytes. */
  from: number;
  /** Largest object size of the class. Unit: bytes. */
  to: number;
  /** Operations that succeeded. Unit: operations. */
  operations: number;
  /** Bytes that those operations moved. Unit: bytes. */
  bytes: number;
  /** Average rate, as for the stage. Unit: ops/s. */
  average: number | null;
  /** Average throughput, as for the stage. Unit: bytes/s. */
  averageBytes: number | null;
  /** Latency of the operations, as for the stage. Null without operations. */
  latency: LatencySummary | null;
  /** Histogram of the operations, encoded like the histograms of the stage. */
  histogram: string | null;
}

/** Operations with the same cache status, or writes with the same outcome of a race. */
export interface CacheSum {
  /**
   * HIT, MISS, EXPIRED, REVALIDATED, STALE, UPDATING, BYPASS or DYNAMIC, from `cf-cache-status`, `x-cache`,
   * `x-cache-status` or `cache-status`; `none` without such a header, `other` for any other word. In a race, the
   * outcome of the write.
   */
  status: string;
  /** Operations that succeeded. Unit: operations. */
  operations: number;
  /** Bytes that those operations moved. Unit: bytes. */
  bytes: number;
  /** Average rate, as for the stage. Unit: ops/s. */
  average: number | null;
  /** Average throughput, as for the stage. Unit: bytes/s. */
  averageBytes: number | null;
  /** Latency of the operations, as for the stage. Null without operations. */
  latency: LatencySummary | null;
  /** Histogram of the operations, encoded like the histograms of the stage. */
  histogram: string | null;
  /** Highest `age` header of the responses. Null if no response had one. Unit: s. */
  maxAge: number | null;
}

/**
 * The first operation of the stage on each object, and all later operations, which a cache of the store may have
 * served.
 */
export interface ReadsSum {
  /** First operations of the stage on an object. */
  first: PartSum;
  /** Operations on objects that the stage had already read, or started to read. */
  repeated: PartSum;
}

/** A stage's figures for one bucket. */
export interface BucketSum {
  /** Name of the bucket. */
  bucket: string;
  /** Operations that succeeded. Unit: operations. */
  operations: number;
  /** Operations that did not succeed, including integrity errors. Unit: operations. */
  failed: number;
  /** Failed attempts, as for the stage. Unit: attempts. */
  failedAttempts: number;
  /** Attempts that the store refused with a request to slow down. Unit: attempts. */
  throttled: number;
  /** Average rate, as for the stage. Unit: ops/s. */
  average: number | null;
  /** Latency of the operations, as for the stage. Null without operations. */
  latency: LatencySummary | null;
  /** Histogram of the operations, encoded like the histograms of the stage. */
  histogram: string | null;
}

/** One kind of operation in a mixed stage. */
export interface KindSum extends CommonCounts {
  /** Kind of operation, such as write or read. */
  operation: string;
  /** Threads that the kind kept busy, on average. */
  threads?: number | null;
  /**
   * Successful operations divided by the duration, both without warm-up and drain; of a stage of several hosts, the
   * mean while all were in it, and null if they never were at once. Unit: ops/s.
   */
  average?: number | null;
  /**
   * Most operations in one whole second of the stage, or the average if that is higher or no second is whole. Unit:
   * ops/s.
   */
  peak?: number | null;
  /** Average throughput: bytes that successful operations moved, over the same time as `average`. Unit: bytes/s. */
  averageBytes?: number | null;
  /** Average rate of objects. Null unless each operation works on several objects. Unit: objects/s. */
  averageKeys?: number | null;
  /** Attempts that failed, repeated or not, except those cut off by the end of the stage. Unit: attempts. */
  failedAttempts?: number | null;
  /** Failed attempts by kind of error. */
  errors: Record<string, number>;
  /** Latency without concurrent operations. Null if not measured, or if hosts differ. */
  unloaded?: UnloadedLatency | null;
  /** What limited the stage. Null if unknown, or if the hosts that know it differ. */
  bottleneck?: BottleneckSum | null;
  /** Latencies of a stage. */
  latency: StageLatency;
  /**
   * Operations by object size, in ascending order, if sizes differ: one class for each size with a weight, or else for
   * each power of two (or of 4, 8 and so on). A mixed stage has them in its `kinds`.
   */
  sizeClasses?: readonly SizeClassSum[];
  /**
   * First and repeated reads of Read, Range and Stat, with `--access` or with a `--duration` in which objects are read
   * again; null in other stages. A mixed stage has them in its `kinds`.
   */
  reads?: ReadsSum | null;
  /**
   * Read, Range and Stat operations by cache status, most frequent first. Only with `--client public`. A mixed stage
   * also has them in its `kinds`.
   */
  cache?: readonly CacheSum[];
}

/** Operations that completed in one second. */
export interface SecondResult {
  /** Start of the second. Lines of a log are stamped with its end. Unit: epoch s. */
  secondStart: number;
  /**
   * Operations that completed in the second. A fraction if a log without counts was merged, because its rates are
   * rounded. Unit: operations.
   */
  operations: number;
  /** Bytes that those operations moved. Unit: bytes. */
  bytes: number;
  /**
   * Attempts that failed in the second, except those cut off by the end of the stage. Absent without failures, or if
   * unknown.
   */
  failedAttempts?: number;
  /** Failed attempts that the store refused with a request to slow down. */
  throttled?: number;
  /** Recorded requests of a replay that were due in the second. Absent in other stages, and in results from logs. */
  due?: number;
  /** Median latency. Unit: ms. */
  p50: number | null;
  /** 99th percentile of latency. Unit: ms. */
  p99: number | null;
  /** Longest latency. Unit: ms. */
  maximum: number | null;
  /**
   * Histogram of those operations without the warm-up, encoded like the histograms of the stage. Adding histograms
   * gives the percentiles of any time span and any set of hosts. Null if there were no operations, or if unknown.
   */
  histogram: string | null;
}

/** Latencies of a stage. */
export interface StageLatency {
  /** Unit of the summaries. */
  unit: 'ms';
  /**
   * Latency of operations: from the first attempt to success, including pauses. In an open loop, from the scheduled
   * start of the operation.
   */
  operations: LatencySummary | null;
  /** Latency of each attempt, including failed ones. */
  attempts: LatencySummary | null;
  /** For reads: time from the start of an attempt to the first byte of the response. */
  firstByte: LatencySummary | null;
  /** In an open loop: how late operations started. */
  startDelay: LatencySummary | null;
  /** For objects written in parts: latency of each part, from its first attempt to success. Null for other stages. */
  parts: LatencySummary | null;
  /**
   * Of the edge client: time that the Worker's call of its bucket binding took, by the Worker's clock, in whole ms.
   * Null for other clients.
   */
  binding: LatencySummary | null;
  /**
   * Of the edge client, for bodies above 1 MiB: time until the binding returned the first byte. Null for other stages.
   */
  bindingFirstByte: LatencySummary | null;
  /** All values, as histograms that can be added up. */
  histogram: StageHistograms;
}

/** All values, as histograms that can be added up. */
export interface StageHistograms {
  /** Encoding of the histograms. */
  encoding: 'HdrHistogram V2, compressed, base64';
  /** Unit of the values: microseconds. */
  unit: 'us';
  /** Histogram of operations. Null if unknown; an empty histogram if there are no values. */
  operations: string | null;
  /** Histogram of attempts. */
  attempts: string | null;
  /** Histogram of times to the first byte. */
  firstByte: string | null;
  /** Histogram of start delays. */
  startDelay: string | null;
  /** Histogram of parts. */
  parts: string | null;
  /** Histogram of the binding's times. */
  binding: string | null;
  /** Histogram of the binding's times to first byte. */
  bindingFirstByte: string | null;
}

/**
 * A summary of latencies. Percentiles are within 0.1% of the true value. Count, minimum, mean and maximum are exact for
 * a run, and within 0.1% if a log was merged.
 */
export interface LatencySummary {
  /** Number of values. */
  count: number;
  /** Shortest latency. Unit: ms. */
  minimum: number;
  /** Mean latency. Unit: ms. */
  mean: number;
  /** Median latency. Unit: ms. */
  p50: number;
  /** 90th percentile. Unit: ms. */
  p90: number;
  /** 95th percentile. Unit: ms. */
  p95: number;
  /** 99th percentile. Unit: ms. */
  p99: number;
  /** 99.9th percentile. Unit: ms. */
  p999: number;
  /** Longest latency. Unit: ms. */
  maximum: number;
}

/** The connections of a stage. */
export interface ConnectionResult {
  /** Connections opened since the previous stage. The first stage includes those opened before it. */
  opened: number;
  /** Requests over a connection that had already carried a request. */
  reused: number;
  /** Total time that requests waited for one of the client's sockets: with `--sdk-defaults`. Unit: ms. */
  socketWait?: number;
  /** Time of the DNS lookup. Null without a lookup. Unit: ms. */
  lookupTime: number | null;
  /** Time to connect. */
  tcp: LatencySummary | null;
  /** Time of the TLS handshake. Null over plain HTTP. */
  tls: LatencySummary | null;
  /**
   * Connections first used in the stage, by the Cloudflare data centre that responded, such as FRA. Empty with other
   * stores.
   */
  colos?: Record<string, number>;
}

/** What a stage cost the client. */
export interface ClientLoad {
  /** CPU time of the process in user space, on all cores. Unit: ms. */
  cpuUser: number;
  /** CPU time of the process in the kernel, on all cores. Unit: ms. */
  cpuSystem: number;
  /** Event loops that ran threads. */
  loops: number;
  /** Share of the time in which the busiest event loop was busy, 0 to 1. */
  eventLoopUtilization: number;
  /** Average number of busy event loops: the sum of their shares. */
  busyLoops: number;
  /**
   * True if other work may have run in the same process, whose CPU time and event loops then include that work. Only if
   * a program called the benchmark as a library.
   */
  shared?: boolean;
}

/**
 * The load of a host during a stage, and its limits. A figure is null if the system does not report it. Shares are from
 * 0 to 1.
 */
export interface HostLoad {
  /** All CPUs of the host. */
  cpu: CpuLoad | null;
  /** Event loops that ran threads. */
  loops: readonly LoopLoad[];
  /** Tightest CPU quota of the control groups of the process. Null without a quota. */
  quota: QuotaLoad | null;
  /** Traffic of the interface towards the store, including other processes. */
  network: NetworkLoad | null;
  /** TCP segments of the host, or of its network namespace. */
  tcp: TcpLoad | null;
  /** The embedded endpoint of `--local`. Null for other stores. */
  endpoint?: EndpointLoad | null;
}

/** All CPUs of the host. */
export interface CpuLoad {
  /** CPUs of the host. */
  cpus: number;
  /** CPUs that the process may use. */
  usable: number;
  /** Share of the time of all CPUs in which they were busy. */
  busy: number;
  /** Share of the time of all CPUs that the hypervisor gave to other machines. */
  steal: number;
  /** Share of the time in which the busiest CPU that the process may use was busy, including steal. */
  busiest: number;
  /** Number of CPUs that the process may use but other processes kept busy. */
  others: number;
}

/** One event loop. */
export interface LoopLoad {
  /** Share of the time in which the loop was busy. Time in which its thread waits for a CPU may count as either. */
  utilization: number;
  /** Share of the time in which its thread had a CPU. */
  running: number | null;
  /** Share of the time in which its thread was ready to run but had no CPU. */
  waiting: number | null;
  /** Median delay of timers. Unit: ms. */
  delayP50: number | null;
  /** 99th percentile of the delay of timers. Unit: ms. */
  delayP99: number | null;
}

/** Tightest CPU quota of the control groups of the process. Null without a quota. */
export interface QuotaLoad {
  /** Cores that the quota allows, including fractions. */
  cores: number;
  /** Share of the quota's periods in which the group was throttled. */
  throttled: number;
  /** Number of CPUs that the group could have used while it was throttled, on average. */
  heldBack: number;
}

/** Traffic of the interface towards the store, including other processes. */
export interface NetworkLoad {
  /** Name of the interface. */
  interface: string;
  /** Speed of the link. Null if it has none, or if unknown. Unit: bytes/s. */
  linkSpeed: number | null;
  /** Average traffic received. Unit: bytes/s. */
  received: number;
  /** Average traffic sent. Unit: bytes/s. */
  sent: number;
  /**
   * Share of the seconds in which one direction carried at least 95% of the link speed. Null without a whole second or
   * a link speed.
   */
  fullShare: number | null;
}

/** TCP segments of the host, or of its network namespace. */
export interface TcpLoad {
  /** Segments sent, without retransmissions. */
  sent: number;
  /** Segments retransmitted because no acknowledgement arrived. */
  retransmitted: number;
}

/** The embedded endpoint of `--local`. Null for other stores. */
export interface EndpointLoad {
  /** Average number of CPUs that its process used. */
  cpu: number;
  /** Share of the time in which the thread of its event loop had a CPU. */
  running: number;
  /** Share of the time in which that thread was ready to run but had no CPU. */
  waiting: number;
}

/** How operations were started. */
export interface LoadResult {
  /**
   * In a closed loop, each operation starts when the previous one ends. In an open loop, operations start on a
   * schedule.
   */
  mode: 'closed loop' | 'open loop';
  /** Requested rate of an open loop. Null in a closed loop. Unit: ops/s. */
  rate: number | null;
  /** Arrival of an open loop's operations. Null in a closed loop. */
  arrival: 'constant' | 'poisson' | 'recorded' | null;
}

/** The latency without concurrent operations. */
export interface UnloadedLatency {
  /** Operations measured. */
  count: number;
  /** Median latency. Unit: ms. */
  p50: number;
  /** Size of the objects. Smaller than in the stages if those objects would have taken too long. Unit: bytes. */
  size: number;
}

/** What limited a stage, as far as its figures show. */
export interface BottleneckSum {
  /**
   * `client CPU`, `host CPU`, `network link`, `store throttling`, `concurrency`, `store`, `bandwidth`, `requested
   * rate`, `overloaded`, `beyond this host` or `inconclusive`.
   */
  cause: string;
  /**
   * `proven` by the figures; `likely`, if only a precondition of the proof is missing; or `unknown`, if `cause` is
   * `inconclusive`. For several hosts, the lowest. Absent in results of earlier versions, whose causes are proven.
   */
  certainty?: 'proven' | 'likely' | 'unknown';
  /** The figures that show it, in one line. Null for several hosts. */
  evidence: string | null;
  /** How to find out more: an option, or a change of the arguments. Null if there is no advice. */
  advice: string | null;
}

/** A single operation, with what the operator of a store needs to find it. */
export interface NotedOperation {
  /** When it started. Unit: epoch ms. */
  time: number;
  /** Its name, such as `read`. */
  operation: string;
  /** Time from its start to its end. Unit: ms. */
  duration: number;
  /** Attempts it took. Unit: attempts. */
  attempts: number;
  /** Bucket of its object. */
  bucket: string;
  /** Key of its object. */
  key: string;
  /** HTTP status of the last response. Null without a response. */
  status: number | null;
  /** `x-amz-request-id` of the last response. Null if it had none, and with the SDK. */
  requestId: string | null;
  /** `cf-ray` of the last response. Null if it had none, and with the SDK. */
  ray: string | null;
  /** Kind of error. Null if the operation succeeded. */
  error: string | null;
}

/** The outcome of a capacity search. */
export interface SearchResult {
  /** The loads that were tried, in order. */
  steps: readonly SearchStep[];
  /** Smallest number of threads that did as much as any other number. Null without a plateau. */
  knee: number | null;
  /** Whether more threads stopped helping. Otherwise the capacity may be higher than the rate found. */
  hasPlateau: boolean;
  /** The capacity. Null if it could not be held. */
  capacity: Capacity | null;
  /** Rate of the best step. Unit: ops/s. */
  best: number;
  /** Minimum number of operations for another search, if this one ran out of objects. Unit: operations. */
  operationsNeeded: number | null;
  /** The search for the highest rate. `knee` and `capacity` are then null. */
  rate?: RateSearchResult;
}

/** The outcome of a search for the highest rate of an open loop. */
export interface RateSearchResult {
  /** Limit of the 99th percentile. Unit: ms. */
  slo: number;
  /** Share of the attempts that may fail, 0 to 1. */
  errorShare: number;
  /** How the highest rate relates to the one found. `none` if no rate was tried for long enough. */
  bound: RateBound;
  /** Highest rate found within the limits. Unit: ops/s. */
  operationsPerSecond: number | null;
  /** Interval of the highest rate. Null if the rate is only a bound. */
  interval: RateRange | null;
  /** The figures that show it, in one line. */
  evidence: string;
}

/** How the highest rate relates to the one found. `none` if no rate was tried for long enough. */
export type RateBound = 'exact' | 'at least' | 'at most' | 'none';

/** The interval of the highest rate. */
export interface RateRange {
  /** Lower end. Unit: ops/s. */
  low: number;
  /** Upper end. Unit: ops/s. */
  high: number;
  /** Confidence, 0 to 1. Null if the ends are a rate that was kept and a rate that was not. */
  confidence: number | null;
}

/** A load that a search tried. */
export interface SearchStep {
  /** Purpose of the step. */
  phase: 'ramp' | 'refine' | 'hold' | 'whole size' | 'half size';
  /** Concurrent requests. */
  threads: number;
  /** Size of an object. Unit: bytes. */
  objectSize: number;
  /** Start of the step. Unit: epoch ms. */
  startedAt: number;
  /** End of the step. Unit: epoch ms. */
  endedAt: number;
  /** Operations that succeeded, including those before the step settled. Unit: operations. */
  operations: number;
  /** Rate over the measured time. Unit: ops/s. */
  operationsPerSecond: number;
  /** Measured time. Unit: s. */
  seconds: number;
  /** Median latency. Unit: ms. */
  p50: number | null;
  /** 99th percentile of latency. Unit: ms. */
  p99: number | null;
  /** Attempts that failed, except those cut off by the end of the step. Unit: attempts. */
  errors: number;
  /** Failed attempts that the store refused with a request to slow down. Unit: attempts. */
  throttled: number;
  /** Operations that did not succeed. Unit: operations. */
  failed: number;
  /** Utilization of the busiest event loop, 0 to 1. */
  eventLoopUtilization: number;
  /** How long the process was suspended, which the measured time excludes. Absent without a suspension. Unit: ms. */
  paused?: number;
  /**
   * Rate at which operations were started, if the search varies it; absent in the closed loop with which it begins.
   * Unit: ops/s.
   */
  rate?: number;
  /**
   * Whether the rate stayed within the limits: `kept`, `missed`, or `client` if it was missed because of the client,
   * not the store.
   */
  verdict?: RateVerdict;
}

/**
 * Whether the rate stayed within the limits: `kept`, `missed`, or `client` if it was missed because of the client, not
 * the store.
 */
export type RateVerdict = 'kept' | 'missed' | 'client';

/** The steps of a ramp, in time slots that all hosts share. */
export interface RampResult {
  /** Steps, in the order of their slots. */
  steps: readonly RampStep[];
}

/**
 * The operations of a slot. Only whole seconds of the store's clock count, after the step has settled and before its
 * last operations complete, so that the seconds of hosts can be added up.
 */
export interface RampStep {
  /** Start of the slot. Unit: epoch s. */
  slotStart: number;
  /** Length of the slot. Unit: s. */
  slotSeconds: number;
  /** Hosts that had requests in flight during the slot. */
  hosts: number;
  /** Concurrent requests. 0 if nothing ran. */
  threads: number;
  /** First second that counts. Unit: epoch s. */
  secondStart: number;
  /** Operations that completed in each second that counts. */
  operations: readonly number[];
  /** Latency of those operations. Null without operations, or if unknown. */
  latency: LatencySummary | null;
  /** Histogram of those operations, encoded like the histograms of the stage. Unit: us. */
  histogram: string | null;
  /** Failed attempts in the whole slot. Unit: attempts. */
  errors: number;
  /** Failed attempts that the store refused with a request to slow down. Unit: attempts. */
  throttled: number;
  /**
   * Why the step does not count: it started late, ran out of objects, was suspended, had no success in the seconds that
   * count (`stalled`), or the stage ended during it. Null if it counts.
   */
  shortfall: RampShortfall | null;
}

/**
 * Why the step does not count: it started late, ran out of objects, was suspended, had no success in the seconds that
 * count (`stalled`), or the stage ended during it. Null if it counts.
 */
export type RampShortfall = 'late' | 'objects' | 'suspended' | 'stopped' | 'stalled' | 'overloaded' | 'fatal';

/** What the slots of a ramp show for all hosts together. */
export interface MergedRamp {
  /** Slots, in order. The stage's `ramp` has their seconds and latencies. */
  slots: readonly MergedSlot[];
  /** Hosts that missed a slot, or part of it, although they took part in others. */
  missing: readonly MissedSlots[];
  /** Whether a shard has no log, in which case no slot counts. */
  shardIsMissing: boolean;
  /** Smallest number of threads of all hosts that did as much as any other number. Null without a plateau. */
  knee: number | null;
  /** Whether more threads stopped helping. Otherwise the capacity may be higher than the rate found. */
  hasPlateau: boolean;
  /** Mean of the slots at the plateau. Null if no slot counts. */
  capacity: Capacity | null;
}

/** What all hosts did in a slot. */
export interface MergedSlot {
  /** Start of the slot. Unit: epoch s. */
  slotStart: number;
  /** Threads of all hosts. */
  threads: number;
  /** Hosts that had threads. */
  hosts: number;
  /** Mean rate over the seconds that count. Unit: ops/s. */
  operationsPerSecond: number;
  /** Standard error of the mean rate. Unit: ops/s. */
  error: number;
  /** Whether all hosts are present, so that the slot counts towards knee and capacity. */
  counts: boolean;
}

/** The slots that a host missed. */
export interface MissedSlots {
  /** Name of the host. */
  host: string;
  /** Starts of the slots. */
  slots: readonly number[];
  /** Reason for each slot. Null if the log has none. */
  shortfalls: readonly (RampShortfall | null)[];
}

/** The highest rate that a stage can sustain, measured by holding it. */
export interface Capacity {
  /** Mean rate of the hold. Unit: ops/s. */
  operationsPerSecond: number;
  /** Lower end of the interval. Unit: ops/s. */
  low: number;
  /** Upper end of the interval. Unit: ops/s. */
  high: number;
  /** Confidence of the interval, 0 to 1. */
  confidence: number;
  /** Concurrent requests. */
  threads: number;
  /** Duration of the hold. Unit: s. */
  seconds: number;
}

/** The outcome of a clean-up. */
export interface CleanupResult {
  /** Objects that were removed: lists showed them before, and no longer show them. Unit: objects. */
  removed: number;
  /** Uploads of the run that were aborted. Absent if uploads were not listed. */
  uploads?: number;
  /** Uploads of the run that the store still lists. -1 if they could not be counted. */
  uploadsLeft?: number;
  /** Older versions and delete markers removed, if a bucket keeps them. */
  versions: number;
  /** Objects of the run, and their versions, that the store still lists. -1 if they could not be counted. */
  left: number;
  /** Objects under the run's prefix that the run did not write. They are not removed. Unit: objects. */
  foreign: number;
  /** The buckets of the run in order, inferred from its objects, if it used others than those of `S3_BUCKET`. */
  otherBuckets: readonly (string | null)[] | null;
  /** Objects that the store did not delete, and requests that failed: one line each, at most 100. */
  problems: readonly string[];
  /** Number of further problems. */
  furtherProblems: number;
}

/** Requests that belong to no stage. */
export interface RequestCounts {
  /** Requests of preflight checks. Unit: requests. */
  preflight: number;
  /** Requests that measured the store's clock. Unit: requests. */
  clock: number;
  /** Requests that measured the unloaded latency. Unit: requests. */
  probe: number;
  /** Requests of clean-up. Unit: requests. */
  cleanup: number;
}

/** An assertion about a result, and its outcome. */
export interface ThresholdResult {
  /** The assertion as given with `--assert`, such as `read.p99 < 50ms`. */
  expression: string;
  /** Stage of the figure. Null for a figure of all stages. */
  stage: string | null;
  /** Name of the figure, as in [the table of figures](../use/ci.md#figures). */
  metric: string;
  /** Value of the figure. Null if unknown. */
  value: number | null;
  /** Limit of the assertion. Null if it depends on a figure of the baseline that is unknown. */
  limit: number | null;
  /** Unit of value and limit. A share is from 0 to 1. */
  unit: ThresholdUnit;
  /** Whether the assertion holds. Inconclusive if a figure is unknown. */
  outcome: ThresholdOutcome;
  /** The figures in words, or the reason why they are unknown. */
  message: string;
}

/** Unit of value and limit. A share is from 0 to 1. */
export type ThresholdUnit = 'ops/s' | 'bytes/s' | 'ms' | 'bytes' | 'share' | 'operations' | 'attempts' | 'objects' | 'threads';

/** Whether the assertion holds. Inconclusive if a figure is unknown. */
export type ThresholdOutcome = 'passed' | 'missed' | 'inconclusive';

/** The rate of all hosts together. */
export interface Rate {
  /** Operations per second. Unit: ops/s. */
  operationsPerSecond: number;
  /** Bytes per second. Null if unknown. Unit: bytes/s. */
  bytesPerSecond: number | null;
}

/** What merging adds to a result. */
export interface MergeResult {
  /** Rate in the peak second of each stage, by stage name. */
  peaks: Record<string, number>;
  /** False if no log has a date: times then count from midnight before the first line. */
  isDated: boolean;
  /** How well the seconds of the hosts can be compared. */
  clocks: ClockTrust;
  /** All warnings. */
  warnings: readonly MergeWarning[];
}

/** How well the seconds of the hosts can be compared. */
export interface ClockTrust {
  /** The host whose clock offset is known least precisely. Null if no host has measured it. */
  worst: WorstClock | null;
  /** Hosts that did not measure their offset. Their own clocks are trusted. */
  trusted: readonly string[];
  /** Hosts whose logs have rates but no dates. They are assumed to be from the same day as the other hosts. */
  withoutMachineLines: readonly string[];
}

/** The host whose clock offset is known least precisely. */
export interface WorstClock {
  /** Maximum difference between its seconds and the store's, in either direction. Unit: ms. */
  uncertainty: number;
  /** Name of the host. */
  host: string;
}

/** Something unusual or missing. */
export interface MergeWarning {
  /** Name of the file, as given. */
  file: string;
  /** Line of the file. Null if the warning is about the whole file. */
  line: number | null;
  /** The warning. */
  message: string;
  /** Whether it makes the totals incomplete. */
  incomplete: boolean;
}

/** What the hosts of a stage did together. */
export interface StageMerge {
  /** Hosts that have the stage. */
  hosts: number;
  /** Whether a log is truncated, so that the true totals are higher. */
  isAtLeast: boolean;
  /** The second with the highest sum. */
  peak: PeakSecond;
  /** The best ten consecutive seconds. Null for a shorter stage. */
  sustained: Stretch | null;
  /** The mean rate while all hosts were in the stage. Null if there is no such whole second. */
  together: MeanTogether | null;
  /** How long the hosts were in the stage together. Null if a log does not have its times. */
  overlap: Overlap | null;
  /** One entry for each run of each host. */
  shares: readonly StageShare[];
  /** Why percentiles are unknown: one entry for each gap. Empty if they are known. */
  missingLatency: readonly MissingLatency[];
  /** What the slots of a ramp show. */
  ramp?: MergedRamp;
}

/** The second with the highest sum. */
export interface PeakSecond extends Rate {
  /**
   * Start of the second. Null if the rate is the mean of the stage or from a log's summary, and higher. Unit: epoch s.
   */
  secondStart: number | null;
  /** Hosts that contributed. */
  hosts: number;
}

/** A rate held over consecutive seconds. */
export interface Stretch extends Rate {
  /** Start of the first second. Unit: epoch s. */
  secondStart: number;
  /** Number of seconds. Unit: s. */
  seconds: number;
}

/** A mean rate over whole seconds. */
export interface MeanTogether extends Rate {
  /** Number of seconds. Unit: s. */
  seconds: number;
}

/** How long the hosts were in a stage together. */
export interface Overlap {
  /** Time in which all hosts were in the stage. Unit: ms. */
  together: number;
  /** Time in which at least one host was in the stage. Unit: ms. */
  any: number;
  /** When all hosts were in the stage for the first time. Null if they never were. Unit: epoch ms. */
  from: number | null;
  /** When all hosts were in the stage for the last time. Null if they never were. Unit: epoch ms. */
  to: number | null;
}

/** What one run of a host contributed to a stage. */
export interface StageShare {
  /** Name of the host. */
  host: string;
  /** Name of the file. */
  file: string;
  /** Start of the stage. Null if unknown. Unit: epoch ms. */
  startedAt: number | null;
  /** End of the stage. Null if unknown. Unit: epoch ms. */
  endedAt: number | null;
  /** Operations that succeeded. Unit: operations. */
  operations: number;
  /** Rate in the host's own peak second. Unit: ops/s. */
  peak: number;
  /** The host's bottleneck. Null if unknown. */
  limitedBy: string | null;
  /** How certain that is. */
  certainty: 'proven' | 'likely' | 'unknown' | null;
  /** The figures that show it. Null if unknown. */
  evidence: string | null;
  /** How to find out more. Null if there is no advice. */
  advice: string | null;
}

/** Why percentiles are unknown. */
export interface MissingLatency {
  /** Name of the host. */
  host: string;
  /** Name of the file. */
  file: string;
  /** Line of the log. Null for a JSON result. */
  line: number | null;
  /** The missing part. */
  reason: string;
}
