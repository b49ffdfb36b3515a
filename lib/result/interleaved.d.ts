import type { ComparedSide, MetricComparison } from './comparison.js';
import type { Result } from './result.js';

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
  /** null if no turn of the side was completed */
  a: SetUp | null;
  b: SetUp | null;
  quadsPlanned: number;
  /** completed quads in order */
  quads: Quad[];
  /** in order; empty without quads */
  stages: InterleavedStage[];
}

/** One setup as its first turn ran, without secrets. */
export type SetUp = Result['hosts'][number] & {
  /** value of `--a` or `--b` */
  given: string;
  bucketNames: readonly string[];
};

/** Four turns in a row. */
export interface Quad {
  order: QuadOrder;
  passes: Pass[];
}

/** In both orders, A and B have the same mean time. */
export type QuadOrder = 'ABBA' | 'BAAB';

/** A turn: a run of all stages with one setup. */
export interface Pass {
  side: Side;
  stages: PassStage[];
}

export interface PassStage {
  stage: string;
  /** epoch ms */
  startedAt: number | null;
  /** ms */
  duration: number | null;
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

/** `before` and `after` are geometric means over the turns, so that `ratio` is their quotient. */
export interface InterleavedMetricComparison extends MetricComparison {
  /** natural logarithms of B ÷ A, one per quad for which it is known */
  logRatios: number[];
  /** p-value of the t test, before correction for multiple tests; null if there are too few quads */
  tTest: number | null;
  /** estimated additional quads for a decision; null if decided, or if no more are possible */
  moreQuads: number | null;
}
