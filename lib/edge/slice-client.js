import { Workers } from '../engine/workers.js';
import { invocationsFor, sendBySlices, sliceTimeout } from './send-by-slices.js';
import { CLOCK_RESOLUTION_MS, MAX_SLICE_MS } from './slice.js';

/**
 * @import { WorkerSpec } from '../engine/worker.js'
 * @import { LoadConfig } from '../model/config.js'
 */

/** The client whose operations run in the Worker; see RunClient. */
export const sliceClient = Object.freeze({
  /** @param {LoadConfig} load */
  connectionsFor({ threads }) {
    return invocationsFor(threads).length;
  },

  /**
   * A connection carries slices whose concurrency is at most that of one invocation.
   *
   * @param {Omit<WorkerSpec, 'threads'>} spec
   * @param {LoadConfig} load
   * @param {Pick<Parameters<typeof Workers.open>[1], 'clock' | 'random' | 'credentials' | 'payload'>} context
   * @param {() => void} claimed called for each slice
   */
  openWorkers(spec, load, context, claimed) {
    const { timeout } = load;
    const send = sendBySlices({ timeout, layout: spec.layout, claimed });
    const threads = sliceClient.connectionsFor(load);
    return Workers.open({ ...spec, timeout: sliceTimeout(timeout) }, { ...context, cores: 1, threads, send });
  },

  // The latency of a single request from this host includes the way to the Worker, unlike that of a slice's operations.
  showsLatencyAlone: false,
  writesFor: MAX_SLICE_MS,
  facts: Object.freeze({ clockResolution: CLOCK_RESOLUTION_MS }),
});
