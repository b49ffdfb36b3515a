import { formatSizes } from '../workload/size-distribution.js';
import { keptSizeProblem } from '../preflight/existing-objects.js';
import { listExisting } from '../preflight/list-existing.js';
import { TimeBudget } from '../preflight/unloaded-latency.js';
import { WriteChecks } from '../preflight/write-checks.js';
import { beginRun, checkStore } from './begin-run.js';
import { openRun } from './open-run.js';
import { PHASES, Phases } from './begin-run.js';
import { reconcile } from './reconcile.js';
import { openRunClock } from './begin-run.js';
import { runFacts } from './run-facts.js';
import { planContext, runPlan } from './run-plan.js';
import { RampSteps } from './ramp-steps.js';
import { SearchSteps } from './search-steps.js';
import { StagesPlan } from './stages-plan.js';
import { StepsPlan } from './steps-plan.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { LiveCredentials } from '../s3/live-credentials.js'
 * @import { Config } from '../model/config.js'
 * @import { RunResult } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
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
 * @property {() => boolean} [isShared] see Session; default: never
 */

/**
 * @param {Config} config
 * @param {RunDeps} deps
 * @returns {Promise<RunResult>}
 */
export function runBenchmark(config, deps) {
  return withRun(config, deps, measure);
}

/**
 * Opens a run, checks the store, calls `work`, and leaves the buckets as they were.
 *
 * @param {Config} config
 * @param {RunDeps} deps
 * @param {(session: Session) => Promise<void>} work skipped if the run cannot begin
 * @returns {Promise<RunResult>}
 */
export async function withRun(config, deps, work) {
  const session = await openSession(config, deps);
  const { run, result, runClock } = session;
  try {
    if ((await examineStore(session)) && (await beginRun(session))) {
      await work(session);
    }
  } catch (error) {
    result.crash = error;
  }
  try {
    await runClock.stop();
    await run.closeWorkers();
    await reconcile(session);
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
async function openSession(config, deps) {
  const { clock, random, signal, identity, observer, launchedAt, credentials, isShared = () => false } = deps;
  const run = await openRun(config, { clock, random, credentials, notice: (message) => observer.notice(message) });
  return {
    config,
    run,
    signal,
    observer,
    launchedAt,
    isShared,
    checks: new WriteChecks(run, config, signal),
    runClock: openRunClock(config, run, observer, signal),
    phases: new Phases(clock.now, observer, launchedAt),
    timeBudget: new TimeBudget(clock.now),
    // Set when the run begins.
    workers: /** @type {any} */ (null),
    unloaded: new Map(),
    firstStageAt: -Infinity,
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
  const { run, signal, observer, checks, result } = session;
  const isRefused = () => result.problems.length > 0 || signal.aborted;
  await listObjects(session);
  if (isRefused()) {
    return false;
  }
  const { problems, isTransient, notices } = await checkStore(session);
  result.problems.push(...problems);
  if (!isRefused()) {
    await checks.mayWrite();
    const sizeProblem = await keptSizeProblem(run, session.config, signal);
    result.problems.push(...(sizeProblem === null ? [] : [sizeProblem]));
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
  const plan = planOf(planContext(session));
  try {
    await runPlan(plan, session);
  } finally {
    const isKept = config.objects.keep && run.wroteObjects && config.load.replay === undefined;
    result.kept = isKept ? Math.min(run.ledger.end, plan.wholeObjects ?? Infinity) : 0;
  }
}

/**
 * @param {PlanContext} context
 * @returns {Plan}
 */
function planOf(context) {
  const { search, load, schedule } = context.config;
  const stages = new StagesPlan(context);
  if (search === null && schedule.ramp === undefined) {
    return stages;
  }
  const steps = new StepsPlan(context, search === null ? RampSteps : SearchSteps);
  return load.replay === undefined
    ? steps
    : { stage: (stage, index) => (stage.rewrites ? steps : stages).stage(stage, index) };
}
