import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseLine } from '../../lib/log/log-line.js';

/** @typedef {import('../../lib/log/log-line.js').LogRecord} LogRecord */
/** @typedef {import('../helpers/server-process.js').TestServer} TestServer */

const PROGRAM = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));
const PATIENCE = 180_000;

/**
 * @typedef {object} Outcome
 * @property {number | null} status
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} milliseconds from the start of the process to its end
 */

/**
 * Runs the command line as a user does, configured by a `.env` file alone.
 *
 * @param {readonly string[]} parameters
 * @param {object} target
 * @param {TestServer} target.server
 * @param {readonly string[]} target.buckets
 * @param {number} [target.port] where it differs from the server's own
 * @param {string} [target.accessKey] where it differs from the server's own
 * @param {string} [target.secretKey] where it differs from the server's own
 * @param {boolean} [target.trusting] false: without the server's certificate among the trusted ones
 * @returns {Promise<Outcome>}
 */
export async function runBenchmark(parameters, { server, buckets, trusting = true, ...other }) {
  const { port = server.port, accessKey = server.credentials.accessKeyId } = other;
  const { secretKey = server.credentials.secretAccessKey } = other;
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-run-'));
  const configuration = path.join(folder, '.env');
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
    env: { PATH: process.env.PATH, HOME: folder, ...trusted },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
  });
  const [[status], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  const milliseconds = performance.now() - started;
  await rm(folder, { recursive: true });
  assert.ok(!`${stdout}${stderr}`.includes(secretKey), 'a secret is in the output');
  return { status, stdout, stderr, milliseconds };
}

/**
 * @param {Outcome} run
 * @param {number} status
 */
export function assertStatus(run, status) {
  assert.equal(run.status, status, `exit status ${run.status}; stderr:\n${run.stderr}\nstdout:\n${run.stdout}`);
}

/**
 * @param {string} stdout
 * @returns {LogRecord[]} one for each line, for there may be no line that is not of the log
 */
export function recordsOf(stdout) {
  assert.ok(stdout.endsWith('\n'), 'the log ends with a whole line');
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const record = parseLine(line);
      assert.ok(record !== null, `not a line of the log: ${line}`);
      return record;
    });
}

/**
 * @template {LogRecord['kind']} Kind
 * @param {readonly LogRecord[]} records
 * @param {Kind} kind
 * @returns {Extract<LogRecord, { kind: Kind }>[]}
 */
export function ofKind(records, kind) {
  return /** @type {any} */ (records.filter((record) => record.kind === kind));
}
