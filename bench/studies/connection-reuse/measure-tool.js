import { OBJECT_SIZE, endpointVariables } from '../endpoint.js';
import { REQUESTS, expectAllAnswers } from '../measurement.js';
import { runTool } from '../run-tool.js';

/**
 * @import { Latencies } from '../measurement.js'
 * @import { Load } from './distances.js'
 */

/**
 * @typedef {object} Connections from the tool's --json
 * @property {number} opened
 * @property {number} reused
 * @property {{ p50: number, maximum: number }} tcp ms
 * @property {{ p50: number, maximum: number }} tls ms
 *
 * @typedef {Latencies & { connections: Connections, connectionsLine: string }} ToolResult
 */

/**
 * Runs the tool: one thread reads a hundred objects.
 *
 * @param {Load} load
 * @returns {Promise<ToolResult>}
 */
export async function measureTool({ port, certificate, keepAlive }) {
  const options = ['--stages', 'read', '--run-id', 'study', '--size', String(OBJECT_SIZE)];
  const { stages, log } = await runTool(
    [String(REQUESTS), '1', ...options, ...(keepAlive ? [] : ['--no-keep-alive'])],
    endpointVariables(port, certificate),
  );
  const [stage] = stages;
  expectAllAnswers('r2-benchmark', stage.operations);
  const connectionsLine = log.split('\n').find((line) => line.startsWith('Read connections:')) ?? '';
  return { ...stage.latency.operations, connections: stage.connections, connectionsLine };
}
