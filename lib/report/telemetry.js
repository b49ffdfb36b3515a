/** @import { ListeningReporter } from './reporter.js' */

/**
 * Metrics and spans, for those who watch the run from where they watch all else. They go out while the run goes on, and
 * after it: the command line opens what they go out by.
 *
 * @type {ListeningReporter}
 */
export const telemetryReporter = { listen: ({ telemetry }) => telemetry ?? {} };
