import { withFigures } from '../result/figures/catalogue.js';
import { EVENT_NAMES } from '../result/event-names.js';
import { writeResult } from '../result/write-result.js';
import { csvReporter } from './csv.js';
import { junitReporter } from './junit.js';
import { liveViewReporter } from './live-view.js';
import { logReporter } from './log.js';
import { noticeReporter } from './notices.js';
import { summaryReporter } from './summary.js';

/** @import { Listener, ListeningReporter, Reporter, ReporterContext, ResultReporter } from './reporter.js' */

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

/** All outputs of a run, in the order in which they receive events. @type {readonly Reporter[]} */
export const REPORTERS = Object.freeze([
  logReporter,
  noticeReporter,
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
