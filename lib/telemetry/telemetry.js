import { formatDuration } from '../text/units.js';
import { RunMetrics } from './run-metrics.js';
import { RunSpans } from './run-spans.js';
import { OtlpExport } from './otlp-export.js';
import { formatMetrics } from './prometheus-text.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { RunFacts, StageResult } from '../model/result.js'
 * @import { StageStart, StageSnapshot } from '../model/run-events.js'
 * @import { OtlpSettings } from './otlp-target.js'
 * @import { ScrapeServer } from './scrape-server.js'
 */

/**
 * @typedef {{ stage: string, operations: readonly string[] }} PlannedStage with the operations that it consists of
 *
 * @typedef {object} Outlets what metrics and spans go out by
 * @property {OtlpSettings | null} otlp
 * @property {ScrapeServer | null} server
 * @property {number} hold ms that the server waits for a last scrape, at most
 */

/** Watches a run, and hands on what it sees: at intervals to a collector, and to Prometheus whenever it asks. */
export class Telemetry {
  #metrics;
  #spans;
  #export;
  #outlets;
  #notice;

  /**
   * @param {Outlets} outlets
   * @param {object} run
   * @param {Config} run.config
   * @param {readonly PlannedStage[]} run.stages
   * @param {ReadonlyMap<string, string>} run.methods of HTTP, by operation
   * @param {{ host: string, versions: Record<string, string> }} run.identity
   * @param {string} run.version of the program
   * @param {() => number} run.now monotonic ms
   * @param {() => number} run.epochNow epoch ms
   * @param {() => number} run.random uniform in [0, 1)
   * @param {(message: string) => void} run.warn
   * @param {(message: string) => void} run.notice
   */
  constructor(outlets, { config, stages, methods, identity, version, now, epochNow, random, warn, notice }) {
    const { host } = identity;
    const origin = { version, attributes: { ...resourceOf(config, identity, version), ...outlets.otlp?.resource } };
    this.#outlets = outlets;
    this.#notice = notice;
    this.#metrics = new RunMetrics({ config, host, stages, methods, now, epochNow });
    const collect = () => this.#metrics.collect();
    this.#export =
      outlets.otlp === null ? null : new OtlpExport(outlets.otlp, { collect, origin, now, epochNow, random, warn });
    this.#spans = new RunSpans({ config, host, epochNow, add: (span) => this.#export?.add(span) });
    outlets.server?.serve(() => formatMetrics(collect(), origin));
    this.#export?.start();
  }

  /** @param {RunFacts} facts */
  runStarts(facts) {
    this.#spans.runStarts(facts);
  }

  /** @param {StageStart} plan */
  stageStarts(plan) {
    this.#metrics.stageStarts(plan);
  }

  /**
   * @param {string} stage
   * @param {StageSnapshot} snapshot
   */
  snapshot(stage, snapshot) {
    this.#metrics.snapshot(stage, snapshot);
  }

  /** @param {StageResult} result */
  stage(result) {
    this.#metrics.stage(result);
    this.#spans.stage(result);
  }

  runEnds() {
    this.#metrics.runEnds();
  }

  /**
   * Sends what is the last, and waits for the last scrape. What the run came to is settled before.
   *
   * @param {number | null} exitStatus of the run; null where it broke off
   * @param {AbortSignal} signal waits for no scrape any more
   */
  async finish(exitStatus, signal) {
    this.#spans.runEnds(exitStatus);
    await Promise.all([this.#export?.finish(), this.#waitForScrape(signal)]);
    this.#metrics.close();
  }

  /** @param {AbortSignal} signal */
  async #waitForScrape(signal) {
    const { server, hold } = this.#outlets;
    if (server !== null && hold > 0 && !signal.aborted) {
      const scraped = server.hold(hold, signal);
      this.#notice(`Waiting up to ${formatDuration(hold)} for a last scrape of ${server.url}`);
      await scraped;
    }
  }
}

/**
 * https://opentelemetry.io/docs/specs/semconv/resource/
 *
 * @param {Config} config
 * @param {{ host: string, versions: Record<string, string> }} identity
 * @param {string} version
 */
function resourceOf({ objects: { runId, shard, size }, load: { client } }, { host, versions }, version) {
  return {
    'service.name': 'r2-benchmark',
    'service.version': version,
    'service.instance.id': `${runId}/${host}/${shard.index}`,
    'host.name': host,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': versions.node,
    'r2_benchmark.run.id': runId,
    'r2_benchmark.shard': `${shard.index}/${shard.count}`,
    'r2_benchmark.client': client,
    'r2_benchmark.object.size': size,
  };
}
