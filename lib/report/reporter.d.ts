import type { Config } from '../model/config.js';
import type { RunObserver } from '../model/run-events.js';
import type { WritableResult } from '../model/write-result.js';
import type { TimeSeriesRow } from '../merge/seconds.js';
import type { RESULT_OPTIONS } from '../options/table.js';

/** Where lines for people go, and the log where it has no other place. A terminal, or what stands in for it. */
export interface Screen {
  /** a line of the log */
  out: (line: string) => void;
  /** a line that is not of the log */
  err: (line: string) => void;
  /** the text of the live line; an empty one takes it away */
  live: (text: string) => void;
  /** lines that stand below the log until others are drawn; none takes them away */
  draw: (lines: readonly string[]) => void;
  /** what can be drawn on it now */
  readonly look: Look;
  /** whether a person watches, and a live line is shown */
  isLive: boolean;
  /** whether a person reads the log as it is written */
  logIsOnTerminal: boolean;
}

/** What can be drawn on a terminal. */
export interface Look {
  columns: number;
  rows: number;
  /** whether it shows block elements, and not ASCII alone */
  isUnicode: boolean;
  hasColour: boolean;
}

/** The file of `--log`. */
export interface LogSink {
  write: (line: string) => void;
  /** whether a line could not be written; the file ends before it */
  hasFailed: boolean;
}

/** What reporters that listen to a run are opened with. */
export interface ReporterContext {
  config: Config;
  screen: Screen;
  /** no progress, cost or notices */
  quiet: boolean;
  logFile: LogSink | null;
  /** stdout belongs to a result: the log goes to its file, or to stderr where there is none */
  stdoutIsTaken: boolean;
  /** a person watches both outputs: the live view takes the place of lines that come again and again */
  hasView: boolean;
  /** what exports live metrics; absent without their options */
  telemetry?: Listener;
  /** monotonic ms */
  now: () => number;
}

/** Listens to a run while it runs. */
export interface Listener extends Partial<RunObserver> {
  /** whatever became of the run: nothing may go on that would keep the process from ending */
  close?: () => void;
}

/** Listens to the events of a run. */
export interface ListeningReporter {
  listen: (context: ReporterContext) => Listener;
}

/** Takes a result: of a run, or of several hosts together. */
export interface ResultReporter {
  /** the option that names the file of the result */
  option: (typeof RESULT_OPTIONS)[number];
  /** whether it shows the latencies of single seconds, which take memory when hosts are added up */
  needsSecondLatencies?: true;
  /**
   * @param result whose seconds may be worked out anew each time somebody goes through them
   * @param hostSeconds what each host did in each second; absent where the result is that of one run
   * @returns the text, in as many parts as are handed on together
   */
  format: (
    result: WritableResult,
    hostSeconds?: () => Iterable<TimeSeriesRow>,
  ) => Iterable<string> | Promise<Iterable<string>>;
}

/** One output of a run. */
export type Reporter = ListeningReporter | ResultReporter;
