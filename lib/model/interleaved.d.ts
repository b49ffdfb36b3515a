import type { ComparedMetric, ComparedSide, MetricComparison } from './comparison.js';
import type { CleanupResult, RequestCounts, RunFacts, WayResult } from './result.js';

// What comparing two set-ups by turns comes to: what `ab --json` writes. What a comparison calls `before` is A here, and
// `after` is B.

export type Side = 'a' | 'b';

export interface InterleavedComparison {
  kind: 'ab';
  /** of this shape, see INTERLEAVED_FORMAT */
  format: number;
  /** why it could not begin, or had to end: a line each, with the name of the side */
  problems: string[];
  before: ComparedSide;
  after: ComparedSide;
  /** share of a change that counts as none, such as 0.03 */
  margin: number;
  /** of each interval, such as 0.95 */
  confidence: number;
  a: SetUp;
  /** null where A was refused before B was asked */
  b: SetUp | null;
  /** quads that were to be */
  quadsPlanned: number;
  /** those that came to their end, in their order */
  quads: Quad[];
  /** in their order; empty where there is no quad */
  stages: InterleavedStage[];
  /** A and B, where they reached the objects in different ways: each by itself, in the turns of all quads */
  ways?: readonly WayResult[];
}

/** One of the two, as it was run; nothing in it is secret. */
export interface SetUp extends RunFacts {
  /** what stood in `--a` or `--b` */
  given: string;
  bucketNames: readonly string[];
  /** null where nothing had to be cleaned up */
  cleanup: CleanupResult | null;
  /** that are no stage's */
  requests: RequestCounts;
}

/** Four passes in a row. */
export interface Quad {
  order: QuadOrder;
  passes: Pass[];
}

/** In both, the mean time of the As is that of the Bs. */
export type QuadOrder = 'ABBA' | 'BAAB';

/** What is known of a pass when it begins. */
export interface Turn {
  side: Side;
  /** its place, from 0; null for the passes before all quads */
  quad: number | null;
  /** ms of all quads; null where it is not known */
  timeLeft: number | null;
}

/** All stages, once, with one of the two. */
export interface Pass {
  side: Side;
  /** in their order */
  stages: PassStage[];
}

/** What a stage of a pass came to. */
export interface PassStage {
  stage: string;
  /** epoch ms */
  startedAt: number;
  /** ms */
  duration: number;
  /** that succeeded */
  operations: number;
  /** attempts that failed, retried or not */
  failedAttempts: number;
  /** null where it is not known, because nothing succeeded */
  metrics: Record<InterleavedMetric, number | null>;
}

/** ops/s; ms, of operations, twice; µs of CPU time per operation. */
export type InterleavedMetric = Extract<ComparedMetric, 'rate' | 'p50' | 'p99' | 'cpu'>;

export interface InterleavedStage {
  stage: string;
  metrics: InterleavedMetricComparison[];
  /** attempts that failed, in all quads */
  failedAttempts: Record<Side, number>;
}

/** `before` and `after` are geometric means over the passes, so that the ratio is that of the two. */
export interface InterleavedMetricComparison extends MetricComparison {
  metric: InterleavedMetric;
  /** natural logarithms of B ÷ A, one for each quad in which it is known */
  logRatios: number[];
  /** probability of the t test, before it is corrected for the number of tests; null where there are too few quads */
  tTest: number | null;
  /** that of the exact sign-flip test; likewise */
  signFlip: number | null;
  /** about so many quads in addition would tell; null where it can be told, no comparison has as many, or the tests disagree */
  moreQuads: number | null;
}
