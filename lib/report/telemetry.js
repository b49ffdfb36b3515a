/** @import { ListeningReporter } from './reporter.js' */

/**
 * Metrics and spans. They are sent during and after the run; the command line opens the exporters.
 *
 *
 * @type {ListeningReporter}
 */
export const telemetryReporter = { listen: ({ telemetry }) => telemetry ?? {} };
