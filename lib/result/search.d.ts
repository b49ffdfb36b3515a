import type { RateBound, SearchResult, SearchStep } from './result.js';

export type SearchPhase = SearchStep['phase'];

/** What kept a search from finding more: a limit on its threads, time, objects or dollars; or Write's `leftovers`. */
export type LimitingResource = 'threads' | 'time' | 'objects' | 'leftovers' | 'dollars';

export interface SearchConclusion extends Pick<SearchResult, 'knee' | 'hasPlateau' | 'capacity' | 'best'> {
  /** whether the hold confirmed the steps */
  holdAgrees: boolean;
  /** minimum number of operations for the whole search; null unless it ran out of objects */
  operationsNeeded: number | null;
  limitingResource: LimitingResource | null;
}

/** What a search for the highest rate concludes from its steps. */
export interface RateConclusion extends Pick<SearchConclusion, 'operationsNeeded' | 'limitingResource'> {
  bound: RateBound;
  /** ops/s; null if no rate was tested for long enough */
  rate: number | null;
  interval: { low: number; high: number; confidence: number | null } | null;
  /** ops/s, and p99 in ms, of the last successful hold */
  held: { rate: number; p99: number } | null;
  /** whether the client, rather than the store, failed to sustain a higher rate */
  isClientLimited: boolean;
}
