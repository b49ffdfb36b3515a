/** @import { ListeningReporter } from './reporter.js' */

/**
 * Live OpenTelemetry and Prometheus metrics. The command line opens the exporters and exports the final counts.
 *
 * @type {ListeningReporter}
 */
export const telemetryReporter = { listen: ({ telemetry }) => telemetry ?? {} };
