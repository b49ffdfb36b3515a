import type { BucketLimit, BucketRate, RateBound, RateInterval, SearchResult, SearchStep } from './result.js';

export type SearchPhase = SearchStep['phase'];

/** What kept a search from finding more: a limit on its threads, time, objects or dollars; or Write's `leftovers`. */
export type LimitingResource = 'threads' | 'time' | 'objects' | 'leftovers' | 'dollars';

export interface SearchConclusion extends Pick<SearchResult, 'knee' | 'hasPlateau' | 'capacity' | 'best'> {
  /** whether the hold confirmed the steps */
  holdAgrees: boolean;
  /** minimum for the whole search; null if it had enough */
  needed: { operations: number; attempts: number } | null;
  limitingResource: LimitingResource | null;
  /** ops/s with the plateau's most threads: two measurements per object size, in turns; `held`: in the hold before */
  halfSize: { whole: readonly [number, number]; half: readonly [number, number]; held: number } | null;
}

export type UnknownLimitReason =
  'no plateau' | 'too few threads' | 'too few operations' | 'client busy' | 'in between' | 'ended early';

/** What a search over buckets concludes from its steps. */
export interface BucketConclusion extends Pick<SearchConclusion, 'needed' | 'limitingResource'> {
  /** of the first bucket alone */
  one: SearchConclusion;
  steps: BucketRate[];
  /** null if a single bucket showed no plateau */
  threadsPerBucket: number | null;
  /** for all buckets; null if there are enough */
  threadsNeeded: number | null;
  limit: BucketLimit;
  /** null if the limit is known */
  reason: UnknownLimitReason | null;
  /** of a limit per bucket */
  perBucket: RateInterval | null;
}

/** What a search for the highest rate concludes from its steps. */
export interface RateConclusion extends Pick<SearchConclusion, 'needed' | 'limitingResource'> {
  bound: RateBound;
  /** ops/s; null if no rate was tested for long enough */
  rate: number | null;
  interval: { low: number; high: number; confidence: number | null } | null;
  /** ops/s, and p99 in ms, of the last successful hold */
  held: { rate: number; p99: number } | null;
  /** whether the client, rather than the store, failed to sustain a higher rate */
  isClientLimited: boolean;
}
