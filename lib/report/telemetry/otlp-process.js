import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { ignoreEndingSignals } from '../../measure/host/ending-signals.js';

// Sends metrics to a collector, in a separate process: see OtlpExporter.

/** @type {string[]} */
const problems = [];
// Quoted parts of a message may be secrets.
const add = (/** @type {unknown} */ message) => problems.push(String(message).replace(/(['"]).*\1/g, '…'));
diag.setLogger({ error: add, warn: add, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
const { OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: own, OTEL_EXPORTER_OTLP_TIMEOUT: common } = process.env;
// The default of ten seconds is longer than a run waits at its end (MAX_FINISH_MS).
const timeoutMillis = own || common ? undefined : 4000;
const exporter = new OTLPMetricExporter({ timeoutMillis });
diag.disable();

process.on('disconnect', () => process.exit());
ignoreEndingSignals(process);
process.on('message', (/** @type {any} */ { attributes, scopeMetrics }) =>
  exporter.export({ resource: resourceFromAttributes(attributes), scopeMetrics }, ({ code, error }) =>
    process.send?.({ outcome: code === 0 ? null : reasonOf(/** @type {any} */ (error)) }),
  ),
);
process.send?.({ problems });

/** Includes nothing from the request or response. @param {Error & { code?: string | number }} error */
function reasonOf({ code, message }) {
  const reason = /retryable/.test(message) ? 'it asked for a later retry' : 'no valid response in time';
  return typeof code === 'number' ? `HTTP status ${code}` : (code ?? reason);
}
