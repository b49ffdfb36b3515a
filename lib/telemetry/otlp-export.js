import { plainText } from '../text/plain-text.js';
import { encodeMetrics, encodeSpans } from './otlp-json.js';
import { OtlpSender } from './otlp-sender.js';

/**
 * @import { Metric, Origin, Span } from './metric.js'
 * @import { Delivery } from './otlp-sender.js'
 * @import { OtlpSettings, OtlpTarget } from './otlp-target.js'
 */

/** The end of a run waits no longer for a collector. */
const MAX_FINAL_EXPORT_MS = 5000;

/** So long it waits for what is under way by then, which is not to arrive after the last export. */
const MAX_SETTLING_MS = 1000;

/**
 * Sends metrics at intervals and once more at the end, and spans with them. A collector that does not take them changes nothing but
 * what is said of it: each export has all since the beginning, and a span is kept until it has arrived.
 */
export class OtlpExport {
  #settings;
  #deps;
  #metrics;
  #traces;
  /** That have not arrived. @type {Span[]} */
  #spans = [];
  #spanCount = 0;
  #rejectedSpans = 0;
  #exports = 0;
  #lostExports = 0;
  #lastIsLost = false;
  #hasWarned = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #ended = new AbortController();
  /** Of metrics. @type {Promise<unknown> | null} */
  #underWay = null;
  /** @type {Promise<unknown> | null} */
  #spansUnderWay = null;

  /**
   * @param {OtlpSettings} settings
   * @param {object} deps
   * @param {() => readonly Metric[]} deps.collect
   * @param {Origin} deps.origin
   * @param {() => number} deps.now monotonic ms
   * @param {() => number} deps.epochNow epoch ms
   * @param {() => number} deps.random uniform in [0, 1)
   * @param {(message: string) => void} deps.warn
   */
  constructor(settings, deps) {
    const open = (/** @type {OtlpTarget | null} */ target) => target && new OtlpSender(target, deps);
    this.#settings = settings;
    this.#deps = deps;
    this.#metrics = open(settings.metrics);
    this.#traces = open(settings.traces);
  }

  start() {
    this.#timer = setInterval(() => this.#tick(), this.#settings.interval).unref();
  }

  /** @param {Span} span that is over */
  add(span) {
    if (this.#traces !== null) {
      this.#spans.push(span);
      this.#spanCount += 1;
    }
  }

  /**
   * Sends what is the last, and says what was lost.
   *
   * @returns {Promise<void>} soon, whatever the collector does
   */
  async finish() {
    clearInterval(this.#timer);
    const settling = setTimeout(() => this.#ended.abort(), MAX_SETTLING_MS);
    await Promise.all([this.#underWay, this.#spansUnderWay]);
    clearTimeout(settling);
    const endsAt = this.#deps.now() + MAX_FINAL_EXPORT_MS;
    const { signal } = new AbortController();
    await Promise.all([this.#exportMetrics(endsAt, signal), this.#exportSpans(endsAt, signal)]);
    this.#metrics?.close();
    this.#traces?.close();
    this.#reportLosses();
  }

  #tick() {
    const now = this.#deps.now();
    const { interval, traces } = this.#settings;
    const { signal } = this.#ended;
    if (this.#underWay === null) {
      this.#underWay = this.#exportMetrics(now + interval, signal).finally(() => (this.#underWay = null));
    } else {
      this.#countExport('no answer in time');
    }
    if (traces !== null) {
      // A span that is given up too early may arrive all the same, and then twice.
      this.#spansUnderWay ??= this.#exportSpans(now + Math.max(interval, traces.timeout), signal).finally(
        () => (this.#spansUnderWay = null),
      );
    }
  }

  /**
   * @param {number} endsAt monotonic ms
   * @param {AbortSignal} signal
   */
  async #exportMetrics(endsAt, signal) {
    const sender = this.#metrics;
    if (sender === null) {
      return;
    }
    const { collect, origin, epochNow } = this.#deps;
    const { hasArrived, reason } = await this.#orLost(this.#settings.metrics, () =>
      sender.send(() => encodeMetrics(collect(), origin, epochNow()), endsAt, signal),
    );
    // What the end of the run cuts off is in the last export.
    if (hasArrived || !signal.aborted) {
      this.#countExport(reason);
    }
  }

  /**
   * @param {number} endsAt monotonic ms
   * @param {AbortSignal} signal
   */
  async #exportSpans(endsAt, signal) {
    const spans = [...this.#spans];
    const sender = this.#traces;
    if (sender === null || spans.length === 0) {
      return;
    }
    const { hasArrived, rejected, reason } = await this.#orLost(this.#settings.traces, () =>
      sender.send(() => encodeSpans(spans, this.#deps.origin), endsAt, signal),
    );
    if (hasArrived) {
      this.#spans = this.#spans.filter((span) => !spans.includes(span));
      this.#rejectedSpans += rejected;
    }
    if (hasArrived || !signal.aborted) {
      this.#warnOfRefusal(this.#settings.traces, reason);
    }
  }

  /**
   * An error of this program in what is sent ends no run: it is one more reason why it was lost.
   *
   * @param {OtlpTarget | null} target
   * @param {() => Promise<Delivery>} send
   * @returns {Promise<Delivery>}
   */
  async #orLost(target, send) {
    try {
      return await send();
    } catch (error) {
      const reason = `an unexpected error: ${plainText(String(error))}`;
      this.#warnOnce(target, `gets no metrics or spans (${reason})`);
      return { hasArrived: false, rejected: 0, reason };
    }
  }

  /** @param {Delivery['reason']} reason */
  #countExport(reason) {
    this.#exports += 1;
    this.#lostExports += Number(reason !== null);
    this.#lastIsLost = reason !== null;
    this.#warnOfRefusal(this.#settings.metrics, reason);
  }

  /**
   * @param {OtlpTarget | null} target
   * @param {Delivery['reason']} reason
   */
  #warnOfRefusal(target, reason) {
    if (reason !== null) {
      this.#warnOnce(target, `does not take metrics or spans (${reason})`);
    }
  }

  /**
   * @param {OtlpTarget | null} target
   * @param {string} problem that it has
   */
  #warnOnce(target, problem) {
    if (target !== null && !this.#hasWarned) {
      this.#hasWarned = true;
      this.#deps.warn(`${placeOf(target)} ${problem}: the run goes on, and what is lost is said at its end`);
    }
  }

  #reportLosses() {
    const { metrics, traces } = this.#settings;
    if (metrics !== null && this.#lostExports > 0) {
      const last = this.#lastIsLost
        ? ', the last one among them'
        : '; the last one arrived, with all since the beginning';
      this.#deps.warn(
        `${this.#lostExports} of ${this.#exports} exports of metrics to ${placeOf(metrics)} were lost${last}`,
      );
    }
    const lostSpans = this.#spans.length + this.#rejectedSpans;
    if (traces !== null && lostSpans > 0) {
      this.#deps.warn(`${lostSpans} of ${this.#spanCount} spans for ${placeOf(traces)} were lost`);
    }
  }
}

/**
 * @param {OtlpTarget} target
 * @returns {string} without a query, which may hold a key
 */
function placeOf({ url: { origin, pathname } }) {
  return `${origin}${pathname}`;
}
