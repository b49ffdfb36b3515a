import { cleanUpRun } from '../run/clean-up-run.js';
import { openRun } from '../run/open-run.js';
import { preflight } from '../run/preflight.js';
import { DEFAULT_FILE } from './environment.js';
import { EXIT } from './exit-status.js';
import { FROM_CLONE } from './invocation.js';
import { shellWord } from './shell-word.js';

/** @typedef {import('../run/run-config.js').RunConfig} RunConfig */

/**
 * @typedef {object} CommandWorld
 * @property {import('../meter/clock.js').Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal
 * @property {import('./terminal.js').Terminal} terminal
 */

/**
 * What a later command needs to find the same store.
 *
 * @typedef {object} Later
 * @property {string} [envFile]
 * @property {Record<string, string>} [overrides] variables that have to be set
 * @property {string} [command] that calls the program, for a shell
 */

/**
 * `--cleanup <run-id>`: removes what a run left behind, from any host.
 *
 * @param {RunConfig} config of a run with that id
 * @param {CommandWorld} world
 * @returns {Promise<number>} the exit status
 */
export function cleanUpByCommand(config, world) {
  const { terminal } = world;
  return withCheckedRun(config, world, async (access, run) => {
    const result = await cleanUpRun({
      ...access,
      keyspace: run.keyspace,
      owns: () => true,
      outcomeUnknown: false,
    });
    terminal.out(describeCleanup(result, config));
    if (result.removed === 0 && result.left === 0) {
      terminal.err('Nothing was there to be removed: --cleanup --list shows which runs have left something');
    }
    result.problems.forEach((problem) => terminal.err(`error: ${problem}`));
    return result.left === 0 ? EXIT.complete : EXIT.incomplete;
  });
}

/**
 * Opens what a command on buckets needs, and asks each bucket whether it is there at all.
 *
 * @param {RunConfig} config
 * @param {CommandWorld} world
 * @param {(access: Omit<Parameters<typeof cleanUpRun>[0], 'keyspace' | 'owns' | 'outcomeUnknown'>,
 *   run: import('../run/open-run.js').OpenRun) => Promise<number>} work
 * @returns {Promise<number>} the exit status
 */
export async function withCheckedRun(config, { clock, random, signal, terminal }, work) {
  // Nothing is written, read or removed that preflight would have to try.
  const run = await openRun({ ...config, stages: [] }, { clock, random });
  try {
    const { problems, mayPass } = await preflight(run, { ...config, stages: [] }, signal);
    if (problems.length > 0) {
      problems.forEach((problem) => terminal.err(`error: ${problem}`));
      return mayPass ? EXIT.incomplete : EXIT.usage;
    }
    const { attendantOptions: storeOptions, requests } = run;
    return await work({ storeOptions, clock, random, timeout: config.timeout, requests }, run);
  } finally {
    await run.close();
  }
}

/**
 * @param {import('../run/cleanup.js').CleanupResult} result
 * @param {RunConfig} config
 * @returns {string} one line
 */
export function describeCleanup({ removed, left, foreign }, { runId, prefix, store }) {
  const count = left < 0 ? 'how many are left could not be counted' : `${left} left`;
  const others = foreign === 0 ? '' : `, and ${foreign} that the run did not write were not touched`;
  return `Clean-up of run ${runId}: ${removed} ${removed === 1 ? 'object' : 'objects'} removed under ${prefix}/${runId}/ in ${store.buckets.join(', ')}, ${count}${others}`;
}

/**
 * @param {Pick<RunConfig, 'runId' | 'prefix'> & Later} config
 * @returns {string} the command that removes what a run left behind, for a shell
 */
export function cleanupCommand({
  runId,
  prefix,
  envFile = DEFAULT_FILE,
  overrides = {},
  command = FROM_CLONE.benchmark,
}) {
  const words = ['--cleanup', runId];
  if (prefix !== 'benchmark') {
    words.push('--prefix', prefix);
  }
  if (envFile !== DEFAULT_FILE) {
    words.push('--env-file', envFile);
  }
  const variables = Object.entries(overrides).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...variables, command, ...words.map(shellWord)].join(' ');
}
