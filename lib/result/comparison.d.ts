import type { Result, ThresholdResult } from './result.js';

// The result of comparing two results. Output formats present it without computing anything again.

/** Compares two results, each of one run or of several hosts together. */
export interface Comparison {
  before: ComparedSide;
  after: ComparedSide;
  /** what differed: versions, options, host, location, day */
  differences: ComparedDifference[];
  /** why the results are not comparable, one line each; if there are any, only `--force` compares them */
  mismatches: string[];
  /** share below which a change counts as no change, such as 0.03 */
  margin: number;
  /** of each interval, such as 0.95 */
  confidence: number;
  /** stages that both sides have, in order, each followed by its kinds if it is mixed */
  stages: StageComparison[];
  /** names of stages that only one side has */
  stagesOfOne: { before: string[]; after: string[] };
  /** thresholds of the later result, with the earlier result as the baseline */
  thresholds?: readonly ThresholdResult[];
}

export interface ComparedSide {
  /** as the user named it; untrusted, like every text of a result */
  name: string;
  /** run ID; null if it is unknown or there are several */
  run: string | null;
  hosts: number;
  /** ISO time */
  start: string | null;
}

/** `before` and `after` are null if that side does not report the fact. */
export interface ComparedDifference {
  what: string;
  before: string | null;
  after: string | null;
}

export interface StageComparison {
  /** name of the stage; for one kind of a mixed stage, as in the log */
  stage: string;
  /** name of the mixed stage, which precedes its kinds */
  kindOf?: string;
  /** number of whole seconds that count, without warm-up, drain and partial seconds at both ends */
  seconds: { before: number; after: number };
  /** every compared figure in order; for one kind of a mixed stage, all but `cpu` */
  metrics: MetricComparison[];
}

/** For a rate or a latency: `faster` or `slower`; for errors: `fewer` or `more`. */
export type ComparisonVerdict = 'faster' | 'slower' | 'fewer' | 'more' | 'the same' | 'cannot tell';

export interface MetricComparison {
  /** name of a figure, whose unit its values have */
  metric: string;
  before: number | null;
  after: number | null;
  /** after ÷ before; null if one is unknown or the divisor is 0 */
  ratio: number | null;
  /** bounds of the ratio's confidence interval; null without an interval, or without that bound */
  low: number | null;
  high: number | null;
  verdict: ComparisonVerdict;
  /** for `cannot tell`: the missing evidence; otherwise null */
  reason: string | null;
}

/** Any number of results next to each other, sorted by what differs between them. */
export interface SideBySide {
  /** titles of what differs */
  facts: string[];
  sides: {
    name: string;
    /** what the result is called in a sentence */
    label: string;
    /** a text per title */
    facts: string[];
    result: Result;
    /** with the reference; null for the reference itself */
    comparison: Comparison | null;
  }[];
}
