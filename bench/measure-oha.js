import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** @import { Load } from './measure-client.js' */

const run = promisify(execFile);

/** Runs a command and then prints its CPU time: bash's `times` prints its own CPU time, then that of its children. */
const TIMED = '"$@" && times';
const TIMES = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/;

/** The stages that oha can run, because it only repeats one request without a body. */
const METHODS = { Read: 'GET', Stat: 'HEAD' };

/**
 * Runs oha, a load generator in Rust, with signed requests for one object.
 *
 * @param {Load} load
 * @returns {Promise<any[]>} stages in the format of the tool's JSON
 */
export async function runOha(load) {
  const stages = [];
  for (const [stage, method] of Object.entries(METHODS)) {
    stages.push({ stage, operations: load.objects, ...(await runMethod(method, load)) });
  }
  return stages;
}

/**
 * @param {string} method
 * @param {Load} load
 * @throws {Error} if a request failed
 */
async function runMethod(method, { objects, threads, env }) {
  const { S3_HOSTNAME, S3_PORT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY, NODE_EXTRA_CA_CERTS } = env;
  const scheme = env.S3_USE_SSL === '1' ? 'https' : 'http';
  const { stdout } = await run('bash', [
    ...['-c', TIMED, 'bash', 'oha', '-n', String(objects), '-c', String(threads), '-m', method],
    // On a slow host, the handshakes of all connections take longer than oha's default.
    ...['--no-tui', '--output-format', 'json', '--http-version', '1.1', '--connect-timeout', '60s'],
    ...(NODE_EXTRA_CA_CERTS === undefined ? [] : ['--cacert', NODE_EXTRA_CA_CERTS]),
    ...['--aws-sigv4', 'aws:amz:auto:s3', '-a', `${S3_ACCESS_KEY}:${S3_SECRET_KEY}`],
    `${scheme}://${S3_HOSTNAME}:${S3_PORT}/${S3_BUCKET}/benchmark/oha/00000000-0`,
  ]);
  const { summary, ...counts } = JSON.parse(stdout.slice(0, stdout.lastIndexOf('}') + 1));
  const { statusCodeDistribution, errorDistribution } = counts;
  if (statusCodeDistribution['200'] !== objects) {
    const got = JSON.stringify({ ...statusCodeDistribution, ...errorDistribution });
    throw new Error(`oha: expected ${objects} responses with status 200, got ${got}`);
  }
  const [, userMinutes, userSeconds, systemMinutes, systemSeconds] = TIMES.exec(stdout) ?? [];
  const clientLoad = {
    cpuUser: milliseconds(userMinutes, userSeconds),
    cpuSystem: milliseconds(systemMinutes, systemSeconds),
  };
  return { average: summary.requestsPerSec, clientLoad };
}

/** @returns {Promise<string | null>} the version of oha on PATH, or null */
export async function findOha() {
  try {
    return (await run('oha', ['--version'])).stdout.trim();
  } catch {
    return null;
  }
}

/**
 * @param {string} minutes
 * @param {string} seconds
 */
function milliseconds(minutes, seconds) {
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}
