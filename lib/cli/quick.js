import { Clock } from '../measure/clock/clock.js';
import { openFileLimit } from '../measure/host/limits.js';
import { optionWords } from '../options/recorded-options.js';
import { ROWS } from '../options/table.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { requestAbsentObject } from '../run/preflight/control-request.js';
import { fileLimitProblem, prepareRun } from '../run/prepare-run.js';
import { openRun } from '../run/open-run.js';
import { S3_CALLS } from '../store/object-store.js';
import { listOf, rounded } from '../text/figures.js';
import { shellWord } from '../text/shell-words.js';
import { runByCommand } from './benchmark.js';
import { QUICK } from './command-line.js';
import { commandFor } from './later-commands.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { RunResult } from '../result/result.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Later } from './later-commands.js'
 * @import { Program } from './main.js'
 */

/** Operations per second that the threads should allow at the measured latency. Loaded requests take longer. */
const USEFUL_RATE = 4000;

const MIN_THREADS = 16;

/** The first requests include the connection and cold code. */
const PROBES = 5;

/** If a probe takes longer, the run itself finds out why. */
const PROBE_TIMEOUT_MS = 5000;

/** A capacity search needs this many objects per write per second: see docs/measure/capacity.md. */
const OBJECTS_PER_RATE = 40;

/**
 * Measures one request's latency, chooses the threads, and then runs the benchmark.
 *
 * @param {CommandLine} options of a run, with the most threads
 * @param {Program} program
 * @returns {Promise<number>} the exit status
 */
export async function quickByCommand(options, program) {
  const notify = (/** @type {string} */ line) => options.quiet || program.terminal.err(line);
  notify('Measuring the latency of one request');
  // The run reports every problem, with those of its outputs.
  const latency = await latencyOfOne(options, program).catch(() => null);
  const threads = threadsFor(latency);
  if (latency !== null) {
    notify(`One request takes ${latency.toFixed(1)}ms: using ${threads} threads`);
  }
  const given = { ...options.given, threads: String(threads) };
  return runByCommand({ ...options, threads, given }, program, (...ran) => nextSteps(options, ...ran));
}

/**
 * @param {number | null} latency ms; null if unknown
 * @returns {number} a power of two, as many as the latency needs, and as the open files allow
 */
export function threadsFor(latency, openFiles = openFileLimit(process.report)) {
  const wanted = 2 ** Math.ceil(Math.log2((USEFUL_RATE * (latency ?? 0)) / 1000 || 1));
  let threads = Math.min(Math.max(wanted, MIN_THREADS), QUICK.threads);
  // The most threads use two cores.
  while (threads > 1 && fileLimitProblem({ threads, cores: 2 }, openFiles) !== null) {
    threads /= 2;
  }
  return threads;
}

/**
 * @param {CommandLine} options
 * @param {Program} program
 * @returns {Promise<number | null>} ms; null if the store does not respond as expected
 */
async function latencyOfOne(options, { env, invocation, stopRequest }) {
  const clock = new Clock();
  const random = Math.random;
  const signal = AbortSignal.any([stopRequest.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
  const context = { env, now: clock.epochNow(), random, invocation, signal };
  const { target, config } = await prepareRun(options, context);
  try {
    const run = await openRun(config, { clock, random, credentials: target.renewal?.credentials });
    try {
      const times = [];
      for (let probe = 0; probe < PROBES; probe++) {
        const startedAt = clock.now();
        const sender = { run, maxAttempts: 2, signal };
        const [connection, bucket] = [run.controlConnections[0], config.store.buckets[0]];
        const { error } = await requestAbsentObject(sender, connection, bucket, S3_CALLS.HeadObject);
        if (error?.status !== 404) {
          return null;
        }
        times.push(clock.now() - startedAt);
      }
      return Math.min(...times);
    } finally {
      await run.close();
    }
  } finally {
    clock.close();
    await target.close();
  }
}

/**
 * @param {CommandLine} options
 * @param {RunResult} ran
 * @param {Config} config
 * @param {Later} later
 * @returns {string[]} how the stages ended, and commands that continue from the measured figures
 */
function nextSteps(options, { stages }, config, later) {
  if (stages.length === 0) {
    return [];
  }
  const [write] = stages;
  const { threads } = config.load;
  const objects = (Math.ceil(((write.average ?? 0) * OBJECTS_PER_RATE) / 10_000) || 1) * 10_000;
  // commandFor adds the client edge.
  const others = /** @type {const} */ ([
    ...['local', 'faults', 'allowVersioned', 'sdkDefaults', 'presigned', 'publicUrl', 'keepAlive', 'timeout'],
    ...['retries', 'cores', 'preflight'],
    ...(options.client === 'edge' ? [] : ['client']),
  ]);
  const same = others.flatMap((name) => optionWords(ROWS[name], options[/** @type {'local'} */ (name)]));
  const size = options.given.size === undefined ? [] : ['--size', String(options.given.size)];
  const saved = [options.json, options.log].find((file) => file !== undefined && file !== STANDARD_OUTPUT);
  const page = options.report === undefined ? 'report.html' : 'next.html';
  const report = `${later.command} report ${shellWord(saved ?? '')} -o ${page}`;
  const command = (/** @type {string[]} */ ...words) => commandFor([...words, ...same], config, later);
  return [
    `${listOf(stages.map(endOf))}.`,
    'Next:',
    '  How much can it handle?',
    `    ${command(String(objects), String(Math.min(4 * threads, 1024)), '--find-peak', ...size)}`,
    '  And with your object size, as a page with charts?',
    `    ${command('1000', String(threads), '--size', '1MiB', '--report', page)}`,
    ...(saved === undefined ? [] : ['  This result as a page with charts:', `    ${report}`]),
  ];
}

/** @param {RunResult['stages'][number]} stage */
function endOf({ stage, operations, duration, end }) {
  const most = stage === 'Write' ? QUICK.objects : QUICK.maxOperations;
  const what = stage === 'Write' || stage === 'Remove' ? 'objects' : 'requests';
  const why = end === 'complete' && (operations >= most || stage === 'Remove');
  return `${stage} ended after ${why ? `${rounded(operations)} ${what}` : `${(duration / 1000).toFixed(0)}s`}`;
}
