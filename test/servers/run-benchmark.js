import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * @import { Outcome } from '../helpers/outcome.js'
 * @import { TestServer } from '../helpers/server-process.js'
 */

const PROGRAM = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));
const PATIENCE = 180_000;

/**
 * Runs the command line as a user does, configured only by the file that `--env-file` names.
 *
 * @param {readonly string[]} parameters
 * @param {object} target
 * @param {TestServer} target.server
 * @param {readonly string[]} target.buckets
 * @param {number} [target.port] if different from the server's
 * @param {string} [target.accessKey] if different from the server's
 * @param {string} [target.secretKey] if different from the server's
 * @param {Record<string, string>} [target.env] further variables
 * @param {boolean} [target.trusting] false: do not trust the server's certificate
 * @returns {Promise<Outcome>}
 */
export async function runBenchmark(parameters, { server, buckets, env = {}, trusting = true, ...other }) {
  const { port = server.port, accessKey = server.credentials.accessKeyId } = other;
  const { secretKey = server.credentials.secretAccessKey } = other;
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-run-'));
  const configuration = path.join(folder, 'store.env');
  await writeFile(
    configuration,
    [
      `S3_BUCKET=${buckets.join(',')}`,
      `S3_HOSTNAME=${server.hostname}`,
      `S3_PORT=${port}`,
      `S3_USE_SSL=${server.certificate === null ? 0 : 1}`,
      `S3_ACCESS_KEY=${accessKey}`,
      `S3_SECRET_KEY=${secretKey}`,
      '',
    ].join('\n'),
  );
  const trusted = server.certificate !== null && trusting ? { NODE_EXTRA_CA_CERTS: server.certificate } : {};
  const started = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...parameters, '--env-file', configuration], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...trusted, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
  });
  const [[status], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  const milliseconds = performance.now() - started;
  await rm(folder, { recursive: true });
  assert.ok(!`${stdout}${stderr}`.includes(secretKey), 'a secret is in the output');
  return { status, stdout, stderr, milliseconds };
}
