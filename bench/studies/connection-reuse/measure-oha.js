import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BUCKET } from '../endpoint.js';
import { REQUESTS, expectAllAnswers } from '../measurement.js';

/**
 * @import { Latencies } from '../measurement.js'
 * @import { Load } from './distances.js'
 */

const run = promisify(execFile);
const MILLISECONDS = 1000;

/**
 * Runs the same load with oha, a load generator in Rust. Its latencies include opening the connection.
 *
 * @param {Load} load
 * @returns {Promise<Latencies>}
 */
export async function measureOha({ port, certificate, keepAlive }) {
  const { stdout } = await run('oha', [
    ...['-c', '1', '-n', String(REQUESTS), '--no-tui', '--output-format', 'json', '--http-version', '1.1'],
    ...['--cacert', certificate.certificateFile],
    ...(keepAlive ? [] : ['--disable-keepalive']),
    `https://127.0.0.1:${port}/${BUCKET}/benchmark/study/00000000-0`,
  ]);
  const { summary, latencyPercentiles, statusCodeDistribution } = JSON.parse(stdout);
  expectAllAnswers('oha', statusCodeDistribution['200'] ?? 0);
  return {
    minimum: summary.fastest * MILLISECONDS,
    mean: summary.average * MILLISECONDS,
    p50: latencyPercentiles.p50 * MILLISECONDS,
    p90: latencyPercentiles.p90 * MILLISECONDS,
    p99: latencyPercentiles.p99 * MILLISECONDS,
    maximum: summary.slowest * MILLISECONDS,
  };
}
