import { WHOLE } from '../workload/shard.js';
import { makeRunId } from './run-id.js';
import { UsageError } from './usage-error.js';

/**
 * @import { CommandLine } from './options.js'
 * @import { RunConfig } from '../run/run-config.js'
 * @import { StoreConfig } from '../s3/store-config.js'
 * @import { Shard } from '../workload/shard.js'
 */

/** With `--cores auto`, another core is used for each so many threads. */
const THREADS_A_CORE = 250;

/**
 * Where engines for many hosts tell a host its place among them. Kubernetes does not tell an indexed Job's pods how many
 * they are: `JOB_COMPLETIONS` is set by our manifest.
 */
const PLACES = Object.freeze([
  { engine: 'Slurm', index: 'SLURM_PROCID', count: 'SLURM_NTASKS' },
  { engine: 'a Kubernetes indexed Job', index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS' },
]);

/**
 * Makes of what the command line asks for what a run is told.
 *
 * @param {CommandLine} options
 * @param {object} world
 * @param {StoreConfig} world.store
 * @param {NodeJS.ProcessEnv} world.env
 * @param {number} world.availableCores that this process may use, parts of one included
 * @param {number} world.now epoch ms
 * @param {() => number} world.random uniform in [0, 1)
 * @returns {RunConfig}
 * @throws {UsageError}
 */
export function resolveConfig(options, { store, env, availableCores, now, random }) {
  const runId = options.cleanup ?? options.runId ?? makeRunId(now, random);
  const shard = resolveShard(options.shard, env);
  if (options.cleanup !== undefined || options.list) {
    return Object.freeze({ ...options, runId, store, objects: 0, threads: 1, cores: 1, availableCores, shard });
  }
  if (shard.count > 1 && options.runId === undefined) {
    throw new UsageError(['--shard: expected --run-id as well, the same on all hosts']);
  }
  // A thread without an object would only hold a connection open.
  const threads = Math.min(options.threads, options.objects);
  const cores = chooseCores(options.cores, threads, Math.max(Math.floor(availableCores), 1));
  return Object.freeze({ ...options, runId, store, threads, cores, availableCores, shard });
}

/**
 * One core drives some ten thousand operations a second. With few threads it waits for the store, and further cores
 * would only wait as well.
 *
 * @param {number | 'auto'} given
 * @param {number} threads
 * @param {number} usable
 * @returns {number}
 */
export function chooseCores(given, threads, usable) {
  const wanted = given === 'auto' ? Math.min(Math.ceil(threads / THREADS_A_CORE), usable) : given;
  return Math.min(wanted, threads);
}

/**
 * @param {CommandLine['shard']} given
 * @param {NodeJS.ProcessEnv} env
 * @returns {Shard}
 * @throws {UsageError}
 */
function resolveShard(given, env) {
  if (given === undefined) {
    return WHOLE;
  }
  const place = PLACES.find(({ index: name }) => env[name] !== undefined);
  const index = given.index ?? wholeNumber(place && env[place.index]);
  const count = given.count ?? wholeNumber(place && env[place.count]);
  if (index === null || count === null || index >= count) {
    const variables = PLACES.map((each) => `${each.index} and ${each.count} of ${each.engine}`).join(', or ');
    throw new UsageError([`--shard auto: expected ${variables}; --shard auto/N gives the number of hosts`]);
  }
  return { index, count };
}

/** @param {string | undefined} text */
function wholeNumber(text) {
  return text !== undefined && /^[0-9]{1,6}$/.test(text) ? Number(text) : null;
}
