import { HostSampler } from '../host/host-sampler.js';
import { findInterface } from '../host/store-interface.js';

/** @import { HostLoad } from '../model/result.js' */

/** A look costs half a millisecond of CPU time. Whoever asks again within that time gets what was seen before. */
const MIN_INTERVAL_MS = 1000;

/** What the host has done since somebody last asked: by the files that the result's host load comes from. */
export class HostGauges {
  #now;
  /** @type {string | null} */
  #interfaceName = null;
  #sampler;
  #sampledAt;
  /** @type {Omit<HostLoad, 'loops'> | null} */
  #load = null;

  /**
   * @param {object} options
   * @param {() => number} options.now monotonic ms
   * @param {{ hostname: string, port: number }} options.store
   */
  constructor({ now, store }) {
    this.#now = now;
    this.#sampledAt = now();
    this.#sampler = new HostSampler({ now, interfaceName: null });
    void findInterface(store.hostname, store.port).then((name) => (this.#interfaceName = name));
  }

  /** @returns {Omit<HostLoad, 'loops'> | null} null in the first second */
  look() {
    if (this.#now() - this.#sampledAt >= MIN_INTERVAL_MS) {
      this.#load = this.#sampler.stop();
      this.#sampler = new HostSampler({ now: this.#now, interfaceName: this.#interfaceName });
      this.#sampledAt = this.#now();
    }
    return this.#load;
  }

  close() {
    this.#sampler.stop();
  }
}
