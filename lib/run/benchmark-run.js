import { counted } from '../text/figures.js';
import { isInShard, isOfShard } from '../workload/shard.js';
import { formatSizes } from '../workload/size-distribution.js';
import { STAGES, operationsOf, operationsOfRun } from '../operations/registry.js';
import { UnlistedObjects } from '../workload/unlisted-objects.js';
import { checkStore, chooseStart, getReady, openRunClock } from './begin-run.js';
import { cleanUpRun } from '../cleanup/clean-up-run.js';
import { lateWritesOf } from './late-writes.js';
import { findCapacities } from './find-capacities.js';
import { keptSizeProblem } from '../preflight/kept-size.js';
import { listExisting } from '../preflight/list-existing.js';
import { openRun } from './open-run.js';
import { PHASES, Phases } from './phases.js';
import { runFacts } from './run-facts.js';
import { runRamps } from './run-ramps.js';
import { runStages } from './run-stages.js';
import { TimeBudget } from '../preflight/time-budget.js';
import { WriteChecks } from '../preflight/write-checks.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { LiveCredentials } from '../s3/live-credentials.js'
 * @import { Workers } from '../engine/workers.js'
 * @import { RunResult, UnloadedLatency } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { RunClock } from './begin-run.js'
 * @import { OpenRun } from './open-run.js'
 * @import { Config } from '../model/config.js'
 * @import { OwnKey } from '../workload/keyspace.js'
 */

const REMOVING_STAGES = new Set(STAGES.filter(({ removes }) => removes).map(({ name }) => name));

/**
 * What a run is given from outside.
 *
 * @typedef {object} RunSurroundings
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal ends the run early
 * @property {{ host: string, versions: Record<string, string> }} identity of the host that runs it
 * @property {RunObserver} observer
 * @property {number} launchedAt monotonic ms at which the process was started
 * @property {LiveCredentials} [credentials] that may be replaced; without, those of the store
 */

/**
 * Runs the stages in their order and leaves the buckets as they were.
 *
 * @param {Config} config
 * @param {RunSurroundings} surroundings
 * @returns {Promise<RunResult>}
 */
export function runBenchmark(config, surroundings) {
  return withRun(config, surroundings, async (beginning, result) => {
    const begun = await beginRun(beginning, surroundings.launchedAt, result);
    if (begun !== null) {
      await measure(begun, result);
    }
  });
}

/**
 * Opens a run, sees whether its store is ready, lets it work, and leaves the buckets as they were.
 *
 * @param {Config} config
 * @param {RunSurroundings} surroundings
 * @param {(beginning: Beginning, result: RunResult) => Promise<void>} work is left out where the run may not begin
 * @returns {Promise<RunResult>}
 */
export async function withRun(config, surroundings, work) {
  const { clock, random, signal, identity, observer, launchedAt, credentials } = surroundings;
  const run = await openRun(config, { clock, random, credentials, notice: (message) => observer.notice(message) });
  const facts = runFacts({ config, ...identity, startedAt: clock.epochNow(), clock: null });
  /** @type {RunResult} */
  const result = {
    facts,
    problems: [],
    mayPass: false,
    existing: null,
    kept: 0,
    stages: [],
    cleanup: null,
    requests: run.requests,
    crash: null,
  };
  const checks = new WriteChecks(run, config, signal);
  try {
    const runClock = openRunClock(config, run, observer);
    const phases = new Phases(clock.now, observer, launchedAt);
    const budget = new TimeBudget(clock.now);
    const beginning = { config, run, signal, observer, runClock, phases, budget, checks };
    try {
      await examineStore(beginning, result);
      if (result.problems.length === 0 && !signal.aborted) {
        await work(beginning, result);
      }
    } finally {
      await runClock.stop();
    }
  } catch (error) {
    result.crash = error;
  }
  try {
    await run.closeWorkers();
    await removeLeftovers(config, run, checks, result, observer);
  } finally {
    await run.close();
  }
  return result;
}

/**
 * Finds out whether the run may begin: by preflight, and by what is there already.
 *
 * @param {Beginning} beginning
 * @param {RunResult} result
 */
async function examineStore(beginning, result) {
  await listBefore(beginning, result);
  const { config, run, signal, observer, checks } = beginning;
  if (result.problems.length > 0 || signal.aborted) {
    return;
  }
  const { problems, mayPass, notices } = await checkStore(beginning);
  result.problems.push(...problems);
  if (problems.length === 0 && !signal.aborted) {
    await checks.mayWrite();
    const sizeProblem = await keptSizeProblem(run, config, signal);
    result.problems.push(...(sizeProblem === null ? [] : [sizeProblem]));
  }
  result.problems.push(...checks.problems);
  result.mayPass = mayPass && checks.problems.length === 0;
  result.existing = checks.existing;
  const isRefused = result.problems.length > 0 || signal.aborted;
  [...notices, ...(isRefused ? [] : checks.notices)].forEach((notice) => observer.notice(notice));
}

/**
 * A run on existing objects goes on with as many as there are, of the sizes that they have.
 *
 * @param {Beginning} beginning whose configuration is replaced
 * @param {RunResult} result
 */
async function listBefore(beginning, result) {
  const { config, run, signal, observer, phases } = beginning;
  const { existing } = config.objects;
  if (existing === undefined) {
    return;
  }
  const list = () => listExisting(run, config, existing, signal, (message) => observer.notice(message));
  const { listed, problems, mayPass, notices } = await phases.during(PHASES.list, list);
  result.problems.push(...problems);
  result.mayPass = mayPass;
  if (listed !== null) {
    notices.forEach((notice) => observer.notice(notice));
    run.listed = listed;
    const { count, largest: size, sizes } = listed;
    beginning.config = { ...config, objects: { ...config.objects, count, size, sizes } };
    const shown = { objects: count, size, ...(sizes === undefined ? {} : { sizes: formatSizes(sizes) }) };
    result.facts = { ...result.facts, options: { ...result.facts.options, ...shown } };
  }
}

/**
 * What the parts of a run need to know.
 *
 * @typedef {object} Running
 * @property {Config} config
 * @property {OpenRun} run
 * @property {AbortSignal} signal
 * @property {RunObserver} observer
 * @property {Phases} phases
 * @property {RunClock} runClock
 *
 * @typedef {Running & { budget: TimeBudget, checks: WriteChecks }} Beginning what the parts need to know that come before the first stage
 */

/**
 * A run whose first stage can begin.
 *
 * @typedef {object} BegunRun
 * @property {Running & { unloaded: ReadonlyMap<string, UnloadedLatency> }} running by the stage's name in lower case
 * @property {Workers} workers
 * @property {number} firstStageAt monotonic ms
 */

/**
 * Settles when the run starts, and gets ready for its first stage.
 *
 * @param {Beginning} beginning
 * @param {number} launchedAt monotonic ms
 * @param {RunResult} result
 * @returns {Promise<BegunRun | null>} null where the run cannot start when it should
 */
export async function beginRun(beginning, launchedAt, result) {
  const { config, run, observer, runClock } = beginning;
  const { clock } = run;
  const clockProblem = runClock.problem();
  const { startsAt, problem } = chooseStart(config, clock, launchedAt, clockProblem);
  if (problem !== null) {
    result.problems.push(problem);
    return null;
  }
  if (clockProblem !== null) {
    observer.notice(`The store's clock is unknown: ${clockProblem}. All times are those of this host's clock`);
  }
  const startTime = new Date(clock.epochNow()).toISOString();
  result.facts = { ...result.facts, start: startTime, clock: runClock.facts() };
  observer.runStarts(result.facts);
  if (!run.wroteObjects && !run.listed) {
    operationsOf(config.load.stages)
      .flatMap(({ limitWithoutWrites = [] }) => limitWithoutWrites)
      .forEach((limit) => observer.notice(limit));
  }
  const { workers, unloaded, firstStageAt } = await getReady(beginning, startsAt);
  return { running: { ...beginning, unloaded }, workers, firstStageAt };
}

/**
 * @param {BegunRun} begun
 * @param {RunResult} result
 */
async function measure({ running, workers, firstStageAt }, result) {
  const { config, run } = running;
  if (config.search !== null) {
    await findCapacities(running, workers, result);
  } else {
    const runAll = config.schedule.ramp === undefined ? runStages : runRamps;
    await runAll(running, workers, firstStageAt, result);
    result.kept = config.objects.keep && run.wroteObjects ? run.written.end : 0;
  }
}

/**
 * Removes what the run has left. The store's answers to deletions are not believed: a run that has removed all that it wrote
 * still looks at the store's lists.
 *
 * @param {Config} config
 * @param {OpenRun} run
 * @param {WriteChecks} checks
 * @param {RunResult} result
 * @param {RunObserver} observer
 */
async function removeLeftovers(config, run, checks, result, observer) {
  const { store, objects, load } = config;
  const { keep, shard } = objects;
  const { timeout, multipart } = load;
  const { clock, random, keyspace, written, wroteObjects, probes, versioned, requests } = run;
  const { stages, crash, problems } = result;
  // A stage that broke off has no counts to go by.
  const isUncertain = crash !== null || stages.some(({ unknownOutcomes }) => unknownOutcomes > 0);
  // What was there before the run was allowed to write is not its own, whatever broke off.
  const mayRemove = checks.mayHaveWritten && !keep;
  const isLeft = mayRemove && wroteObjects && (written.count > 0 || isUncertain);
  // Where versions are kept, what was removed is still there.
  const hasVersions = versioned.size > 0 && checks.mayHaveWritten;
  // Nobody counts copies, which no stage removes.
  const ownsCopies = mayRemove && operationsOfRun(load).some(({ copies }) => copies);
  const hasRemovedAll = stages.some(({ stage, end }) => REMOVING_STAGES.has(stage) && end === 'complete');
  // The embedded endpoint ends with the run. Without permission to list, a notice has said that there is no proof. A run that
  // was refused, because a bucket is missing perhaps, has removed its probes.
  const canProve = !store.isEmbedded && checks.mayList && problems.length === 0;
  const ownsObjects = isLeft || ((hasVersions || canProve) && mayRemove && (wroteObjects || hasRemovedAll));
  // One whose creation was not answered has an id that nobody knows: only the store can tell that none is left.
  const mayHaveUploads = checks.mayHaveWritten && multipart !== undefined;
  const areUploadsAll = !ownsObjects && !ownsCopies && probes.size === 0 && run.slices === 0 && !hasVersions;
  if (areUploadsAll && !mayHaveUploads) {
    return;
  }
  const outcomeUnknown = isUncertain || probes.size > 0;
  const isOurs = (/** @type {OwnKey} */ { isProbe, index }) =>
    isProbe ? isOfShard(shard, index) : isInShard(shard, index, run.indexCount);
  const owns = (/** @type {OwnKey} */ own) => isOurs(own) && (own.isProbe || (own.isCopy ? ownsCopies : ownsObjects));
  result.cleanup = await cleanUpRun({
    keyspace,
    storeOptions: run.controlOptions,
    clock,
    random,
    timeout,
    owns,
    unlisted: isLeft ? new UnlistedObjects(written, shard, run.indexCount) : null,
    outcomeUnknown,
    ...lateWritesOf(config),
    ownsUpload: mayHaveUploads ? isOurs : null,
    areUploadsAll,
    versioned,
    requests,
    onProgress: (progress) => observer.cleanupProgress(progress),
  });
  const { removed, left, misplaced } = result.cleanup;
  const shown = removed + Math.max(left - misplaced, 0);
  const isConfirmed =
    !(isLeft || outcomeUnknown || ownsCopies || run.slices > 0 || hasVersions) &&
    stages.every(({ failed, integrityErrors }) => failed + integrityErrors === 0);
  if (isConfirmed && shown > 0) {
    result.mayPass ||= problems.length === 0;
    problems.push(
      `the store confirmed that all objects of the run were deleted, and then listed ${counted(shown, 'object')} of it`,
    );
  }
}
