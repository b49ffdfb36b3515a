/** @import { ListeningReporter } from './reporter.js' */

/**
 * Live metrics, for OpenTelemetry and Prometheus. The command line opens the ways out, and exports the final counts after the run.
 *
 * @type {ListeningReporter}
 */
export const telemetryReporter = { listen: ({ telemetry }) => telemetry ?? {} };
