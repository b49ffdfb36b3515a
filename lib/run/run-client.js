import { sliceClient } from '../edge/slice-client.js';
import { runsSlices } from '../edge/slice.js';
import { Workers } from '../engine/workers.js';
import { connectionsFor } from '../operations/multipart.js';

/**
 * @import { WorkerSpec } from '../engine/worker.js'
 * @import { LoadConfig } from '../model/config.js'
 * @import { RunOptions } from '../model/result.js'
 */

/**
 * @typedef {object} RunClient how a run performs its operations on objects
 * @property {(load: LoadConfig) => number} connectionsFor connections to open in advance
 * @property {(spec: Omit<WorkerSpec, 'threads'>, load: LoadConfig, context: WorkerContext, claimed: () => void) =>
 *   Promise<Workers>} openWorkers `claimed` is called for each object that is written outside an operation
 * @property {boolean} showsLatencyAlone whether one request over a control connection takes as long as an operation
 * @property {number} writesFor ms for which writes can continue after the run ends
 * @property {Partial<RunOptions>} facts recorded in results
 *
 * @typedef {Pick<Parameters<typeof Workers.open>[1], 'clock' | 'random' | 'credentials' | 'payload'>} WorkerContext
 */

/** This host sends each operation as a request. @type {Readonly<RunClient>} */
const requestClient = Object.freeze({
  connectionsFor,
  openWorkers: (spec, { cores, threads }, context) => Workers.open(spec, { ...context, cores, threads }),
  showsLatencyAlone: true,
  writesFor: 0,
  facts: {},
});

/**
 * @param {LoadConfig} load
 * @returns {Readonly<RunClient>}
 */
export function clientOf(load) {
  return runsSlices(load) ? sliceClient : requestClient;
}
