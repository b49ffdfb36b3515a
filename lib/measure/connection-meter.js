import { sumsByName } from '../result/counters.js';
import { LatencyHistogram } from './latency-histogram.js';

/** @import { ConnectionRecord } from '../result/records.js' */

/** Collects the costs of opening connections during a stage. */
export class ConnectionMeter {
  #tcp = new LatencyHistogram();
  #tls = new LatencyHistogram();
  /** @type {Map<string, number>} */
  #colos = new Map();

  /** @param {{ tcp: number, tls: number | null }} milliseconds of one connection */
  opened({ tcp, tls }) {
    this.#tcp.record(tcp);
    if (tls !== null) {
      this.#tls.record(tls);
    }
  }

  /** @param {string} colo that sent the first response over a connection */
  answered(colo) {
    this.#colos.set(colo, (this.#colos.get(colo) ?? 0) + 1);
  }

  /** @returns {Pick<ConnectionRecord, 'tcp' | 'tls' | 'colos'>} since the last call; the busiest data center first */
  take() {
    const colos = sumsByName([Object.fromEntries(this.#colos)]);
    const record = { tcp: this.#tcp.toRecord(), tls: this.#tls.toRecord(), colos };
    this.#tcp = new LatencyHistogram();
    this.#tls = new LatencyHistogram();
    this.#colos = new Map();
    return record;
  }
}
