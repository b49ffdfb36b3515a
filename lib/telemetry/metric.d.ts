import type { ValueCounts } from '../model/run-events.js';

/** By their names in the semantic conventions of OpenTelemetry. */
export type Attributes = Readonly<Record<string, string | number>>;

/**
 * A counter never becomes less; a sum that goes up and down can be added up over hosts; a gauge cannot; a histogram has the
 * distribution of values since the beginning.
 */
export type InstrumentType = 'counter' | 'sum' | 'gauge' | 'histogram';

/** What is measured. docs/reference/metrics.md lists all of them. */
export interface Instrument {
  name: string;
  type: InstrumentType;
  /** by UCUM, as OpenTelemetry has it; what stands in braces is no unit, but says what is counted */
  unit: string;
  /** one line */
  description: string;
  /** whether its values are whole numbers */
  isWhole: boolean;
}

/** One series of a metric, as it is now. */
export interface Point {
  attributes: Attributes;
  /** epoch ms: before that there was nothing */
  startedAt: number;
  /** of a histogram its values, in µs, which go out in seconds */
  value: number | ValueCounts;
}

export interface Metric extends Instrument {
  points: readonly Point[];
}

/** A part of a run with its beginning and its end. */
export interface Span {
  name: string;
  /** 32 hexadecimal digits */
  traceId: string;
  /** 16 hexadecimal digits */
  spanId: string;
  /** likewise; null for that of the run */
  parentSpanId: string | null;
  /** epoch ms */
  startedAt: number;
  /** epoch ms */
  endedAt: number;
  attributes: Attributes;
  /** why it did not end well; null where it did */
  problem: string | null;
}

/** What metrics and spans come from. */
export interface Origin {
  /** of the resource */
  attributes: Attributes;
  /** of the program */
  version: string;
}
