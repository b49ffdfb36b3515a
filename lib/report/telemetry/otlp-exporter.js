import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { MetricProducer, PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics'
 */

const PROGRAM = fileURLToPath(new URL('./otlp-process.js', import.meta.url));

/** How long the end of a run waits for a collector. */
const MAX_FINISH_MS = 5000;

const TOO_LATE = 'no response in time';

/**
 * Passes metrics to OpenTelemetry's exporter in a separate process, which can be killed at any time. In the run's
 * process, a hanging name lookup, request or retry would keep the run from ending, because none of them can be
 * cancelled.
 *
 * @implements {PushMetricExporter}
 */
export class OtlpExporter {
  #settings;
  /** @type {PeriodicExportingMetricReader | null} */
  #reader = null;
  /** @type {ChildProcess | null} */
  #child = null;
  /** Export in progress: null for success, undefined if abandoned. @type {Promise<string | null | undefined> | null} */
  #outcome = null;
  /** @type {(outcome?: string | null) => void} */
  #settle = () => {};
  #exports = 0;
  #lost = 0;
  #isLastLost = false;
  /** @type {(message: string) => void} */
  warn = () => {};

  /** @param {{ endpoint: string, interval: number }} settings see OtlpSettings */
  constructor(settings) {
    this.#settings = settings;
  }

  /** @returns {Promise<string[]>} problems with the exporter's environment variables */
  async open() {
    const child = this.#start();
    const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit')]).catch(() => []);
    return answer?.problems ?? [];
  }

  /** @param {MetricProducer} producer */
  reader(producer) {
    const options = { exportIntervalMillis: this.#settings.interval, metricProducers: [producer] };
    return (this.#reader = new PeriodicExportingMetricReader({ exporter: this, ...options }));
  }

  /** @type {(metrics: ResourceMetrics, callback: (result: { code: number }) => void) => Promise<void>} */
  async export(metrics, callback) {
    // Export one at a time: to a collector, older counts that arrive after newer ones look like a restart.
    const failure = this.#outcome === null ? await this.#send(metrics) : TOO_LATE;
    if (failure !== undefined) {
      this.#exports += 1;
      this.#lost += Number(failure !== null);
      this.#isLastLost = failure !== null;
    }
    if (typeof failure === 'string' && this.#lost === 1) {
      this.warn(`${this.#settings.endpoint} does not accept metrics (${failure}); the run continues`);
    }
    callback({ code: Number(failure !== null) });
  }

  async forceFlush() {}
  async shutdown() {}

  /** Exports the final counts, if the collector accepts them in time, and reports lost exports. */
  async finish() {
    if (this.#outcome !== null) {
      // Abandon the export in progress, which does not contain the final counts.
      this.close();
      await this.#outcome;
    }
    const isOver = new AbortController();
    const timeout = pause(MAX_FINISH_MS, undefined, isOver).catch(() => {});
    // The reader waits for no longer than its interval, and an export may first have to start the process.
    const arrived = this.#reader?.shutdown().then(() => this.#outcome);
    await Promise.race([arrived, timeout]);
    isOver.abort();
    this.#settle(TOO_LATE);
    await this.#outcome;
    if (this.#lost > 0) {
      const last = this.#isLastLost ? 'including the last one' : 'but the last one arrived and included all counts';
      this.warn(`${this.#lost} of ${this.#exports} exports to ${this.#settings.endpoint} were lost, ${last}`);
    }
  }

  close() {
    this.#child?.kill('SIGKILL');
    this.#child = null;
    this.#settle();
  }

  /** @param {ResourceMetrics} metrics */
  #send({ resource: { attributes }, scopeMetrics }) {
    const child = this.#child?.connected ? this.#child : this.#start();
    this.#outcome = new Promise((resolve) => (this.#settle = resolve));
    this.#outcome.then(() => (this.#outcome = null));
    child.send({ attributes, scopeMetrics }, () => {});
    return this.#outcome;
  }

  #start() {
    // Detached, so that Ctrl-C does not end the process, which still has to send the last export.
    const options = { detached: true, silent: true, serialization: /** @type {const} */ ('advanced') };
    const child = fork(PROGRAM, options);
    const settle = (/** @type {string | null} */ outcome) => this.#child === child && this.#settle(outcome);
    child.on('message', (/** @type {any} */ { outcome }) => outcome !== undefined && settle(outcome));
    child.on('error', () => settle('the exporter cannot be started')).on('exit', () => settle('the exporter ended'));
    return (this.#child = child);
  }
}
