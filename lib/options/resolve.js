import { MAX_PUT_BYTES } from '../load/operations/multipart.js';
import { operationsOf } from '../load/operations/registry.js';
import { keepNames } from '../text/redact.js';
import { WHOLE } from '../load/workload/keyspace.js';
import { isMultipart } from './conditions.js';
import { UsageError } from './usage-error.js';

/**
 * @import { Config, LoadConfig, MultipartConfig, RampPlan, Shard, StoreConfig, Trace } from '../result/config.js'
 * @import { OptionValues } from './read-options.js'
 */

/** `--cores auto` uses one core per this many threads. */
const THREADS_PER_CORE = 250;

/** Objects on which a turn warms up, besides one per thread. */
const MIN_WARMUP_OBJECTS = 100;

/** A turn measures each stage for at least this long, so that `ab` with few objects takes about a minute. */
const MIN_TURN_STAGE_MS = 500;

/**
 * Variables in which schedulers pass a host's index and the number of hosts. Kubernetes does not pass the number of
 * pods of an indexed Job, so our manifest sets `JOB_COMPLETIONS`.
 */
const SCHEDULERS = Object.freeze([
  { name: 'Slurm', index: 'SLURM_PROCID', count: 'SLURM_NTASKS' },
  { name: 'a Kubernetes indexed Job', index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS' },
]);

/**
 * Makes the configuration of a run. Without a store, problems of the other options are still reported.
 *
 * @template {StoreConfig | null} Store
 * @param {OptionValues} options
 * @param {object} context
 * @param {Store} context.store null if it could not be found
 * @param {NodeJS.ProcessEnv} context.env
 * @param {number} context.availableCores cores that this process may use, including fractions
 * @param {number} context.now epoch ms
 * @param {() => number} context.random uniform in [0, 1)
 * @param {boolean} [context.takesSnapshots] see OutputConfig
 * @param {{ isFirst: boolean }} [context.turn] of a comparison; `isFirst`: whether it is the first one of its setting
 * @returns {Omit<Config, 'store'> & { store: Store }} frozen
 * @throws {UsageError}
 */
export function resolve(options, { store, env, availableCores, now, random, turn, takesSnapshots = false }) {
  const shard = resolveShard(options.shard, env);
  // A clean-up has no load.
  const doesRun = options.threads !== undefined;
  if (doesRun && shard.count > 1 && options.runId === undefined) {
    throw new UsageError(['--shard requires a --run-id that is the same on all hosts']);
  }
  const runId = options.runId ?? makeRunId(now, random);
  keepNames([options.prefix, runId]);
  return freezeAll({
    store,
    objects: {
      count: doesRun ? options.objects : 0,
      runId,
      ...pick(options, 'prefix', 'size', 'sizes', 'existing', 'keep', 'allowVersioned'),
      shard,
    },
    load: resolveLoad(options, doesRun, availableCores),
    schedule: {
      ...pick(options, 'preflight', 'startAt', 'duration', 'maxOperations', 'warmup', 'gap', 'maxCost'),
      ramp: doesRun ? planRamp(options, threadsOf(options), shard) : undefined,
      sharesSlots: options.startAt !== undefined || shard.count > 1 || options.ramp !== undefined,
      warmupObjects: turn === undefined ? 0 : Math.min(options.objects, threadsOf(options) + MIN_WARMUP_OBJECTS),
      // The first turn is not measured.
      minDuration: turn === undefined || turn.isFirst ? 0 : MIN_TURN_STAGE_MS,
    },
    // The speed of a replay is the rate of its requests.
    search: options.findPeak
      ? { slo: options.slo, peakOf: options.peakOf === 'speed' ? 'rate' : options.peakOf }
      : null,
    output: { takesSnapshots, verboseRequest: options.verboseRequest },
  });
}

/**
 * @param {OptionValues} options
 * @param {boolean} doesRun false if there is no load
 * @param {number} availableCores
 * @returns {LoadConfig}
 */
function resolveLoad(options, doesRun, availableCores) {
  const { rangeSize, pageSize, batch, contenders, cores, trace, replay, speed } = options;
  const isRacing = operationsOf(options.stages).some(({ race }) => race !== undefined);
  const threads = doesRun ? threadsOf(options) : 1;
  const usable = Math.max(Math.floor(availableCores), 1);
  return {
    ...pick(
      options,
      'stages',
      'mix',
      'access',
      'client',
      'sdkDefaults',
      'presigned',
      'keepAlive',
      'timeout',
      'retries',
      'rate',
      'arrival',
    ),
    amounts: { rangeSize, pageSize, batch, contenders, ...pick(options, 'listWalk', 'delimiter') },
    multipart: multipartOf(options),
    replay: trace &&
      replay && {
        ...{ files: replay, part: pick(options, 'from', 'for', 'limit') },
        ...{ trace, speed, prepare: prepareOf(options, trace) },
      },
    threads,
    // An application has one client, and each core has its own.
    cores: doesRun
      ? chooseCores(options.sdkDefaults && cores === 'auto' ? 1 : cores, threads, usable, isRacing ? contenders : 1)
      : 1,
    availableCores,
  };
}

/**
 * @param {OptionValues} options
 * @param {Trace} trace
 */
function prepareOf({ prepareOnly, prepared }, trace) {
  const first = prepared ? trace.unchanged : 0;
  return { first, count: prepareOnly ? trace.unchanged : trace.prepared - first };
}

/** More threads than objects, or than the last step has, would be idle. @param {OptionValues} options */
function threadsOf({ threads, objects, ramp, replay }) {
  return Math.min(threads, replay === undefined ? objects : Infinity, ramp?.at(-1) ?? Infinity);
}

/**
 * @template {keyof OptionValues} Name
 * @param {OptionValues} options
 * @param {Name[]} names
 */
function pick(options, ...names) {
  return /** @type {Pick<OptionValues, Name>} */ (Object.fromEntries(names.map((name) => [name, options[name]])));
}

/**
 * @template {object} Value
 * @param {Value} value frozen with all its parts
 */
function freezeAll(value) {
  Object.values(value).forEach(Object.freeze);
  return Object.freeze(value);
}

/**
 * @param {Pick<OptionValues, 'multipart' | 'partSize' | 'partThreads' | 'size' | 'stages'>} options
 * @returns {MultipartConfig | undefined} undefined if no object is written in parts
 */
export function multipartOf({ multipart, partSize, partThreads, size, stages }) {
  return isMultipart({ multipart, size, stages })
    ? { partSize, partThreads, minSize: multipart ? 0 : MAX_PUT_BYTES + 1 }
    : undefined;
}

/**
 * @param {OptionValues} options
 * @param {number} threads of this host
 * @param {Shard} shard
 * @returns {RampPlan | undefined} undefined if the stages have no steps
 * @throws {UsageError}
 */
function planRamp({ ramp, stepTime, startAt }, threads, { count }) {
  if (ramp === undefined) {
    return undefined;
  }
  if (count > 1 && startAt?.isCommon === false) {
    throw new UsageError([
      '--start-at: expected the same moment on all hosts of a ramp, such as next:60s, not a time relative to the start of each process',
    ]);
  }
  return { threads: ramp.map((each) => Math.min(each, threads)), stepTime };
}

/**
 * One core drives about ten thousand operations per second. With few threads it mostly waits for the store, and more
 * cores would only wait as well.
 *
 * @param {number | 'auto'} given
 * @param {number} threads
 * @param {number} usable
 * @param {number} together threads that one core must have, because they share an operation
 */
function chooseCores(given, threads, usable, together) {
  const wanted = given === 'auto' ? Math.min(Math.ceil(threads / THREADS_PER_CORE), usable) : given;
  return Math.min(wanted, Math.floor(threads / together));
}

/**
 * @param {OptionValues['shard']} given
 * @param {NodeJS.ProcessEnv} env
 * @returns {Shard}
 * @throws {UsageError}
 */
export function resolveShard(given, env) {
  if (given === undefined) {
    return WHOLE;
  }
  const scheduler = SCHEDULERS.find(({ index: name }) => env[name] !== undefined);
  const index = given.index ?? wholeNumber(scheduler && env[scheduler.index]);
  const count = given.count ?? wholeNumber(scheduler && env[scheduler.count]);
  if (index === null || count === null || index >= count) {
    const variables = SCHEDULERS.map((each) => `${each.index} and ${each.count} of ${each.name}`).join(', or ');
    throw new UsageError([`--shard auto: expected ${variables}; --shard auto/N gives the number of hosts`]);
  }
  return { index, count };
}

/** @param {string | undefined} text */
function wholeNumber(text) {
  return text !== undefined && /^[0-9]{1,6}$/.test(text) ? Number(text) : null;
}

const CHANCE_DIGITS = 4;
const BASE = 36;

/**
 * The time of the run and random digits, so that hosts that start in the same second get different IDs.
 *
 * @param {number} now epoch ms
 * @param {() => number} random uniform in [0, 1)
 * @returns {string} such as `20260131-120000-x7k2`
 */
export function makeRunId(now, random) {
  const [day, time] = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  const chance = Math.floor(random() * BASE ** CHANCE_DIGITS);
  return `${day}-${time}-${chance.toString(BASE).padStart(CHANCE_DIGITS, '0')}`;
}
