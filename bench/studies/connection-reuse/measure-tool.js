import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { BUCKET, OBJECT_SIZE } from './endpoint.js';
import { REQUESTS, expectAllAnswers } from './measurement.js';

/** @import { Latencies, Load } from './measurement.js' */

const run = promisify(execFile);
const TOOL = fileURLToPath(new URL('../../../r2-benchmark.js', import.meta.url));

/**
 * What the tool says of its connections in --json.
 *
 * @typedef {object} Connections
 * @property {number} opened
 * @property {number} reused
 * @property {{ p50: number, maximum: number }} tcp ms
 * @property {{ p50: number, maximum: number }} tls ms
 *
 * @typedef {Latencies & { connections: Connections, connectionsLine: string }} ToolResult
 */

/**
 * The tool itself: one thread reads a hundred objects.
 *
 * @param {Load} load
 * @returns {Promise<ToolResult>}
 */
export async function measureTool({ port, authorities, keepAlive }) {
  const folder = mkdtempSync(join(tmpdir(), 'connection-reuse-'));
  const json = join(folder, 'result.json');
  const options = ['--stages', 'read', '--run-id', 'study', '--size', String(OBJECT_SIZE), '--quiet', '--json', json];
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: authorities,
    S3_BUCKET: BUCKET,
    S3_HOSTNAME: '127.0.0.1',
    S3_PORT: String(port),
    S3_USE_SSL: '1',
    S3_ACCESS_KEY: BUCKET,
    S3_SECRET_KEY: BUCKET,
  };
  try {
    const { stdout } = await run(
      process.execPath,
      [TOOL, String(REQUESTS), '1', ...options, ...(keepAlive ? [] : ['--no-keep-alive'])],
      { env, cwd: folder },
    );
    const [stage] = JSON.parse(readFileSync(json, 'utf8')).stages;
    expectAllAnswers('r2-benchmark', stage.operations);
    const connectionsLine = stdout.split('\n').find((line) => line.startsWith('Read connections:')) ?? '';
    return { ...stage.latency.operations, connections: stage.connections, connectionsLine };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
