import type { ThresholdResult } from './result.js';

// What comparing two results comes to. Whatever shows a comparison takes this, and computes none of it anew.

/** Of two results, each of one run or of several hosts together. */
export interface Comparison {
  before: ComparedSide;
  after: ComparedSide;
  /** what was not the same: versions, options, host, location, day */
  differences: ComparedDifference[];
  /** why the two are not of one kind, a line each: only `--force` compares such runs; empty otherwise */
  mismatches: string[];
  /** share of a change that counts as none, such as 0.03 */
  margin: number;
  /** of each interval, such as 0.95 */
  confidence: number;
  /** those that both have, in their order, each followed by the kinds that it mixes */
  stages: StageComparison[];
  /** the names of those that only one of them has */
  stagesOfOne: { before: string[]; after: string[] };
  /** what was asserted of the later one, whose baseline is the earlier one */
  thresholds?: readonly ThresholdResult[];
}

export interface ComparedSide {
  /** as the user named it; it may be hostile, as each text of a result may */
  name: string;
  /** the run id; null where it is not known, or there are several */
  run: string | null;
  hosts: number;
  /** ISO time */
  start: string | null;
}

/** null where a side does not say it. */
export interface ComparedDifference {
  what: string;
  before: string | null;
  after: string | null;
}

export interface StageComparison {
  /** its name; of one kind of the operations that a stage mixes, with that, as the log has it */
  stage: string;
  /** of such a kind: the stage, which stands before it */
  kindOf?: string;
  /** whole seconds that count: those without warm-up, drain, and the partial ones at either end */
  seconds: { before: number; after: number };
  /** each {@link ComparedMetric}, in that order; of a kind without `cpu` */
  metrics: MetricComparison[];
}

/**
 * ops/s, bytes/s, ms (p50 to p999, of operations), share of attempts that failed (0 to 1), µs of CPU time per operation.
 */
export type ComparedMetric = 'rate' | 'throughput' | 'p50' | 'p90' | 'p99' | 'p999' | 'errors' | 'cpu';

/** Of a rate, a throughput or a latency, `faster` or `slower`; of errors, `fewer` or `more`. */
export type ComparisonVerdict = 'faster' | 'slower' | 'fewer' | 'more' | 'the same' | 'cannot tell';

export interface MetricComparison {
  metric: ComparedMetric;
  before: number | null;
  after: number | null;
  /** after ÷ before; null where one of them is not known, or nothing can be divided by */
  ratio: number | null;
  /** ends of the interval that holds the true ratio; null where there is none, or where it has no such end */
  low: number | null;
  high: number | null;
  verdict: ComparisonVerdict;
  /** of `cannot tell`: what was missing; null otherwise */
  reason: string | null;
}
