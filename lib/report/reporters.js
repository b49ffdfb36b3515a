import { EVENT_NAMES } from '../model/event-names.js';
import { consoleReporter } from './console.js';
import { csvReporter } from './csv.js';
import { htmlReporter } from './html/html-reporter.js';
import { jsonReporter } from './json.js';
import { junitReporter } from './junit.js';
import { liveViewReporter } from './live-view.js';
import { logReporter } from './log.js';
import { summaryReporter } from './summary.js';
import { telemetryReporter } from './telemetry.js';

/** @import { Listener, Reporter, ReporterContext, ResultReporter } from './reporter.js' */

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
