/** @import { ListeningReporter } from './reporter.js' */

/**
 * Live metrics for OpenTelemetry and Prometheus. The command line opens the exporters and exports the final counts after the run.
 *
 * @type {ListeningReporter}
 */
export const telemetryReporter = { listen: ({ telemetry }) => telemetry ?? {} };
