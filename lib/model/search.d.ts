import type { BucketLimit, BucketRate, RateBound, RateInterval, SearchResult, SearchStep } from './result.js';

/** What a step of a capacity search is for. */
export type SearchPhase = SearchStep['phase'];

/**
 * What a search had too little of to find more: threads that it may use, time, objects or dollars; leftovers are objects
 * that Write has left.
 */
export type LimitingResource = 'threads' | 'time' | 'objects' | 'leftovers' | 'dollars';

/** What a search concludes from its steps. */
export interface SearchConclusion extends Pick<SearchResult, 'knee' | 'hasPlateau' | 'capacity' | 'best'> {
  /** whether the hold did what the steps had shown */
  holdAgrees: boolean;
  /** where they did not suffice: so many, or more, would have */
  needed: { operations: number; attempts: number } | null;
  /** what was too little to find more */
  limitingResource: LimitingResource | null;
  /** ops/s of the plateau's most threads, twice with objects of either size by turns; held: of the hold before them */
  halfSize: { whole: readonly [number, number]; half: readonly [number, number]; held: number } | null;
}

/** Why nothing can be said of the limit of a bucket. */
export type UnknownLimitReason =
  'no plateau' | 'too few threads' | 'too few operations' | 'client busy' | 'in between' | 'ended early';

/** What a search over buckets concludes from its steps. */
export interface BucketConclusion extends Pick<SearchConclusion, 'needed' | 'limitingResource'> {
  /** of the first bucket alone */
  one: SearchConclusion;
  steps: BucketRate[];
  /** null where one bucket alone has shown no plateau */
  threadsPerBucket: number | null;
  /** for all buckets; null where there are enough */
  threadsNeeded: number | null;
  limit: BucketLimit;
  /** null where the limit is known */
  reason: UnknownLimitReason | null;
  /** of a limit per bucket */
  perBucket: RateInterval | null;
}

/** What a search for the highest rate concludes from its steps. */
export interface RateConclusion extends Pick<SearchConclusion, 'needed' | 'limitingResource'> {
  bound: RateBound;
  /** ops/s; null where no rate was tried for long enough */
  rate: number | null;
  interval: { low: number; high: number; confidence: number | null } | null;
  /** ops/s and ms of the last hold that was kept */
  held: { rate: number; p99: number } | null;
  /** whether the client, and not the store, could not keep a higher rate */
  isClientLimited: boolean;
}
