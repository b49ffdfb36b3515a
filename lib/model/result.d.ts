import type { StageName } from '../log/log-line.js';
import type schema from './result.schema.json' with { type: 'json' };
import type { ChecksumName, SizeDistribution } from './run-config.js';
import type { SearchPhase } from './search.js';

// What a result is. result.schema.json says it to everybody else, with the unit of each figure; read-result.js,
// write-result.js and add-results.js are what can be done with one.

/** What one run measured, or several hosts together: what `--json` writes. */
export interface Result extends CommonFacts {
  /** of this shape, see FORMAT */
  format: number;
  /** of the process; null where it is not known */
  exitStatus: number | null;
  /** why the run could not begin, or had to end: a line each */
  problems: string[];
  /** in the order in which they were given; a run has one */
  hosts: HostResult[];
  /** in their order */
  stages: StageSum[];
  cleanup: CleanupResult | null;
  /** that are no stage's; null where they are not known */
  requests: RequestCounts | null;
  /** what was asserted of the result, in the order in which it was; an earlier version had none */
  thresholds?: readonly ThresholdResult[];
  /** what merging adds */
  merge?: MergeResult;
}

/** The facts of a run, as far as all hosts of a result have them in common; null where they differ, or are not known. */
export type CommonFacts = {
  run: string | null;
  host: string | null;
  shard: string | null;
  start: string | null;
  clock: ClockFacts | null;
  versions: Record<string, string | null> | null;
  options: CommonOptions | null;
};

export type CommonOptions = { [Name in keyof RunOptions]?: RunOptions[Name] | null };

export type HostResult = CommonFacts & { merge?: HostOrigin };

/** Where the host of a merged result comes from. */
export interface HostOrigin {
  /** unlike those of the other hosts */
  name: string;
  file: string;
  /** of a log, at which the run begins; null for a result */
  line: number | null;
}

/** What merging says of all hosts. */
export interface MergeResult {
  /** ops/s in the peak second of each stage */
  peaks: Record<string, number>;
  /** whether moments are those of a date; otherwise they count from midnight before the first line */
  isDated: boolean;
  clocks: ClockTrust;
  warnings: MergeWarning[];
  /** where hosts reached the objects in several ways: each by itself, in the order of the hosts */
  ways?: readonly WayResult[];
}

/** How operations come from a host to the objects. What a log does not say is null. */
export interface Way {
  /** of whatever version */
  client: string | null;
  /** of the edge client: whether each operation was a request to the Worker, which makes them next to its binding otherwise */
  through: boolean;
  /** whether connections are used again; null at a binding, where an operation has none */
  keepAlive: boolean | null;
  /** ms by which the clock goes on that all latencies are of; null where it is finer than they are written */
  clockResolution: number | null;
}

/** What the hosts did that reached the objects in one way: the same as if they alone had been merged. */
export interface WayResult extends Way {
  /** their names */
  hosts: readonly string[];
  /** in their order */
  stages: readonly WayStage[];
}

export interface WayStage extends WayFigures {
  stage: string;
  /** epoch ms; null where it is not known, and of turns, between which another way had its own */
  startedAt: number | null;
  endedAt: number | null;
  /** null where a host does not tell */
  connections: Pick<ConnectionCounts, 'opened' | 'reused'> | null;
  /** of a stage that mixes operations: each kind by itself, where all hosts tell them apart */
  kinds?: readonly WayKind[];
}

/** The operations of one kind, as a {@link WayStage} has them. */
export type WayKind = { operation: string } & WayFigures;

export interface WayFigures {
  /** that succeeded */
  operations: number;
  attempts: number;
  /** those that the end of the stage cut off are not among them */
  failedAttempts: number;
  /** ops/s while all of the hosts were in the stage; of one host, and of a kind, the average of the stage */
  operationsPerSecond: number | null;
  /** ms, of operations; null where a host does not tell */
  latency: LatencySummary | null;
  /** in µs, as in {@link StageHistograms} */
  histogram: string | null;
}

/** How far the seconds of the hosts can be compared. */
export interface ClockTrust {
  /** ± ms by which a host's seconds may differ from those of the store, where hosts have measured it */
  worst: { uncertainty: number; host: string } | null;
  /** hosts that have not: their own clocks are trusted */
  trusted: string[];
  /**
   * hosts whose logs say no date and count in rates: taken to be of the other hosts' day, or of one day
   */
  withoutMachineLines: string[];
}

export interface MergeWarning {
  /** as the caller named it */
  file: string;
  /** null where the warning is about the whole file */
  line: number | null;
  message: string;
  /** whether something that belongs to the total is missing from it, or was never done */
  incomplete: boolean;
}

/** Whether what was asserted holds; inconclusive where a figure is not known. */
export type ThresholdOutcome = 'passed' | 'missed' | 'inconclusive';

/** The units of figures that can be asserted; a share is from 0 to 1. */
export type ThresholdUnit =
  'ops/s' | 'bytes/s' | 'ms' | 'bytes' | 'share' | 'operations' | 'attempts' | 'objects' | 'threads';

/** What was asserted of a result, and whether it holds. */
export interface ThresholdResult {
  /** as `--assert` takes it, such as `read.p99 < 50ms` */
  expression: string;
  /** as `stages` have it; null where it is a figure of all of them */
  stage: string | null;
  /** a name of the table in docs/ci.md */
  metric: string;
  /** null where it is not known */
  value: number | null;
  /** null where it depends on a figure of the baseline that is not known */
  limit: number | null;
  /** of value and limit */
  unit: ThresholdUnit;
  outcome: ThresholdOutcome;
  /** the figures in words, or why they are not known: a line that can stand after the expression */
  message: string;
}

/** A stage of a result that was read, or of several hosts: what a host does not tell, or they differ in, is null. */
export type StageSum = Pick<StageResult, KnownField> & {
  [
    Field in Exclude<
      keyof StageResult,
      KnownField | 'stage' | 'end' | 'bottleneck' | 'kinds' | 'buckets' | 'ramp' | keyof PartsSum
    >
  ]?: StageResult[Field] | null;
} & {
  /** of whatever version, as the cause of its bottleneck and its end are */
  stage: string;
  end?: string | null;
  bottleneck?: BottleneckSum | null;
  kinds?: readonly KindSum[];
  buckets?: readonly BucketSum[];
  /** steps in slots; of several hosts, the sums of each slot */
  ramp?: RampResult;
  /** counters that only a later version knows, by their names */
  further?: Record<string, number>;
  merge?: StageMerge;
} & PartsSum;

/** A part of the operations of one kind, as a sum has it. */
export type PartSum = Omit<PartResult, 'average' | 'averageBytes'> & {
  average: number | null;
  averageBytes: number | null;
};

export interface PartsSum {
  sizeClasses?: readonly ({ from: number; to: number } & PartSum)[];
  reads?: { first: PartSum; repeated: PartSum };
}

/** The operations of one kind, as a {@link StageSum} has them. */
export type KindSum = Pick<KindResult, 'operation' | 'errors' | 'latency'> & {
  [Field in Exclude<keyof KindResult, 'operation' | 'errors' | 'latency' | 'bottleneck' | keyof PartsSum>]?:
    KindResult[Field] | null;
} & { bottleneck?: BottleneckSum | null } & PartsSum;

/** What is done in one bucket, as a {@link StageSum} has it. */
export type BucketSum = Omit<BucketResult, 'average'> & { average: number | null };

/** The figures are those of each host alone: they are null for several. */
export type BottleneckSum = { cause: string; evidence: string | null; advice: string | null };

type KnownField = 'operations' | 'bytes' | 'attempts' | 'errors' | 'seconds' | 'latency';

/** What can be said of the hosts of a stage together. */
export interface StageMerge {
  /** that have the stage */
  hosts: number;
  /** whether a log is cut short, so that there was more */
  isAtLeast: boolean;
  peak: PeakSecond;
  /** null where no ten seconds follow each other */
  sustained: Stretch | null;
  /** null where there is no whole second in which all hosts were in the stage */
  together: MeanTogether | null;
  /** ops/s: of the hosts' own best seconds, an upper bound: they may be different seconds */
  sumOfPeaks: number;
  /** null where a log does not say when the stage was */
  overlap: Overlap | null;
  /** one for each run of each host */
  shares: StageShare[];
  missingLatency: MissingLatency[];
  /** counters that a log does not tell, so that they hold the other hosts' alone; absent where all of them are told */
  untold?: readonly CountName[];
  /** where the hosts went through the steps of a ramp */
  ramp?: MergedRamp;
}

/** A rate of all hosts together. */
export type Rate = { operationsPerSecond: number; bytesPerSecond: number | null };

/**
 * The second with the largest sum, and how many hosts contributed. `secondStart` is null where it is the mean of a stage
 * that has no full second.
 */
export type PeakSecond = Rate & { secondStart: number | null; hosts: number };

/** A rate that was held from the beginning of a second on. */
export type Stretch = Rate & { secondStart: number; seconds: number };

/** The mean over so many whole seconds. */
export type MeanTogether = Rate & { seconds: number };

/** How long hosts were in a stage together. */
export interface Overlap {
  /** ms in which all hosts were in the stage */
  together: number;
  /** ms in which at least one was */
  any: number;
  /** epoch ms at which all hosts were in for the first time; null where they never were */
  from: number | null;
  /** epoch ms at which they were for the last time */
  to: number | null;
}

/** What one run of a host contributed to a stage. */
export interface StageShare {
  host: string;
  file: string;
  /** epoch ms; null where it is not known */
  startedAt: number | null;
  endedAt: number | null;
  operations: number;
  /** the host's own, in ops/s */
  peak: number;
  /** what the host says it was limited by; null where it does not */
  limitedBy: string | null;
  /** the figures that show it; absent where it does not say them */
  evidence?: string | null;
  /** what would tell more; absent, or null, where there is nothing */
  advice?: string | null;
  /** its seconds, where they were asked for */
  series?: HostSeries | null;
}

/** What one run of a host did in the seconds of a stage, in little room. */
export interface HostSeries {
  /** epoch s of the first */
  secondStart: number;
  /** operations in tenths, see encodeSeconds */
  tenths: string;
  /** bytes of an operation, on average */
  operationBytes: number;
  /** where objects are of several sizes: those of each second, see encodeSeconds */
  bytes?: string;
  /** in their order; none where the latencies are not known */
  minutes: MinuteLatency[];
}

/** The latencies of a minute, in ms. */
export interface MinuteLatency {
  /** epoch s, a multiple of 60 */
  minuteStart: number;
  p50: number;
  p99: number;
  maximum: number;
  /** in µs, as in {@link StageHistograms} */
  histogram: string;
}

/** What the slots of a ramp show of all hosts together. Rates are ops/s. */
export interface MergedRamp {
  of: RampKind;
  /** in their order */
  slots: MergedSlot[];
  /** the hosts that have no whole step of a slot, though they took part in others */
  missing: MissedSlots[];
  /** whether a shard has no log, so that no sum is known to be whole */
  shardIsMissing: boolean;
  /** the fewest threads of all hosts that did as much as any others; null where no slot counts */
  knee: number | null;
  /** whether more threads brought no more; otherwise the capacity is higher than what was found */
  hasPlateau: boolean;
  /** of the slots that did as much as any others; null where no slot counts */
  capacity: Capacity | null;
  /** where hosts joined one after the other: whose limit it was; null for a ramp of threads */
  limit: RampLimit | null;
}

/** What all hosts did in a slot. */
export interface MergedSlot {
  /** epoch s */
  slotStart: number;
  /** of all hosts */
  threads: number;
  /** that had threads */
  hosts: number;
  /** the mean of the seconds that count */
  operationsPerSecond: number;
  /** its standard error */
  error: number;
  /** whether no host is missing, so that it counts towards knee and capacity */
  counts: boolean;
}

export interface MissedSlots {
  host: string;
  /** epoch s */
  slots: number[];
  /** null where its log has nothing of them */
  shortfalls: (RampShortfall | null)[];
}

/**
 * Whose limit a ramp of hosts shows: of each host's own side, or of what they share. `unknown` comes with what would have
 * to be known.
 */
export interface RampLimit {
  side: 'hosts' | 'shared' | 'unknown';
  lacks: 'slots' | 'proportion' | 'newcomer' | null;
  /** that were compared: the first, one with fewer hosts, and the last */
  slots: { hosts: number; operationsPerSecond: number }[];
}

export type MissingLatency = { host: string; file: string; line: number | null; reason: string };

/** What a run came to, for the process that made it. */
export interface RunResult {
  facts: RunFacts;
  /** why the run could not begin, or had to end: a line each */
  problems: string[];
  /** whether none of the problems is one of usage, configuration or credentials */
  mayPass: boolean;
  /** objects for which the run was refused */
  existing: { readable: { objects: number; size: number; sizes?: SizeDistribution } | null } | null;
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
  /** bytes of an object; of the largest, where they are not all of one size */
  size: number;
  /** `--size`, where they are not all of one size */
  sizes?: string;
  /** `--access`, where objects are not read one after the other */
  access?: string;
  stages: readonly string[];
  client: 'direct' | 'sdk' | 'edge';
  /** of the edge client: each operation was a request to the Worker, its body included */
  through?: boolean;
  /** ms by which the clock goes on that all latencies are of; absent where it is finer than they are written */
  clockResolution?: number;
  endpoint: string;
  /** where it is the one that the tool brings */
  local?: true;
  /** what that endpoint does wrong, as --faults has it; absent where it does not */
  faults?: string;
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
  /** as --mix has it, where operations are mixed */
  mix?: string;
  /** bytes of an object that Range reads, where there is that stage */
  rangeSize?: number;
  /** keys of a page of List, likewise */
  pageSize?: number;
  /** objects of a request that removes several, likewise */
  batch?: number;
  /** where every object is written in parts, and not only those that are too large for a single request */
  multipart?: true;
  /** bytes of a part, where objects are written in parts; more where an object would have too many of them */
  partSize?: number;
  /** parts that a thread sends at a time, likewise */
  partThreads?: number;
  /** that each object was written with, where there was one */
  checksum?: ChecksumName;
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
  /** where its stages go through steps with ever more threads: those of this host in each of them */
  ramp?: readonly number[];
  /** where its stages go through steps with ever more hosts: shard i joins in slot i, with all its threads */
  rampHosts?: true;
  /** ms of such a step */
  stepTime?: number;
  /** what they vary, where it is not the threads */
  peakOf?: Exclude<SearchDimension, 'threads'>;
  /** ops/s: of a search over buckets */
  target?: number;
  /** ms: of a search for the highest rate */
  slo?: number;
  /** half-width of the 95% interval of a stage's mean rate that ends it, as a share of the mean */
  untilStable?: number;
  /** what the keys of the objects begin with, where they were there before; `*` for all; size is then that of the largest one */
  existing?: string;
}

/** ms: the store's clock is so far ahead of this host's */
export type ClockFacts = { offset: number; uncertainty: number };

/** Latencies of a stage, in ms. */
export interface StageLatency {
  unit: 'ms';
  /** from the first attempt to success, pauses included; in an open loop from the moment at which the operation was to start */
  operations: LatencySummary | null;
  /** each by itself, failed ones included */
  attempts: LatencySummary | null;
  /** of reads: from an attempt's start to the first byte of its answer */
  firstByte: LatencySummary | null;
  /** in an open loop: how late the operations started */
  startDelay: LatencySummary | null;
  /** of objects that are written in parts: those of the parts, as the operations'; absent where there are none */
  parts?: LatencySummary | null;
  histogram: StageHistograms;
}

/** All values in µs; null where they are not known. */
export interface StageHistograms {
  encoding: 'HdrHistogram V2, compressed, base64';
  unit: 'us';
  operations: string | null;
  attempts?: string | null;
  firstByte?: string | null;
  startDelay?: string | null;
  parts?: string | null;
}

/** A finished stage, as the reports take it. Times are epoch ms, latencies ms, rates ops/s. */
export interface StageResultFields {
  stage: StageName;
  end: StageEnd;
  /** that the stage was given */
  objects: number;
  threads: number;
  /** bytes; of the largest object, where they are not all of one size */
  objectSize: number;
  /** as `--size` has them, where not all objects are of one size */
  sizes?: string;
  /** as `--access` has it, of a stage whose objects do not come one after the other */
  access?: string;
  /** by the size of the object, in ascending order, where they are not all of one; of a stage that mixes, each kind has them */
  sizeClasses?: readonly SizeClassResult[];
  /** of a stage that may read an object again; of one that mixes, each kind that reads has them */
  reads?: ReadsResult;
  startedAt: number;
  endedAt: number;
  /** ms, without those of `paused` */
  duration: number;
  /** ms in which the process, or its machine, was suspended: in no rate and no percentile; absent where it was not */
  paused?: number;
  /** ms at the beginning that are in no rate and no percentile */
  warmup: number;
  /** ms after the time of a stage that time ends, in which the last operations completed */
  drain: number;
  /** operations that succeeded ÷ duration, both without warm-up and drain */
  average: number;
  /** see peakOf */
  peak: number;
  /** bytes/s: as the average, of the objects' bytes */
  averageBytes: number;
  /** objects a second, of operations that are about several of them: their mean number × average */
  averageKeys?: number;
  /** see peakBytesOf */
  peakBytes: number;
  /** those that the end of the stage cut off are not among them */
  failedAttempts: number;
  seconds: readonly SecondResult[];
  latency: StageLatency;
  connections: ConnectionResult;
  clientLoad: ClientLoad;
  /** null where it was not looked at: a sum over several hosts, or an earlier version's result */
  hostLoad: HostLoad | null;
  load: LoadResult;
  /** null where it was not measured */
  unloaded: UnloadedLatency | null;
  /** of a Write that had no objects left before its time was over: so many would have lasted */
  objectsNeeded: number | null;
  /** what the stage was limited by */
  bottleneck: Bottleneck;
  /** as it was known at the stage's end */
  storeClock: ClockFacts | null;
  /** where the stage was to end once its mean rate is known well enough */
  stability?: StabilityResult;
  /** where the peak was searched for */
  search?: SearchResult;
  /** where the stage went through steps in slots; its bottleneck is that of the step with the most threads */
  ramp?: RampResult;
  /** of a stage that mixes operations: each kind by itself, in the order in which the stage names them */
  kinds?: readonly KindResult[];
  /** in the order of the run's list */
  buckets: readonly BucketResult[];
}

/** How well the mean rate of a stage is known, from whole seconds after the warm-up. Rates are ops/s. */
export interface StabilityResult {
  /** the share of the mean that the half-width of its 95% interval was to reach, 0 to 1 */
  precision: number;
  /** whether it did, which ended the stage */
  isStable: boolean;
  /** that were looked at */
  seconds: number;
  /** null where there were too few of them; likewise the ends of the interval */
  mean: number | null;
  low: number | null;
  high: number | null;
}

/** A part of the operations of one kind. */
export interface PartResult {
  /** that succeeded */
  operations: number;
  /** of them */
  bytes: number;
  /** ops/s: as the stage's */
  average: number;
  /** bytes/s: as the stage's */
  averageBytes: number;
  /** ms, of operations as the stage's; null where there are none */
  latency: LatencySummary | null;
  /** in µs, as in {@link StageHistograms} */
  histogram: string | null;
}

/** Operations on objects of about one size: from so many bytes to so many, both included. */
export type SizeClassResult = { from: number; to: number } & PartResult;

/** The first operation of a stage on each object, and all later ones. */
export type ReadsResult = { first: PartResult; repeated: PartResult };

/** What a stage did in one bucket. Its kinds of operations are taken together: each has the same share in every bucket. */
export interface BucketResult {
  bucket: string;
  /** that succeeded */
  operations: number;
  /** operations that did not, those with wrong content included */
  failed: number;
  /** those that the end of the stage cut off are not among them */
  failedAttempts: number;
  /** those of them by whose answer the store asked for fewer requests */
  throttled: number;
  /** ops/s: as the stage's */
  average: number;
  /** ms, of operations as the stage's; null where there are none */
  latency: LatencySummary | null;
  /** in µs, as in {@link StageHistograms} */
  histogram: string | null;
}

/** The operations of one kind in a stage that mixes several. Their counts add up to the stage's. */
export type KindResult = { operation: string } & KindFields & StageCounts;

/** The threads are those that the kind kept busy on average. */
type KindFields = Pick<
  StageResultFields,
  | 'threads'
  | 'average'
  | 'peak'
  | 'averageBytes'
  | 'peakBytes'
  | 'failedAttempts'
  | 'latency'
  | 'unloaded'
  | 'bottleneck'
  | 'sizeClasses'
  | 'reads'
>;

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

export type ResultSchema = typeof schema;

/** The counters of a stage: their table is in result.schema.json. */
export type CountName = keyof ResultSchema['$defs']['counters']['properties'];

/** What is counted of a stage. */
export type StageCounts = Record<CountName, number> & {
  /** failed attempts by kind */
  errors: Record<string, number>;
};

/**
 * How a stage ended: all its work done, on request, because nothing succeeded any more, because the operations of an
 * open loop could no longer be started near their times, or by an error after which no operation of the run can
 * succeed.
 */
export type StageEnd = 'complete' | 'stopped' | 'stalled' | 'overloaded' | 'fatal';

export interface SecondCount {
  /** the epoch second, named by its beginning: the lines of the log are stamped with its end */
  secondStart: number;
  /** that completed in it */
  operations: number;
  /** of those operations */
  bytes: number;
  /** in it; absent where there were none, or nobody looked: those that the end of the stage cut off are not among them */
  failedAttempts?: number;
  /** those of them by whose answer the store asked for fewer requests */
  throttled?: number;
}

/** The latencies of the operations that completed in one second, in ms; null where there were none, or are not known. */
export type SecondLatency = {
  p50: number | null;
  p99: number | null;
  maximum: number | null;
  /** in µs, as in {@link StageHistograms} */
  histogram: string | null;
};

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
  /** connections that were first answered in the stage, by the Cloudflare data center that did; an earlier version did not look */
  colos?: Record<string, number>;
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

/** What the host did meanwhile, and what it is limited to. What the system does not tell is null. Shares are 0 to 1. */
export interface HostLoad {
  cpu: CpuLoad | null;
  /** the event loops that carried threads */
  loops: readonly LoopLoad[];
  /** null where no control group limits the process */
  quota: QuotaLoad | null;
  /** share of the time in which something on the host had to wait for a CPU */
  pressure: number | null;
  network: NetworkLoad | null;
  /** TCP segments of the host, or of its network namespace; those sent again are counted apart */
  tcp: { sent: number; retransmitted: number } | null;
  /** of --local; null where the store is another, or the system does not tell; earlier versions did not look */
  endpoint?: EndpointLoad | null;
}

/** What the embedded endpoint had of this host's CPUs. */
export interface EndpointLoad {
  /** CPUs that its process used on average */
  cpu: number;
  /** share of the time in which the thread of its one event loop had a CPU */
  running: number;
  /** likewise, could have run and had none */
  waiting: number;
}

export interface QuotaLoad {
  cores: number;
  /** share of the quota's periods in which the group was held back */
  throttled: number;
  /** CPUs that it could have used while it was held back, on average */
  heldBack: number;
}

export interface CpuLoad {
  /** of the host */
  cpus: number;
  /** of those, which the process may use */
  usable: number;
  /** share of the time of all CPUs in which they worked */
  busy: number;
  /** likewise, idle while something waited for a disk */
  iowait: number | null;
  /** likewise, in which the hypervisor gave them to others */
  steal: number | null;
  /** the busiest of those that the process may use, with what was stolen of it */
  busiest: number;
  /** how many of those that the process may use other processes kept busy, all together */
  others: number;
}

export interface LoopLoad {
  /** share of the time in which the loop was busy; waiting for a CPU may count as either */
  utilization: number;
  /** share of the time in which its thread had a CPU */
  running: number | null;
  /** share of the time in which its thread could have run, and had none */
  waiting: number | null;
  /** ms by which half of the timers came too late, or more */
  delayP50: number | null;
  /** ms by which one in a hundred timers came too late, or more */
  delayP99: number | null;
  /** share of the time that the collection of garbage took */
  garbageCollection: number;
}

/** Traffic of the interface that carries what goes to the store, whoever caused it. */
export interface NetworkLoad {
  interface: string;
  /** bytes/s; null where it has none, or does not know */
  linkSpeed: number | null;
  /** bytes/s */
  received: number;
  /** bytes/s */
  sent: number;
  /** share of the seconds in which one direction was full; null where there was no whole second */
  fullShare: number | null;
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
export type BottleneckCause =
  | 'client CPU'
  | 'host CPU'
  | 'network link'
  | 'store throttling'
  | 'concurrency'
  | 'store'
  | 'bandwidth'
  | 'beyond this host'
  | 'inconclusive';

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
  /** whether more threads brought no more; otherwise the capacity is higher than what was found */
  hasPlateau: boolean;
  /** null where the peak could not be held */
  capacity: Capacity | null;
  /** ops/s of the best step that tried a number of threads */
  best: number;
  /** where there were too few: so many, or more, would have done */
  operationsNeeded: number | null;
  /** where --max-cost left too few: what it would have to be, at least */
  dollarsNeeded: number | null;
  /** what was varied; absent for threads */
  dimension?: Exclude<SearchDimension, 'threads'>;
  /** of a search over buckets; knee, hasPlateau, capacity and best are those of the first bucket alone */
  buckets?: BucketSearchResult;
  /** of a search for the highest rate */
  rate?: RateSearchResult;
}

/** What a search varies. */
export type SearchDimension = 'threads' | 'buckets' | 'rate';

/** ops/s with the ends of the interval that holds the true rate with this confidence. */
export interface RateInterval {
  operationsPerSecond: number;
  low: number;
  high: number;
  confidence: number;
}

/** Whose limit it is, as far as a search over buckets shows it. */
export type BucketLimit = 'per bucket' | 'whole store' | 'inconclusive';

/** What so many buckets did together. */
export interface BucketRate {
  buckets: number;
  /** of all of them */
  threads: number;
  rate: RateInterval;
}

/** What a search over buckets found. */
export interface BucketSearchResult {
  limit: BucketLimit;
  /** in figures, one line */
  evidence: string;
  steps: BucketRate[];
  threadsPerBucket: number | null;
  /** for all buckets, where <threads> did not suffice */
  threadsNeeded: number | null;
  /** of a limit per bucket */
  perBucket: RateInterval | null;
  /** ops/s that were asked for */
  target: number | null;
  /** for the target; null where there is none, or more buckets do not bring it */
  bucketsNeeded: number | null;
}

/** How the highest rate lies to the one that was found; none where nothing was tried for long enough. */
export type RateBound = 'exact' | 'at least' | 'at most' | 'none';

/** Whether a step of an open loop stayed within its limits; where it did not, whether that was the client's doing. */
export type RateVerdict = 'kept' | 'missed' | 'client';

/** What a search for the highest rate of an open loop found. */
export interface RateSearchResult {
  /** ms that the 99th percentile may reach */
  slo: number;
  /** share of the attempts that may fail, 0 to 1 */
  errorShare: number;
  bound: RateBound;
  operationsPerSecond: number | null;
  /** confidence is null where the ends are a rate that was kept and one that was not */
  interval: { low: number; high: number; confidence: number | null } | null;
  /** in figures, one line */
  evidence: string;
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
  /** ms in which the process was suspended; absent where it was not */
  paused?: number;
  /** that took part, where a search varies them */
  buckets?: number;
  /** ops/s that were started, where a search varies them */
  rate?: number;
  /** of such a rate */
  verdict?: RateVerdict;
}

/** Of what a ramp takes more in each step: of the threads of each host, or of the hosts. */
export type RampKind = 'threads' | 'hosts';

/** The steps of a stage, in slots that are the same on every host. */
export interface RampResult {
  of: RampKind;
  /** in the order of their slots */
  steps: RampStep[];
}

/**
 * What was done in a slot. It counts in whole seconds of the store's clock, between the time in which it settles and the one
 * in which its last operations complete, so that the seconds of hosts can be added.
 */
export interface RampStep {
  /** epoch s */
  slotStart: number;
  /** s */
  slotSeconds: number;
  /** that had requests under way in it: 1, or 0, for a run */
  hosts: number;
  /** of those hosts */
  threads: number;
  /** epoch s of the first second that counts */
  secondStart: number;
  /** that completed in each of the seconds that count */
  operations: readonly number[];
  /** of those operations; null where there were none, or it is not known */
  latency: LatencySummary | null;
  /** in µs, as in {@link StageHistograms} */
  histogram: string | null;
  /** failed attempts of the whole slot */
  errors: number;
  /** those of them by whose answer the store asked for fewer requests */
  throttled: number;
  /** why the step is not whole, so that it does not count; null where it is */
  shortfall: RampShortfall | null;
}

/**
 * The host began the slot too late, ran out of objects in it, was suspended, or was stopped; or as {@link StageEnd}. `stalled` is also a step
 * without a success in the seconds that count, after which the stage goes on.
 */
export type RampShortfall = 'late' | 'objects' | 'suspended' | Exclude<StageEnd, 'complete'>;

/** What a stage does at most, found by holding it. */
export interface Capacity {
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
  /** uploads of the run that were aborted; absent where none were looked for */
  uploads?: number;
  /** those that the store still has, by its own count; -1 where they could not be counted */
  uploadsLeft?: number;
  /** those of them that are in another bucket than the list of buckets gives them; absent where there are none */
  uploadsMisplaced?: number;
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
