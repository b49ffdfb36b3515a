import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** @import { Load } from './measure-client.js' */

const run = promisify(execFile);

/** Runs a command and then tells what CPU time it took: bash's `times` prints its own, then that of its children. */
const TIMED = '"$@" >/dev/null && times';
const TIMES = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/;

/**
 * oha, a load generator in Rust, with signed HEADs of one object.
 *
 * @param {Load} load
 * @returns {Promise<any[]>} the one stage that it can do, as the tool's JSON has it
 */
export async function runOha({ objects, threads, env }) {
  const { S3_HOSTNAME, S3_PORT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY, NODE_EXTRA_CA_CERTS } = env;
  const scheme = env.S3_USE_SSL === '1' ? 'https' : 'http';
  const startedAt = performance.now();
  const { stdout } = await run('bash', [
    ...['-c', TIMED, 'bash', 'oha', '-n', String(objects), '-c', String(threads), '-m', 'HEAD'],
    ...['--no-tui', '--output-format', 'quiet', '--http-version', '1.1'],
    ...(NODE_EXTRA_CA_CERTS === undefined ? [] : ['--cacert', NODE_EXTRA_CA_CERTS]),
    ...['--aws-sigv4', 'aws:amz:auto:s3', '-a', `${S3_ACCESS_KEY}:${S3_SECRET_KEY}`],
    `${scheme}://${S3_HOSTNAME}:${S3_PORT}/${S3_BUCKET}/benchmark/oha/00000000-0`,
  ]);
  const average = objects / ((performance.now() - startedAt) / 1000);
  const [, userMinutes, userSeconds, systemMinutes, systemSeconds] = TIMES.exec(stdout) ?? [];
  const clientLoad = {
    cpuUser: milliseconds(userMinutes, userSeconds),
    cpuSystem: milliseconds(systemMinutes, systemSeconds),
  };
  return [{ stage: 'Stat', operations: objects, average, clientLoad }];
}

/** @returns {Promise<boolean>} whether oha is on PATH */
export async function hasOha() {
  try {
    await run('oha', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} minutes
 * @param {string} seconds
 */
function milliseconds(minutes, seconds) {
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}
