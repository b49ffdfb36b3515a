import { sumsByName } from '../model/counters.js';
import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { HistogramState } from './latency-histogram.js'
 * @import { OpeningCosts } from '../model/result.js'
 */

/** @typedef {Record<'tcp' | 'tls', HistogramState> & { colos: Record<string, number> }} ConnectionMeterState */

/**
 * Connections in a part of a stage: on one worker, or in one step. `socketWait`: total ms; `lookupTime`: ms; null without
 * a name lookup.
 *
 * @typedef {{ opened: number, reused: number, socketWait: number, lookupTime: number | null,
 *   costs: ConnectionMeterState }} ConnectionCounts
 */

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
    this.#addColo(colo, 1);
  }

  /** @returns {ConnectionMeterState} connections opened and first responses received since the last call */
  take() {
    const state = this.toState();
    this.#tcp = new LatencyHistogram();
    this.#tls = new LatencyHistogram();
    this.#colos = new Map();
    return state;
  }

  /** @returns {ConnectionMeterState} */
  toState() {
    return { tcp: this.#tcp.toState(), tls: this.#tls.toState(), colos: this.#colosByName() };
  }

  /** @param {ConnectionMeterState} state of another worker */
  addState({ tcp, tls, colos }) {
    this.#tcp.addState(tcp);
    this.#tls.addState(tls);
    Object.entries(colos).forEach(([colo, connections]) => this.#addColo(colo, connections));
  }

  /** @returns {OpeningCosts} */
  costs() {
    return { tcp: this.#tcp.summary(), tls: this.#tls.summary(), colos: this.#colosByName() };
  }

  /** Busiest first. */
  #colosByName() {
    return sumsByName([Object.fromEntries(this.#colos)]);
  }

  /**
   * @param {string} colo
   * @param {number} connections
   */
  #addColo(colo, connections) {
    this.#colos.set(colo, (this.#colos.get(colo) ?? 0) + connections);
  }
}

/**
 * @param {readonly ConnectionCounts[]} parts of one stage
 * @returns {Omit<ConnectionCounts, 'costs'> & { meter: ConnectionMeter }} with the first known lookup time
 */
export function sumOfConnections(parts) {
  const sum = {
    opened: 0,
    reused: 0,
    socketWait: 0,
    lookupTime: parts.find(({ lookupTime }) => lookupTime !== null)?.lookupTime ?? null,
    meter: new ConnectionMeter(),
  };
  for (const { opened, reused, socketWait, costs } of parts) {
    sum.opened += opened;
    sum.reused += reused;
    sum.socketWait += socketWait;
    sum.meter.addState(costs);
  }
  return sum;
}
