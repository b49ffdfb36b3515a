import { HostSampler } from '../host/host-sampler.js';
import { findInterface } from '../host/store-interface.js';

/** Minimum time between samples, because each takes half a millisecond of CPU time. */
const MIN_INTERVAL_MS = 1000;

/** Host load since the previous sample, from the same files as the host load in the result. */
export class HostGauges {
  #options;
  #sampler;
  #sampledAt;
  /** null in the first second. @type {ReturnType<HostSampler['stop']> | null} */
  #load = null;

  /** @param {() => number} now monotonic ms @param {{ hostname: string, port: number }} store */
  constructor(now, { hostname, port }) {
    this.#options = { now, interfaceName: /** @type {string | null} */ (null) };
    this.#sampler = new HostSampler(this.#options);
    this.#sampledAt = now();
    void findInterface(hostname, port).then((name) => (this.#options.interfaceName = name));
  }

  look() {
    const now = this.#options.now();
    if (now - this.#sampledAt >= MIN_INTERVAL_MS) {
      this.#load = this.close();
      this.#sampler = new HostSampler(this.#options);
      this.#sampledAt = now;
    }
    return this.#load;
  }

  close() {
    return this.#sampler.stop();
  }
}
