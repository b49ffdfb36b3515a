import { cleanUpRun } from '../run/clean-up-run.js';
import { openRun } from '../run/open-run.js';
import { preflight } from '../run/preflight.js';
import { DEFAULT_FILE } from './environment.js';
import { EXIT } from './exit-status.js';

/**
 * `--cleanup <run-id>`: removes what a run left behind, from any host.
 *
 * @param {import('../run/run-config.js').RunConfig} config of a run with that id
 * @param {object} world
 * @param {import('../meter/clock.js').Clock} world.clock
 * @param {() => number} world.random uniform in [0, 1)
 * @param {AbortSignal} world.signal
 * @param {import('./terminal.js').Terminal} world.terminal
 * @returns {Promise<number>} the exit status
 */
export async function cleanUpByCommand(config, { clock, random, signal, terminal }) {
  const run = await openRun(config, { clock, random });
  try {
    const problems = await preflight(run, config.store, signal);
    if (problems.length > 0) {
      problems.forEach((problem) => terminal.err(`error: ${problem}`));
      return EXIT.usage;
    }
    const result = await cleanUpRun({
      keyspace: run.keyspace,
      storeOptions: run.attendantOptions,
      clock,
      random,
      timeout: config.timeout,
      owns: () => true,
      outcomeUnknown: false,
      requests: run.requests,
    });
    terminal.out(describeCleanup(result, config));
    result.problems.forEach((problem) => terminal.err(`error: ${problem}`));
    return result.left === 0 ? EXIT.complete : EXIT.incomplete;
  } finally {
    await run.close();
  }
}

/**
 * @param {import('../run/cleanup.js').CleanupResult} result
 * @param {import('../run/run-config.js').RunConfig} config
 * @returns {string} one line
 */
export function describeCleanup({ removed, left, foreign }, { runId, prefix, store }) {
  const count = left < 0 ? 'how many are left could not be counted' : `${left} left`;
  const others = foreign === 0 ? '' : `, and ${foreign} that the run did not write were not touched`;
  return `Clean-up of run ${runId}: ${removed} objects removed under ${prefix}/${runId}/ in ${store.buckets.join(', ')}, ${count}${others}`;
}

/**
 * @param {Pick<import('../run/run-config.js').RunConfig, 'runId' | 'prefix'> & { envFile?: string }} config
 * @returns {string} the command that removes what a run left behind
 */
export function cleanupCommand({ runId, prefix, envFile = DEFAULT_FILE }) {
  const options = [
    prefix === 'benchmark' ? '' : ` --prefix ${prefix}`,
    envFile === DEFAULT_FILE ? '' : ` --env-file ${envFile}`,
  ];
  return `node r2-benchmark.js --cleanup ${runId}${options.join('')}`;
}
