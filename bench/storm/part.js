import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLocalS3 } from '../../lib/local-s3/start.js';
import { MemorySamples } from './memory-samples.js';

/**
 * @import { LocalS3 } from '../../lib/local-s3/start.js'
 * @import { MemoryTrend } from './memory-samples.js'
 * @import { Readable } from 'node:stream'
 */

const TOOL = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));
const BUCKETS = ['storm-a', 'storm-b'];
const CREDENTIALS = { accessKeyId: 'storm', secretAccessKey: 'storm' };
const THREADS = 100;

/**
 * Longer than any response takes on a busy machine: only the endpoint's counts can tell a hang from a slow response.
 */
export const TIMEOUT = '3s';

/**
 * Five requests in a hundred meet a fault, and every connection ends after its 50th request. There are no corrupted bodies,
 * because these end an operation.
 */
export const FAULTS =
  'status=503:1.5%, status=500:1%, HEAD.status=502:1%, DELETE.status=504:1%, ' +
  'reset=1%, PUT.lost=1%, truncate=1%, hang=0.2%, HEAD.reset=0.3%, DELETE.reset=0.3%, close=50';

/** @typedef {{ endpoint: LocalS3, folder: string, json: string }} Place json is the file for a result */

/**
 * @typedef {object} PartResult
 * @property {any} result the JSON of the run
 * @property {any} seen the endpoint's report
 * @property {number | null} status the exit status
 * @property {string} stderr
 * @property {{ bytes: number, retryLines: number, seconds: number }} log `seconds` is the number of per-second lines
 * @property {MemoryTrend | null} memory
 * @property {number} duration ms
 */

/**
 * @param {object} part
 * @param {number} part.objects to write, read, stat and remove
 * @param {number} part.seed for the faults
 * @param {'direct' | 'sdk'} part.client
 * @returns {Promise<PartResult>}
 */
export function runPart({ objects, seed, client }) {
  return withStore(`seed=${seed}, ${FAULTS}`, async (place) => {
    const { endpoint, json } = place;
    const options = ['--client', client, '--size', '1KiB', '--timeout', TIMEOUT, '--json', json, '--cores', '1'];
    const startedAt = performance.now();
    const child = startTool([`${objects}`, `${THREADS}`, ...options], place);
    const memory = new MemorySamples(/** @type {number} */ (child.pid));
    const [log, stderr, [status]] = await Promise.all([
      measureLog(child.stdout),
      readAll(child.stderr),
      once(child, 'close'),
    ]);
    const duration = performance.now() - startedAt;
    const trend = memory.stop();
    const result = readResult(json, status, stderr);
    return { result, seen: await endpoint.report(), status, stderr, log, memory: trend, duration };
  });
}

/**
 * @template Result
 * @param {string} faults
 * @param {(place: Place) => Promise<Result>} work
 */
export async function withStore(faults, work) {
  const endpoint = await startLocalS3({ buckets: BUCKETS, credentials: CREDENTIALS, faults });
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-storm-'));
  try {
    return await work({ endpoint, folder, json: join(folder, 'result.json') });
  } finally {
    await endpoint.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {readonly string[]} parameters
 * @param {Place} place
 */
export function startTool(parameters, { folder, endpoint }) {
  return spawn(process.execPath, [TOOL, ...parameters], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      S3_BUCKET: BUCKETS.join(','),
      S3_HOSTNAME: '127.0.0.1',
      S3_PORT: String(endpoint.port),
      S3_USE_SSL: '0',
      S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
      S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * @param {string} file
 * @param {number | null} status of the run; null if a signal ended it
 * @param {string} stderr of the run
 * @returns {any} the JSON of the run
 * @throws {Error} if the run wrote no result
 */
export function readResult(file, status, stderr) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`the run wrote no result and ended with status ${status}: ${stderr}`, { cause: error });
  }
}

/** @param {Readable} stdout */
async function measureLog(stdout) {
  const text = await readAll(stdout);
  return {
    bytes: Buffer.byteLength(text),
    retryLines: text.match(/^Retrying/gm)?.length ?? 0,
    seconds: text.match(/^\d\d:\d\d:\d\d: /gm)?.length ?? 0,
  };
}

/** @param {Readable} stream */
export async function readAll(stream) {
  return (await stream.setEncoding('utf8').toArray()).join('');
}
