import { sumOf } from '../measure/statistics/moments.js';
import { counted } from '../text/figures.js';
import { stagesOf } from '../load/operations/registry.js';
import { formatSizes } from '../load/workload/size-distribution.js';
import { recordedOptions } from '../options/recorded-options.js';
import { PHASES, beginRun, checkStore, openRunClock, phasesOf } from './begin-run.js';
import { openRun } from './open-run.js';
import { listExisting } from './preflight/existing-objects.js';
import { TimeBudget } from './preflight/unloaded-latency.js';
import { WriteChecks } from './preflight/write-checks.js';
import { cleanUpAfterRun } from './after-run.js';
import { planContext, runPlan } from './run-plan.js';
import { searchSteps } from './search-steps.js';
import { USUAL_GAP_MS } from './stage-schedule.js';
import { stagesPlan } from './stages-plan.js';
import { rampSteps, stepsPlan } from './steps-plan.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Config, LoadConfig, ReplayConfig } from '../result/config.js'
 * @import { ClockFacts, RunFacts, RunResult } from '../result/result.js'
 * @import { RunObserver } from '../result/run-events.js'
 * @import { LiveCredentials } from '../store/live-credentials.js'
 * @import { Plan, PlanContext } from './plan.js'
 * @import { Session } from './session.js'
 */

/**
 * @typedef {object} RunDeps
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal ends the run early
 * @property {{ host: string, versions: Record<string, string> }} identity of this host
 * @property {RunObserver} observer
 * @property {number} launchedAt monotonic ms at which the process was started
 * @property {LiveCredentials} [credentials] renewable credentials; default: the store's
 * @property {boolean} [isShared] see Session; default: false
 * @property {Session['earlier']} [earlier]
 */

/**
 * @param {Config} config
 * @param {RunDeps} deps
 * @returns {Promise<RunResult>}
 */
export async function runBenchmark(config, deps) {
  const session = await openSession(config, deps);
  const { run, result, runClock } = session;
  try {
    if ((await examineStore(session)) && (await beginRun(session))) {
      await measure(session);
    }
  } catch (error) {
    result.crash = error;
  }
  try {
    await runClock.stop();
    await run.closeWorkers();
    await cleanUpAfterRun(session);
  } finally {
    await run.close();
  }
  return result;
}

/**
 * @param {Config} config
 * @param {RunDeps} deps
 * @returns {Promise<Session>}
 */
async function openSession(config, { identity, credentials, ...deps }) {
  const { clock, random, signal, observer, earlier = null } = deps;
  const run = await openRun(config, { clock, random, credentials, notice: (message) => observer.notice(message) });
  return {
    isShared: false,
    ...deps,
    earlier,
    config,
    run,
    checks: new WriteChecks(run, config, signal),
    runClock: openRunClock(config, run, signal, earlier?.clock ?? null),
    phases: phasesOf(observer),
    timeBudget: new TimeBudget(clock.now),
    // Set when the run begins.
    workers: /** @type {any} */ (null),
    unloaded: new Map(),
    firstStageAt: -Infinity,
    unproven: [],
    result: {
      facts: runFacts({ config, ...identity, startedAt: clock.epochNow(), clock: null }),
      problems: [],
      isTransient: false,
      existing: null,
      kept: 0,
      stages: [],
      cleanup: null,
      requests: run.requests,
      crash: null,
    },
  };
}

/**
 * Looks for existing objects, then runs preflight.
 *
 * @param {Session} session
 * @returns {Promise<boolean>} false if the run must not begin
 */
async function examineStore(session) {
  const { signal, observer, checks, result } = session;
  const isRefused = () => result.problems.length > 0 || signal.aborted;
  await listObjects(session);
  if (isRefused()) {
    return false;
  }
  const { problems, isTransient, notices } = await checkStore(session);
  result.problems.push(...problems);
  if (!isRefused()) {
    await checks.mayWrite();
  }
  result.problems.push(...checks.problems);
  result.isTransient = isTransient && checks.problems.length === 0;
  result.existing = checks.existing;
  [...notices, ...(isRefused() ? [] : checks.notices)].forEach((notice) => observer.notice(notice));
  return !isRefused();
}

/**
 * A run on existing objects uses all listed objects at their listed sizes.
 *
 * @param {Session} session
 */
async function listObjects(session) {
  const { config, run, signal, observer, phases, result } = session;
  const { existing } = config.objects;
  if (existing === undefined) {
    return;
  }
  const list = () => listExisting(run, config, existing, signal, (message) => observer.notice(message));
  const { listed, problems, isTransient, notices } = await phases.during(PHASES.list, list);
  result.problems.push(...problems);
  result.isTransient = isTransient;
  if (listed === null) {
    return;
  }
  notices.forEach((notice) => observer.notice(notice));
  run.listed = listed;
  const { count, largest: size, sizes } = listed;
  const shown = { objects: count, size, ...(sizes === undefined ? {} : { sizes: formatSizes(sizes) }) };
  result.facts = { ...result.facts, options: { ...result.facts.options, ...shown } };
  session.config = { ...config, objects: { ...config.objects, count, size, sizes } };
}

/** @param {Session} session */
async function measure(session) {
  const { config, run, result } = session;
  if (config.schedule.warmupObjects > 0) {
    if (!(await warmUp(session))) {
      return;
    }
    session.firstStageAt = run.clock.now();
  }
  const plan = planOf(planContext(session));
  try {
    await runPlan(plan, session);
  } finally {
    const isKept = config.objects.keep && run.wroteObjects && config.load.replay === undefined;
    result.kept = isKept ? Math.min(run.ledger.end, plan.wholeObjects ?? Infinity) : 0;
  }
}

/**
 * Runs all stages on a few objects of their own, so that neither connections nor code are cold when they are measured.
 *
 * @param {Session} session
 * @returns {Promise<boolean>} whether all of them completed
 */
async function warmUp(session) {
  const { config, observer } = session;
  const { warmupObjects: count } = config.schedule;
  const few = {
    ...config,
    objects: { ...config.objects, count },
    load: { ...config.load, rate: undefined },
    schedule: { ...config.schedule, duration: undefined, minDuration: 0 },
  };
  const unseen = { ...observer, stageStarts() {}, second() {}, progress() {}, snapshot() {}, stage() {} };
  const warming = { ...session, config: few, observer: unseen };
  const isWarm = await runPlan(stagesPlan(planContext(warming), config.objects.count), warming);
  if (isWarm) {
    // Their attempts are paid for, and belong to no stage.
    const attempts = session.result.stages.reduce((sum, stage) => sum + stage.attempts, 0);
    session.run.requests.probe += attempts;
    const wrong = sumOf(session.result.stages.map(({ integrityErrors }) => integrityErrors));
    if (wrong > 0) {
      session.result.isTransient ||= session.result.problems.length === 0;
      session.result.problems.push(`while warming up, ${counted(wrong, 'response')} had the wrong content`);
    }
    session.result.stages = [];
  }
  return isWarm;
}

/**
 * @param {PlanContext} context
 * @returns {Plan}
 */
function planOf(context) {
  const { search, load, schedule } = context.config;
  const stages = stagesPlan(context);
  if (search === null && schedule.ramp === undefined) {
    return stages;
  }
  const steps = stepsPlan(context, search === null ? rampSteps : searchSteps);
  return load.replay === undefined
    ? steps
    : { stage: (stage, index) => (stage.rewrites ? steps : stages).stage(stage, index) };
}

/**
 * @param {{ config: Config, host: string, startedAt: number, clock: ClockFacts | null,
 *   versions: Record<string, string> }} parts `startedAt` in epoch ms
 * @returns {RunFacts}
 */
export function runFacts({ config, host, startedAt, clock, versions }) {
  const { store, objects, load, schedule } = config;
  const { shard } = objects;
  const endpoint = `${store.useTls ? 'https' : 'http'}://${store.hostname}:${store.port}${store.basePath ?? ''}`;
  return {
    run: objects.runId,
    host,
    shard: `${shard.index}/${shard.count}`,
    start: new Date(startedAt).toISOString(),
    clock,
    versions,
    options: {
      objects: objects.count,
      threads: load.threads,
      endpoint,
      buckets: store.buckets.length,
      duration: schedule.duration ?? null,
      ...recordedOptions(valuesOf(config)),
    },
  };
}

/**
 * The values of the configured options. Defaults of a search are omitted.
 *
 * @param {Config} config
 * @returns {Record<string, unknown>} by option name
 */
function valuesOf({ store, objects, load, schedule, search }) {
  return {
    ...objects,
    ...load,
    ...load.amounts,
    ...load.multipart,
    multipart: load.multipart?.minSize === 0,
    ...(load.replay === undefined ? {} : ofReplay(load, load.replay)),
    ...schedule,
    gap: schedule.gap ?? (schedule.sharesSlots ? USUAL_GAP_MS : undefined),
    ramp: schedule.ramp?.threads,
    stepTime: schedule.ramp?.stepTime,
    ...search,
    findPeak: search !== null,
    peakOf: search?.peakOf === 'threads' ? undefined : load.replay ? 'speed' : search?.peakOf,
    publicUrl: store.publicUrl,
    local: store.isEmbedded,
    faults: store.faults,
  };
}

/**
 * @param {LoadConfig} load
 * @param {ReplayConfig} replay
 */
function ofReplay(load, { files, part, speed }) {
  const stages = stagesOf(load).map(({ name }) => name.toLowerCase());
  return { mix: undefined, stages, replay: files, ...part, speed };
}
