import type { SearchResult } from './result.js';

/** What a step of a capacity search is for. */
export type SearchPhase = 'ramp' | 'refine' | 'hold' | 'whole size' | 'half size';

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
