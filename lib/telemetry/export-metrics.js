import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { RunMetrics } from './run-metrics.js';

/**
 * @import { Attributes } from '@opentelemetry/api'
 * @import { MetricProducer } from '@opentelemetry/sdk-metrics'
 * @import { OtlpExporter } from './otlp-exporter.js'
 * @import { Naming, WatchedRun } from './run-metrics.js'
 * @import { ScrapeServer } from './scrape-server.js'
 */

/** Suffixes of Prometheus names, by unit. @type {Readonly<Record<string, string>>} */
const UNIT_WORDS = { s: 'seconds', By: 'bytes', 'By/s': 'bytes_per_second', 1: 'ratio', '{operation}/s': 'per_second' };

/**
 * Exports the metrics of a run: at intervals to a collector, and to Prometheus on each scrape.
 *
 * @param {{ otlp: OtlpExporter | null, server: ScrapeServer | null }} outlets
 * @param {WatchedRun} run
 * @param {Attributes} attributes of the program and the run
 * @returns {RunMetrics} which the caller must subscribe to the run
 */
export function exportMetrics({ otlp, server }, run, attributes) {
  const metrics = new RunMetrics(run);
  const described = defaultResource().merge(resourceFromAttributes(attributes));
  const resource = described.merge(detectResources({ detectors: [envDetector] }));
  /** @type {(named: Naming) => MetricProducer} */
  const producer = (named) => ({
    collect: async () => {
      const scopeMetrics = [{ scope: { name: 'r2-benchmark' }, metrics: metrics.collect(named) }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  });
  const pushing = otlp?.reader(producer((name, unit) => ({ name, unit })));
  const pulled = server?.reader(producer(namedForPrometheus));
  new MeterProvider({ resource, readers: [pushing, pulled].filter((reader) => reader !== undefined) });
  return metrics;
}

/**
 * Adds the unit to the name, as a collector would but the exporter does not, so that the same queries work with both.
 *
 * @type {Naming}
 */
export function namedForPrometheus(name, unit) {
  const word = UNIT_WORDS[unit] ?? '';
  return { name: name.endsWith(word) ? name : `${name}_${word}`, unit: word };
}
