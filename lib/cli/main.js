import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { readCommandLine, readMergeCommandLine } from './command-line.js';
import { EXIT } from './exit-status.js';
import { invocationOf, writeExample } from './invocation.js';
import { load } from './start.js';
import { reportError } from './report-error.js';
import { StopRequest } from './stop-request.js';
import { Terminal, abilitiesOf } from './terminal.js';

/**
 * @import { Readable } from 'node:stream'
 * @import { CommandLine } from './command-line.js'
 * @import { Invocation } from '../options/store/environment.js'
 */

/**
 * How far the heap may grow, as a percentage of live data, before it is collected. By default V8 lets a small heap grow
 * several-fold: at 1,000 threads that is 60 MB of garbage, with no measurable saving of CPU time.
 */
const HEAP_GROWTH_PERCENT = 30;

/**
 * @typedef {NodeJS.EventEmitter & Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit' | 'cwd' | 'pid' | 'kill'>
 *   & { stdin: Readable }} Streams the process, or a test double
 *
 * @typedef {{ env: NodeJS.ProcessEnv, streams: Streams, invocation: Invocation, terminal: Terminal,
 *   stopRequest: StopRequest, isDebugging: boolean }} Program
 */

/**
 * Runs the benchmark, or the command that the command line names. Modules are loaded only once the command is known, so
 * that help appears instantly.
 *
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 * @param {typeof readCommandLine} [read]
 * @returns {Promise<number>} the exit status
 */
export async function main(argv, env, streams, read = readCommandLine) {
  // The SDK's warnings about support for older Node versions are irrelevant to a benchmark.
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const stopRequest = new StopRequest(streams);
  const abilities = abilitiesOf(env, process.platform);
  const terminal = new Terminal({ ...streams, ...abilities, onLost: (isClosed) => stopRequest.outputLost(isClosed) });
  streams.on('SIGTSTP', () => {
    // After the process continues, a timer could draw over the shell's output before any signal handler runs.
    terminal.stops();
    streams.kill(streams.pid, 'SIGSTOP');
  });
  const isDebugging = env.R2_BENCHMARK_DEBUG === '1';
  stopRequest.catchDefects((error) => reportError(error, terminal, isDebugging));
  const invocation = invocationOf(streams.cwd());
  const program = { env, streams, invocation, terminal, stopRequest, isDebugging };
  stopRequest.onOffer = () => terminal.err('Press Ctrl-C again to exit immediately, without further clean-up');
  const status = await runRequest(argv, program, read).catch((error) => reportError(error, terminal, isDebugging));
  stopRequest.stopListening();
  // Node reports a closed output only in the event-loop turn after the failed write.
  await nextTurn();
  return stopRequest.status ?? status;
}

/**
 * peak-performance.js, which is the command `merge`.
 *
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 */
export function mergeMain(argv, env, streams) {
  return main(argv, env, streams, readMergeCommandLine);
}

/**
 * @param {readonly string[]} argv
 * @param {Program} program
 * @param {typeof readCommandLine} read
 */
async function runRequest(argv, program, read) {
  const { streams, invocation, terminal, stopRequest } = program;
  const { command, options } = read(argv, streams, invocation);
  if (command === 'merge') {
    return (await load(() => import('./merge.js'))).mergeByCommand(options, program);
  }
  if (command === 'report') {
    return (await load(() => import('./compare.js'))).reportByCommand(options, program);
  }
  if (command === 'completion') {
    const { completionScript } = await load(() => import('./completion.js'));
    terminal.out(completionScript(options.shell));
    return EXIT.complete;
  }
  if (command === 'compare') {
    return (await load(() => import('./compare.js'))).compareByCommand(options, terminal);
  }
  if (command === 'init') {
    terminal.out(writeExample(options.file, invocation));
    return EXIT.complete;
  }
  stopRequest.watch();
  if (command === 'ab') {
    return (await load(() => import('./ab.js'))).abByCommand(options, program);
  }
  if (command === 'sweep') {
    return (await load(() => import('./sweep.js'))).sweepByCommand(options, program);
  }
  if ((command === 'run' || command === 'quick') && options.dryRun) {
    return (await load(() => import('./dry-run.js'))).dryRunByCommand(options, program);
  }
  if (command === 'run') {
    return (await load(() => import('./benchmark.js'))).runByCommand(options, program);
  }
  if (command === 'quick') {
    return (await load(() => import('./quick.js'))).quickByCommand(options, program);
  }
  if (command === 'traffic') {
    return (await load(() => import('./dry-run.js'))).showTraffic(options, program);
  }
  return workOnStore(command, options, program);
}

/**
 * @param {'list' | 'cleanup'} command
 * @param {CommandLine} options
 * @param {Program} program
 */
async function workOnStore(command, options, { env, invocation, terminal, stopRequest }) {
  const { Clock } = await load(() => import('../measure/clock/clock.js'));
  const { prepareRun } = await load(() => import('../run/prepare-run.js'));
  const { laterOf } = await load(() => import('./later-commands.js'));
  const clock = new Clock();
  const random = Math.random;
  const { signal } = stopRequest;
  const deps = { env, now: clock.epochNow(), random, invocation, signal };
  const { target, config } = await prepareRun(options, deps);
  const later = laterOf(options, target.overrides, invocation);
  const { renewal } = target;
  const context = { clock, random, signal, terminal, quiet: options.quiet, credentials: renewal?.credentials };
  target.warnings.forEach((warning) => terminal.err(`warning: ${warning}`));
  if (!options.quiet) {
    target.notices.forEach((notice) => terminal.err(notice));
  }
  clock.watchPauses((message) => terminal.err(`warning: ${message}`));
  renewal?.start({ epochNow: clock.epochNow, notice: (message) => terminal.err(`warning: ${message}`) });
  try {
    // Listing leaves nothing to clean up, so a signal can end it immediately.
    if (command === 'list') {
      const { listRunsByCommand } = await load(() => import('./cleanup.js'));
      return await listRunsByCommand(config, later, context);
    }
    stopRequest.listen(() => {});
    const { cleanUpByCommand } = await load(() => import('./cleanup.js'));
    return await cleanUpByCommand(config, later, context, stopRequest);
  } finally {
    await target.close();
  }
}
