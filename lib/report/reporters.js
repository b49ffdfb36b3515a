import { csvTable } from '../result/figures/table.js';
import { RunLog } from '../result/log/run-log.js';
import { withFigures } from '../result/figures/catalogue.js';
import { EVENT_NAMES } from '../result/event-names.js';
import { writeResult } from '../result/write-result.js';
import { consoleReporter } from './console.js';
import { junitReporter } from './junit.js';
import { liveViewReporter } from './live-view.js';
import { summaryReporter } from './summary.js';

/**
 * @import { Column } from '../result/figures/table.js'
 * @import { LineKind } from '../result/log/run-log.js'
 * @import { TimeSeriesRow } from '../result/merge/seconds.js'
 * @import { WritableResult } from '../result/write-result.js'
 * @import { Listener, ListeningReporter, Reporter, ReporterContext, ResultReporter } from './reporter.js'
 */

/** The only log lines shown with the live view: they contain the result of a search. @type {LineKind} */
const SHOWN_WITH_VIEW = 'search';

/** The log goes to stdout and to the file of `--log`. @type {ListeningReporter} */
const logReporter = { listen: (context) => new RunLog(logWriters(context)) };

/**
 * Machine lines go to the log file if there is one, otherwise to stdout unless a person reads it.
 *
 * @param {ReporterContext} context
 * @returns {ConstructorParameters<typeof RunLog>[0]}
 */
function logWriters({ screen, logFile, stdoutIsTaken, hasView }) {
  const show = (/** @type {string} */ line) => (stdoutIsTaken ? screen.err(line) : screen.out(line));
  const isShown = (/** @type {LineKind} */ kind) => !hasView || kind === SHOWN_WITH_VIEW;
  const showMachineLine = screen.logIsOnTerminal || stdoutIsTaken ? null : show;
  return {
    writeLine(line, kind) {
      logFile?.write(line);
      if (isShown(kind) && (logFile === null || !stdoutIsTaken || logFile.hasFailed)) {
        show(line);
      }
    },
    writeMachineLine: logFile === null ? showMachineLine : (line) => logFile.write(line),
  };
}

/**
 * Live OpenTelemetry and Prometheus metrics. The command line opens the exporters and exports the final counts.
 *
 * @type {ListeningReporter}
 */
const telemetryReporter = { listen: ({ telemetry }) => telemetry ?? {} };

/** Loads the modules for the page on demand, because they would slow down --help. @type {ResultReporter} */
const htmlReporter = {
  option: 'report',
  needsSecondLatencies: true,
  format: async (result) => {
    const { reportPage } = await import('./html/report-page.js');
    return reportPage(result);
  },
};

/** @satisfies {ResultReporter} */
export const jsonReporter = {
  option: 'json',
  needsSecondLatencies: true,
  format: (result) => writeResult(withFigures(result)),
};

/**
 * @param {object} hosts
 * @param {() => Iterable<TimeSeriesRow>} hosts.timeSeries
 * @param {boolean} hosts.isDated whether the seconds are epoch seconds
 * @returns {Generator<string, void, undefined>} several rows at a time
 */
export function formatCsv({ timeSeries, isDated }) {
  /** @type {readonly Column<TimeSeriesRow>[]} */
  const columns = [
    {
      title: 'second_start',
      value({ second }) {
        const moment = new Date(second * 1000).toISOString().replace('.000', '');
        return isDated ? moment : moment.slice('1970-01-01T'.length, -1);
      },
    },
    { title: 'stage', value: ({ stage }) => stage },
    { title: 'host', value: ({ host }) => host },
    // Rates from the original tool's log are averaged, which produces meaningless digits.
    { title: 'ops', value: ({ operations }) => Number(operations.toFixed(2)) },
    { title: 'bytes', value: ({ bytes }) => Math.round(bytes) },
  ];
  return csvTable({ columns, rows: timeSeries() });
}

/** @param {WritableResult} result */
function* rowsOf({ host, stages }) {
  for (const { stage, seconds } of stages) {
    for (const { secondStart, operations, bytes } of seconds) {
      yield { second: secondStart, stage, host: host ?? '', operations, bytes };
    }
  }
}

/** @satisfies {ResultReporter} */
const csvReporter = {
  option: 'csv',
  format: (result, hostSeconds = () => rowsOf(result)) =>
    formatCsv({ timeSeries: hostSeconds, isDated: result.merge?.isDated ?? true }),
};

/** All outputs of a run, in the order in which they receive events. @type {readonly Reporter[]} */
export const REPORTERS = Object.freeze([
  logReporter,
  consoleReporter,
  liveViewReporter,
  jsonReporter,
  csvReporter,
  htmlReporter,
  summaryReporter,
  junitReporter,
  telemetryReporter,
]);

export const RESULT_REPORTERS = REPORTERS.filter(takesResult);

/**
 * @param {ReporterContext} context
 * @param {readonly Reporter[]} [reporters]
 * @returns {Required<Listener>} forwards every event to all of them
 */
export function openListeners(context, reporters = REPORTERS) {
  const listeners = reporters.flatMap((reporter) => (takesResult(reporter) ? [] : [reporter.listen(context)]));
  const forward =
    (/** @type {keyof Listener} */ event) =>
    (/** @type {unknown[]} */ ...parameters) =>
      listeners.forEach((listener) => /** @type {any} */ (listener)[event]?.(...parameters));
  const events = [...EVENT_NAMES, /** @type {const} */ ('close')];
  return /** @type {Required<Listener>} */ (Object.fromEntries(events.map((event) => [event, forward(event)])));
}

/**
 * @param {Reporter} reporter
 * @returns {reporter is ResultReporter}
 */
function takesResult(reporter) {
  return 'format' in reporter;
}
