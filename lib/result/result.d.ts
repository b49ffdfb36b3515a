import type {
  BottleneckSum,
  BucketSum,
  CleanupResult,
  ClockFacts,
  CommonCounts,
  CommonFacts,
  CommonOptions,
  ConnectionResult,
  KindSum,
  PartSum,
  RequestCounts,
  SecondResult,
  StageSum,
} from './result.schema.js';
import type { ClientName, SizeDistribution } from './config.js';

export * from './result.schema.js';

// The types of a published result are generated from result.schema.json: fields that a log does not contain, or in
// which hosts differ, may be missing. The types here describe a run in its own process, which knows all fields.

/** These fields, none of them null or absent. */
type Known<Type, Field extends keyof Type> = { [Name in Field]-?: Exclude<Type[Name], null> };

/** The outcome of a run, for its own process. */
export interface RunResult {
  facts: RunFacts;
  /** why the run did not start, or ended early: one line each */
  problems: string[];
  /** whether no problem is one of usage, configuration or credentials */
  isTransient: boolean;
  /** existing objects that are the reason for refusing the run, or that it could not remove: its marker */
  existing: { readable: { count: number; size: number; sizes?: SizeDistribution } | null } | null;
  /** number of the shard's first objects that a later run can read; 0 if none are kept */
  kept: number;
  /** the last stage may be incomplete */
  stages: StageResult[];
  /** null if there was nothing to remove */
  cleanup: CleanupResult | null;
  requests: RequestCounts;
  /** an unexpected error, or null */
  crash: unknown;
}

/** The facts of a run. They contain no secrets. */
export type RunFacts = Known<CommonFacts, 'run' | 'host' | 'shard' | 'start' | 'versions' | 'options'> &
  Pick<CommonFacts, 'clock'>;

export type CountName = keyof CommonCounts;

export type StageCounts = Known<StageSum, CountName | 'errors'>;

export type StageResult = Known<StageSum, Exclude<keyof StageSum, UnknownOfStage | 'kinds'>> &
  Pick<StageSum, UnknownOfStage> & {
    end: StageEnd;
    bottleneck: Bottleneck;
    kinds?: readonly KindResult[];
    buckets: readonly BucketResult[];
  };

/** Fields that a stage can lack, or that can be unknown. */
type UnknownOfStage =
  | 'hostLoad'
  | 'unloaded'
  | 'objectsNeeded'
  | 'slowest'
  | 'failures'
  | 'sizes'
  | 'access'
  | 'averageKeys'
  | 'search'
  | 'ramp'
  | 'merge'
  | 'figures'
  | 'reads';

/** One kind of operation in a mixed stage. */
export type KindResult = Known<KindSum, Exclude<keyof KindSum, 'unloaded' | 'averageKeys' | 'reads'>> &
  Pick<KindSum, 'unloaded' | 'averageKeys' | 'reads'> & { bottleneck: Bottleneck };

export type PartResult = PartSum & Known<PartSum, 'average' | 'averageBytes'>;

export type BucketResult = BucketSum & Known<BucketSum, 'average'>;

/** Operations by object size, by whether the object was read before, by cache status, and by outcome of a race. */
export type PartsSum = Pick<StageSum, 'sizeClasses' | 'reads' | 'cache' | 'contenders'>;

export type StageEnd = 'complete' | 'stopped' | 'unpaid' | 'stalled' | 'overloaded' | 'fatal';

/** What limited a stage. A cause needs figures that prove it and none against it: a wrong cause is worse than none. */
export type Bottleneck = Required<BottleneckSum> & { evidence: string };

export type SecondCount = Omit<SecondResult, keyof SecondLatency>;

export type SecondLatency = Pick<SecondResult, 'p50' | 'p99' | 'maximum' | 'histogram'>;

export type OpeningCosts = Pick<ConnectionResult, 'tcp' | 'tls' | 'colos'>;

export type SearchDimension = 'threads' | 'rate';
