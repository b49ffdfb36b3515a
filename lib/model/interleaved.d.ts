import type { ComparedSide, MetricComparison } from './comparison.js';
import type { CleanupResult, RequestCounts, RunFacts } from './result.js';

// The result of comparing two setups in turns (`ab --json`). In a comparison, `before` is A and `after` is B.

export type Side = 'a' | 'b';

export interface InterleavedComparison {
  kind: 'ab';
  /** version of this format, see INTERLEAVED_FORMAT */
  format: number;
  /** why the comparison did not start, or ended early: one line each, with the name of the side */
  problems: string[];
  before: ComparedSide;
  after: ComparedSide;
  /** share below which a change counts as no change, such as 0.03 */
  margin: number;
  /** of each interval, such as 0.95 */
  confidence: number;
  a: SetUp;
  /** null if A was refused, so that B was not tried */
  b: SetUp | null;
  quadsPlanned: number;
  /** completed quads in order */
  quads: Quad[];
  /** in order; empty without quads */
  stages: InterleavedStage[];
}

/** One setup as it was run, without secrets. */
export interface SetUp extends RunFacts {
  /** value of `--a` or `--b` */
  given: string;
  bucketNames: readonly string[];
  /** null if there was nothing to clean up */
  cleanup: CleanupResult | null;
  /** requests outside the stages */
  requests: RequestCounts;
}

/** Four passes in a row. */
export interface Quad {
  order: QuadOrder;
  passes: Pass[];
}

/** In both orders, A and B have the same mean time. */
export type QuadOrder = 'ABBA' | 'BAAB';

/** A pass that is about to start. */
export interface Turn {
  side: Side;
  /** zero-based; null for the warm-up passes */
  quad: number | null;
  /** ms for all quads; null if unknown */
  timeLeft: number | null;
}

/** Runs all stages once with one setup. */
export interface Pass {
  side: Side;
  stages: PassStage[];
}

export interface PassStage {
  stage: string;
  /** epoch ms */
  startedAt: number;
  /** ms */
  duration: number;
  /** successful operations */
  operations: number;
  /** failed attempts, retried or not */
  failedAttempts: number;
  /** by the name of the figure; null if unknown because nothing succeeded */
  metrics: Record<string, number | null>;
}

export interface InterleavedStage {
  stage: string;
  metrics: InterleavedMetricComparison[];
  failedAttempts: Record<Side, number>;
}

/** `before` and `after` are geometric means over the passes, so that `ratio` is their quotient. */
export interface InterleavedMetricComparison extends MetricComparison {
  /** natural logarithms of B ÷ A, one per quad for which it is known */
  logRatios: number[];
  /** p-value of the t test, before correction for multiple tests; null if there are too few quads */
  tTest: number | null;
  /** p-value of the exact sign-flip test, also uncorrected; null if there are too few quads */
  signFlip: number | null;
  /** estimated additional quads for a decision; null if decided, if no more are possible, or if the tests disagree */
  moreQuads: number | null;
}
