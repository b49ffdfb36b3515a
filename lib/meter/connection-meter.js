import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { HistogramState } from './latency-histogram.js'
 * @import { OpeningCosts } from '../model/result.js'
 */

/**
 * @typedef {Record<'tcp' | 'tls', HistogramState>} ConnectionMeterState
 */

/** Collects what connections cost to open, from one stage to the next. */
export class ConnectionMeter {
  #tcp = new LatencyHistogram();
  #tls = new LatencyHistogram();

  /** @param {{ tcp: number, tls: number | null }} milliseconds of one connection */
  opened({ tcp, tls }) {
    this.#tcp.record(tcp);
    if (tls !== null) {
      this.#tls.record(tls);
    }
  }

  /** @returns {ConnectionMeterState} of the connections opened since the last call */
  take() {
    const state = { tcp: this.#tcp.toState(), tls: this.#tls.toState() };
    this.#tcp = new LatencyHistogram();
    this.#tls = new LatencyHistogram();
    return state;
  }

  /**
   * Adds what another core has collected.
   *
   * @param {ConnectionMeterState} state
   */
  addState({ tcp, tls }) {
    this.#tcp.addState(tcp);
    this.#tls.addState(tls);
  }

  /** @returns {OpeningCosts} */
  costs() {
    return { tcp: this.#tcp.summary(), tls: this.#tls.summary() };
  }
}
