import type { Look } from '../result/figures/drawing.js';
import type { Config } from '../result/config.js';
import type { RunObserver } from '../result/run-events.js';
import type { WritableResult } from '../result/write-result.js';
import type { TimeSeriesRow } from '../result/merge/seconds.js';
import type { RESULT_OPTIONS } from '../options/table.js';

/** A terminal, or a stand-in for one: shows lines for people, and the log unless it goes elsewhere. */
export interface Screen {
  /** a log line */
  out: (line: string) => void;
  /** any other line */
  err: (line: string) => void;
  /** text of the live line; an empty text removes it */
  live: (text: string) => void;
  /** lines below the log, until others replace them; an empty list removes them */
  draw: (lines: readonly string[]) => void;
  readonly look: Look;
  /** whether a person watches it, so that it shows a live line */
  isLive: boolean;
  /** whether a person reads the log as it is written */
  logIsOnTerminal: boolean;
}

/** The file of `--log`. */
export interface LogSink {
  write: (line: string) => void;
  /** whether a write failed; the file ends before that line */
  hasFailed: boolean;
}

export interface ReporterContext {
  config: Config;
  screen: Screen;
  /** suppresses progress, cost and notices */
  quiet: boolean;
  logFile: LogSink | null;
  /** stdout is reserved for a result: the log goes to its file, or to stderr without one */
  stdoutIsTaken: boolean;
  /** a person watches both outputs: the live view replaces repeating lines */
  hasView: boolean;
  telemetry?: Listener;
  /** monotonic ms */
  now: () => number;
}

export interface Listener extends Partial<RunObserver> {
  /** called however the run ends; must stop everything that would keep the process alive */
  close?: () => void;
}

export interface ListeningReporter {
  listen: (context: ReporterContext) => Listener;
}

/** Formats the result of a run or of several merged hosts. */
export interface ResultReporter {
  /** the option that names its output file */
  option: (typeof RESULT_OPTIONS)[number];
  /** whether it shows latencies per second, which take memory in a merge */
  needsSecondLatencies?: true;
  /**
   * @param result each iteration over its seconds might compute them again
   * @param hostSeconds the seconds of each host; absent for a single run
   * @returns the text, in chunks
   */
  format: (
    result: WritableResult,
    hostSeconds?: () => Iterable<TimeSeriesRow>,
  ) => Iterable<string> | Promise<Iterable<string>>;
}

export type Reporter = ListeningReporter | ResultReporter;
